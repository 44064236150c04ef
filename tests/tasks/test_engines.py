"""Which engine a command gets, for how long, and what of the task it cannot be told."""

from __future__ import annotations

from pathlib import Path

import pytest
from running_tasks import Bench

from akm.engine import workplace
from akm.errors import AkmError
from akm.tasks.execution import engines
from akm.tasks.files import source
from akm.tasks.files.task import DEFAULT_TIMEOUT_MS, Task

CONFIG = """
[defaults]
engine = "reader"
[engines.reader]
kind = "agent"
command = ["cat"]
[engines.quick]
kind = "agent"
command = ["cat"]
timeout = "2m"
[engines.patient]
kind = "agent"
command = ["cat"]
timeout = "none"
[engines.checker]
kind = "llm"
base_url = "http://127.0.0.1:1/v1"
model = "small"
[models.fast]
reader = "small-model"
"""


def a_command(bench: Bench, more: str = "") -> Task:
    """Read a task file that hands prose to an engine."""
    (bench.root / ".akm").mkdir(exist_ok=True)
    (bench.root / ".akm/config.toml").write_text(CONFIG)
    (bench.root / "tasks").mkdir(exist_ok=True)
    file = bench.root / "tasks/t.yml"
    file.write_text(f"version: 4\nuses: akm/command\nwith: {{content: Say hello.}}\n{more}\n")
    return source.read(file, bundle="project", root=bench.root)


def chosen(bench: Bench, more: str) -> engines.Chosen:
    return engines.chosen(a_command(bench, more), workplace.here(bench.root))


@pytest.mark.parametrize(
    ("more", "milliseconds"),
    [
        ("", DEFAULT_TIMEOUT_MS),
        ("engine: quick", 120_000),
        ("engine: quick\ntimeout: 6h", 21_600_000),
        ("engine: quick\ntimeout: null", None),
        ("engine: patient", None),
        ("engine: patient\ntimeout: 90000", 90_000),
    ],
)
def test_a_timeout_is_the_tasks_then_the_engines_then_six_hours(
    bench: Bench, more: str, milliseconds: int | None
) -> None:
    assert chosen(bench, more).timeout_ms == milliseconds


def test_a_model_is_resolved_and_what_cannot_be_told_is_said_before_anything_runs(bench: Bench) -> None:
    (warning,) = chosen(bench, "model: fast").warnings
    assert "the model small-model, and engines.reader cannot be told one" in warning
    task = a_command(bench, "model: other")
    result = bench.run(task.target, model=task.model)
    assert "the model other" in bench.warnings[0]
    assert "the model other" in Path(result.log).read_text()


@pytest.mark.parametrize(
    ("more", "told", "status"),
    [
        ("model: fast\nengine: quick", r"set quick under \[models.fast\]", 78),
        ("engine: checker", "name an engine of the kind agent", 78),
        ("engine: none", "set engines.none", 78),
        ("agent: critic", "remove `agent`", 2),
    ],
)
def test_what_no_engine_can_do_is_refused_with_what_to_do(
    bench: Bench, more: str, told: str, status: int
) -> None:
    with pytest.raises(AkmError, match=told) as raised:
        chosen(bench, more)
    assert raised.value.exit_status == status
