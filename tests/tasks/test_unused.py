"""Keys that are accepted and change nothing are told."""

from __future__ import annotations

from pathlib import Path

import pytest
from running_tasks import Bench

from akm.tasks import explain
from akm.tasks.files import source, unused
from akm.tasks.files.task import Task

SHELL = "run: echo hi"
FLOW = "uses: workflows/w"
PROSE = "uses: akm/command\nwith: {content: x}"


def read(bench: Bench, text: str) -> Task:
    (bench.root / "tasks").mkdir()
    file = bench.root / "tasks/t.yml"
    file.write_text(f"version: 4\n{text}\n")
    return source.read(file, bundle="project", root=bench.root)


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        (f"{SHELL}\nengine: a\nmodel: b\nagent: c", ("agent", "engine", "model")),
        (f"{SHELL}\nmaxSteps: 1\nmaxRetries: 0\ninputs: {{n: {{}}}}", ("inputs", "maxSteps", "maxRetries")),
        (f"{SHELL}\nengine: null\ntimeout: 5m\nredact: [A]\nenv: {{A: b}}", ()),
        (f"{FLOW}\nmaxSteps: 1\nmaxRetries: 1\ninputs: {{n: {{}}}}", ()),
        (f"{FLOW}\nengine: a", ("engine",)),
        (f"{PROSE}\nengine: a\nmodel: b", ()),
        (f"{PROSE}\ntools: [read]\ninference: {{}}\noutput: {{}}", ("output", "inference", "tools")),
    ],
)
def test_what_changes_nothing_is_named(bench: Bench, text: str, keys: tuple[str, ...]) -> None:
    task = read(bench, text)
    assert unused.keys(task) == keys
    assert explain.described(task).get("notApplied", []) == list(keys)
    assert all(f"`{key}`" in told for key, told in zip(keys, unused.sentences(task), strict=True))


def test_a_run_says_it_once_and_keeps_it_in_the_log(bench: Bench) -> None:
    result = bench.run("true", engine="a", not_applied=("tools",))
    assert bench.warnings == [
        "Task t: `engine` is only read for a command target, and this is a shell target.",
        "Task t: `tools` is checked and changes nothing yet.",
    ]
    assert Path(result.log).read_text().splitlines()[1:3] == bench.warnings
