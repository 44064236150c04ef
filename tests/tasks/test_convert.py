"""Converting older task files: what comes out reads as version 4, and nothing is dropped unsaid."""

from __future__ import annotations

from pathlib import Path

import pytest

from akm.errors import UsageError
from akm.tasks.catalog import File
from akm.tasks.files import convert, source
from akm.tasks.files.task import Command, Shell, Task, Workflow

REAL = Path(__file__).parents[2].parent / "shared/data/tasks"


def a_file(root: Path, text: str) -> File:
    path = root / "old.yml"
    path.write_text(text)
    return File("team", root, path)


def converted(root: Path, text: str) -> tuple[Task, tuple[str, ...]]:
    file = a_file(root, text)
    made = convert.convert(file)
    return source.parse(made.text.encode(), file.path, bundle="team", root=root), made.notes


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("version: 2\ncommand: a | b", Shell("a | b")),
        ("version: 2\ncommand: [a, 'b c']", Shell("a 'b c'")),
        ("version: 3\nprompt: '0o17'", Command(content="0o17")),
        ("workflow: workflows/a", Workflow("team//workflows/a")),
    ],
)
def test_every_old_target_is_carried(tmp_path: Path, text: str, target: object) -> None:
    task, notes = converted(tmp_path, f"{text}\nschedule: '@daily'\ntimeoutMs: 5\nenabled: false\nodd: 1\n")
    assert task.target == target
    assert (task.schedules[0].cron, task.timeout_ms) == ("@daily", 5)
    assert "`enabled: false`" in notes[0]
    assert "`odd`" in notes[1]


def test_a_schedule_that_is_not_supported_is_left_out_and_said(tmp_path: Path) -> None:
    task, notes = converted(tmp_path, "version: 2\ncommand: a\nschedule: '0 0 L * *'\n")
    assert task.schedules == ()
    assert "The schedule 0 0 L * * is left out" in notes[1]


def test_params_become_inputs_with_defaults(tmp_path: Path) -> None:
    task, _ = converted(tmp_path, "version: 2\nworkflow: workflows/a\nparams: {n: 1, on: true}\n")
    assert {name: one.default for name, one in task.inputs.items()} == {"n": 1, "on": True}


def test_the_switches_of_triggers_are_removed_and_comments_stay(tmp_path: Path) -> None:
    text = "version: 4 # mine\nrun: a\nschedule:\n  - cron: '@daily'\n    enabled: true\n"
    assert convert.convert(a_file(tmp_path, text)).text == text.replace("    enabled: true\n", "")


def test_writing_keeps_every_older_file(tmp_path: Path) -> None:
    (tmp_path / "old.yml.bak").write_text("older")
    file = a_file(tmp_path, "version: 2\ncommand: a\n")
    backup = convert.write(file, convert.convert(file))
    assert backup.read_text() == "version: 2\ncommand: a\n"
    assert (tmp_path / "old.yml.bak").read_text() == "older"
    assert "version: 4" in file.path.read_text()


def test_a_current_file_has_nothing_to_convert(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="of version 4 already"):
        convert.convert(a_file(tmp_path, "version: 4\nrun: a\n"))


@pytest.mark.skipif(not REAL.is_dir(), reason="the real files are not beside the repository")
def test_real_files_convert_and_two_targets_are_refused(tmp_path: Path) -> None:
    for path in REAL.glob("*.yml"):
        if path.name != "two-targets.yml":
            assert converted(tmp_path, path.read_text())[0].schedules
    with pytest.raises(UsageError, match="`prompt` and `command` stand side by side"):
        converted(tmp_path, (REAL / "two-targets.yml").read_text())


def test_a_file_that_would_not_read_as_version_4_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot be converted(.|\n)*`env` is not read for a workflow"):
        convert.convert(a_file(tmp_path, "version: 2\nworkflow: workflows/a\nenv: {A: x}\n"))
