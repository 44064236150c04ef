"""What is found out about a task's program before anything is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from running_tasks import Bench

from akm.errors import ConfigError
from akm.tasks.files.task import Command, Script, Shell


def a_script(bench: Bench, name: str, text: str = "") -> Script:
    (bench.root / "scripts").mkdir(exist_ok=True)
    (bench.root / "scripts" / name).write_text(text)
    return Script(f"project//scripts/{name}")


def a_program(bench: Bench, name: str) -> None:
    """Install a program of that name, on a PATH that holds nothing else; it prints what it is given."""
    folder = bench.root / "bin"
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f'#!/bin/sh\necho "{name} $1"\n')
    (folder / name).chmod(0o755)
    bench.environment["PATH"] = str(folder)


def test_a_python_script_is_run_by_python(bench: Bench) -> None:
    a_program(bench, "python3")
    a_program(bench, "python")
    log = Path(bench.run(a_script(bench, "x.py")).log).read_text()
    assert f"\npython {bench.root}/scripts/x.py\n" in log


@pytest.mark.parametrize(
    ("file", "program"), [("x.py", "python3"), ("x.R", "Rscript"), ("x.r", "rscript"), ("x.ps1", "pwsh")]
)
def test_an_interpreter_may_go_by_its_other_name(bench: Bench, file: str, program: str) -> None:
    a_program(bench, program)
    assert f"\n{program} " in Path(bench.run(a_script(bench, file)).log).read_text()


def an_engine(bench: Bench) -> Command:
    (bench.root / ".akm").mkdir()
    (bench.root / ".akm/config.toml").write_text(
        '[defaults]\nengine = "a"\n[engines.a]\nkind = "agent"\ncommand = ["not-there"]\n'
    )
    return Command(content="Hello")


@pytest.mark.parametrize(
    ("target", "named"),
    [
        (lambda bench: a_script(bench, "x.py"), "x.py of task t needs python or python3"),
        (lambda bench: a_script(bench, "x.lua"), "x.lua of task t needs lua"),
        (lambda _bench: Shell("true", "zsh"), "Task t needs zsh"),
        (an_engine, "The engine a of task t needs not-there"),
    ],
)
def test_a_program_that_is_not_installed_is_one_sentence_and_no_row(
    bench: Bench, target: Any, named: str
) -> None:
    bench.environment["PATH"] = "/nonexistent"
    with pytest.raises(ConfigError, match=named) as raised:
        bench.run(target(bench))
    assert "install it" in raised.value.message
    assert raised.value.code == "PROGRAM_NOT_FOUND"
    assert bench.rows() == []


def test_without_any_path_the_remedy_is_to_record_one(bench: Bench) -> None:
    del bench.environment["PATH"]
    with pytest.raises(ConfigError, match="akm task sync"):
        bench.run(a_script(bench, "x.lua"))


def test_a_script_runs_where_it_stands(bench: Bench) -> None:
    (bench.root / "scripts").mkdir()
    (bench.root / "scripts/beside.sh").write_text("echo found")
    result = bench.run(a_script(bench, "x.sh", '. "$(dirname "$0")/beside.sh"'))
    assert "\nfound\n" in Path(result.log).read_text()


def test_a_program_that_goes_before_it_is_started_is_a_failed_row(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    from akm.tasks.execution import attempt

    script = a_script(bench, "x.lua")
    a_program(bench, "lua")
    reserve = attempt.reserve

    def late(*given: Any, **more: Any) -> Any:
        (bench.root / "bin/lua").unlink()
        return reserve(*given, **more)

    monkeypatch.setattr(attempt, "reserve", late)
    result = bench.run(script)
    assert (bench.row()["status"], bench.detail()["reason"]) == ("failed", "spawn_failed")
    assert "spawn_error=" in Path(result.log).read_text()


def test_a_month_is_no_time_too_long_to_wait(bench: Bench) -> None:
    assert bench.run("true", timeout_ms=30 * 24 * 3_600_000).status == "completed"
