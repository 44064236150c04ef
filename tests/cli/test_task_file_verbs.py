"""`akm task list`, `show`, `validate`, `explain` and `convert`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

REAL = Path(__file__).parents[2].parent / "shared/data/tasks"
NOW = """version: 4
run: echo
schedule: "@daily"
inputs:
  level: {type: integer, default: 3}
  api_token: {type: string, default: hush-hush}
"""


@pytest.fixture
def tasks(home: Path) -> Path:
    folder = home / "project/tasks"
    folder.mkdir()
    (folder / "now.yml").write_text(NOW)
    (folder / "old.yml").write_text("version: 2\nschedule: '@daily'\ncommand: echo old\n")
    (home / "config").mkdir()
    (home / "config/config.toml").write_text('[scheduler]\nenabled = ["project//tasks/now"]\n')
    return folder


def test_every_task_is_listed_with_what_keeps_it_from_running(run: Any, tasks: Path) -> None:
    now, old = run("task", "list").result["tasks"]
    assert (now["ref"], now["schedules"], now["enabled"]) == ("project//tasks/now", ["@daily"], True)
    assert (old["target"], old["enabled"]) == ("command: echo old", False)
    assert "`version` is 2" in old["problem"]
    out = run("task", "list", "--format", "text").out
    assert "run: echo" in out
    assert out.endswith(f"{old['problem']}\n")
    assert tasks.is_dir()


def test_an_old_file_is_shown_with_the_reason(run: Any, tasks: Path) -> None:
    shown = run("task", "show", "old").result["task"]
    assert (shown["version"], shown["target"]["text"]) == (2, "echo old")
    assert f"akm task convert {tasks}/old.yml" in shown["hint"]
    assert "target:\n  kind: shell\n" in run("task", "show", "now", "--format", "text").out


@pytest.mark.parametrize(
    ("name", "text", "outcome", "status"),
    [
        ("a.yml", NOW, "valid", 0),
        ("a.yml", "version: 3\ncommand: a\n", "blocked", 1),
        ("a.yml", "command: a\n", "blocked", 1),
        ("a.yml", "version: 4\n", "invalid", 1),
        ("a.yaml", NOW, "invalid", 1),
        ("a.yml", "title: x\n", "not-a-task", 1),
        ("a.md", NOW, "not-a-task", 1),
    ],
)
def test_a_file_is_told_for_what_it_is(
    run: Any, tasks: Path, name: str, text: str, outcome: str, status: int
) -> None:
    (tasks / name).write_text(text)
    done = run("task", "validate", f"tasks/{name}")
    assert (done.result["outcome"], done.status) == (outcome, status)


def test_keys_that_change_nothing_are_told(run: Any, tasks: Path) -> None:
    (tasks / "odd.yml").write_text("version: 4\nrun: echo\nengine: writer\ntools: [read]\n")
    assert run("task", "validate", "tasks/odd.yml").result["resolved"]["notApplied"] == ["engine", "tools"]
    assert "`engine` changes nothing" in run("task", "validate", "tasks/odd.yml", "--format", "text").out


def test_a_file_that_is_not_there_is_wrong_usage(run: Any, tasks: Path) -> None:
    assert tasks.is_dir()
    assert run("task", "validate", "nowhere.yml").status == 2


def test_values_are_explained_and_secrets_are_not_shown(run: Any, tasks: Path) -> None:
    assert tasks.is_dir()
    done = run("task", "explain", "now", "--level", "4")
    assert done.result["task"]["values"]["level"] == {"value": 4, "from": "flag"}
    assert done.result["task"]["schedules"][0]["values"]["level"] == {"value": 3, "from": "default"}
    assert "hush-hush" not in done.out
    assert run("task", "explain", "now", "--levle", "4").error["code"] == "UNKNOWN_FLAG"


def test_a_conversion_is_printed_or_written(run: Any, tasks: Path) -> None:
    before = (tasks / "old.yml").read_text()
    assert "version: 4\nrun: echo old\n" in run("task", "convert", "tasks/old.yml").out
    assert (tasks / "old.yml").read_text() == before
    done = run("task", "convert", "tasks/old.yml", "--write").result
    assert Path(done["backup"]).read_text() == before
    assert run("task", "validate", "tasks/old.yml").status == 0


@pytest.mark.skipif(not REAL.is_dir(), reason="the real files are not beside the repository")
@pytest.mark.parametrize("file", sorted(REAL.glob("*.yml")), ids=lambda file: file.stem)
def test_real_files_are_shown_and_converted_or_refused(run: Any, tasks: Path, file: Path) -> None:
    raw = file.read_text()
    (tasks / file.name).write_text(raw)
    path, has_two = f"tasks/{file.name}", file.stem == "two-targets"
    validated = run("task", "validate", path)
    assert (validated.status, validated.result["outcome"]) == (1, "invalid" if has_two else "blocked")
    assert run("task", "run", file.stem).status == 2
    if has_two:
        assert ":9: `prompt` and `command` stand side by side" in validated.result["reason"]
        assert [
            run("task", verb, word).status for verb, word in (("show", file.stem), ("convert", path))
        ] == [2, 2]
        return
    assert run("task", "show", file.stem).result["task"]["version"] == 2
    done = run("task", "convert", path, "--write")
    assert (done.status, Path(done.result["backup"]).read_text()) == (0, raw)
    again = run("task", "validate", path).result
    assert again["outcome"] == "valid" or "set defaults.engine" in again["reason"]
