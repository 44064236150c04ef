"""`akm task add`: everything is checked before the file is written, and then it is switched on."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from akm.tasks.files import source
from akm.tasks.files.task import Command, Input, Shell, Task, Workflow

WORKFLOW = """---
type: workflow
steps:
  - id: only
    unit: { exec: { command: ["true"] } }
---
# One

## only

Do nothing.
"""
ENGINE = '[engines.writer]\nkind = "agent"\ncommand = ["cat"]\n'
THEIRS = "# akm:task {0} BEGIN\n@daily /their/akm task run x\n# akm:task {0} END\n"


@pytest.fixture
def team(home: Path, crontab: Path) -> Path:
    """The bundle, with workflows that compile and that do not, and an engine."""
    assert not crontab.exists()
    config = home / "config/config.toml"
    config.write_text(config.read_text() + ENGINE)
    (home / "team/workflows").mkdir()
    (home / "team/workflows/one.md").write_text(WORKFLOW)
    (home / "team/workflows/broken.md").write_text(WORKFLOW.replace("unit:", "unti:"))
    (home / "team/scripts").mkdir()
    (home / "team/scripts/a.exe").write_text("")
    return home / "team"


def written(team: Path, id: str = "new") -> Task:
    return source.read(team / f"tasks/{id}.yml", bundle="team", root=team)


def enabled(home: Path) -> list[str]:
    return tomllib.loads((home / "config/config.toml").read_text()).get("scheduler", {}).get("enabled", [])


def add(run: Any, *flags: str, id: str = "new") -> Any:
    return run("task", "add", id, "--schedule", "@daily", *flags)


def test_a_command_is_written_switched_on_and_scheduled(run: Any, home: Path, team: Path) -> None:
    text = "echo 'a: b' # 5%"
    done = run("task", "add", "new", "--schedule", "@hourly", "--command", text, "--timeout", "90s")
    assert done.status == 0, done.err
    assert (done.result["path"], done.result["ref"]) == (f"{team}/tasks/new.yml", "team//tasks/new")
    assert [row.rpartition("@")[0] for row in done.result["sync"]["installed"]] == ["team//tasks/new"]
    assert (written(team).target, written(team).timeout_ms) == (Shell(text), 90_000)
    assert "@hourly " in (home / "crontab").read_text()
    assert enabled(home) == ["team//tasks/new"]


def test_every_word_of_a_wish_goes_into_the_file(run: Any, team: Path) -> None:
    words = (
        "--name",
        "Yes",
        "--description",
        "One.\nTwo: 2.",
        "--when-to-use",
        "# never",
        "--tags",
        "a, 1,b",
    )
    params = '{"n": 1, "on": true, "s": "0o17", "l": [1], "o": {"a": null}, "z": null}'
    done = add(run, "--workflow", "workflows/one", *words, "--params", params)
    assert done.status == 0, done.err
    task = written(team)
    assert task.target == Workflow("team//workflows/one")
    assert (task.name, task.description, task.when_to_use) == ("Yes", "One.\nTwo: 2.", "# never")
    assert task.tags == ("a", "1", "b")
    assert task.inputs == {
        "n": Input({"type": "number"}, 1, has_default=True),
        "on": Input({"type": "boolean"}, True, has_default=True),
        "s": Input({"type": "string"}, "0o17", has_default=True),
        "l": Input({"type": "array"}, [1], has_default=True),
        "o": Input({"type": "object"}, {"a": None}, has_default=True),
        "z": Input({}, None, has_default=True),
    }


def test_a_prompt_has_an_engine_and_a_model(run: Any, team: Path) -> None:
    done = add(run, "--prompt", "Do.\nIt.", "--engine", "writer", "--model", "big")
    assert done.status == 0, done.err
    task = written(team)
    assert (task.target, task.engine, task.model) == (Command(content="Do.\nIt."), "writer", "big")


def test_what_is_disabled_is_written_and_not_scheduled(run: Any, home: Path, team: Path) -> None:
    add(run, "--command", "true")
    done = add(run, "--command", "false", "--force", "--disabled")
    assert (done.status, done.result["enabled"]) == (0, False)
    assert written(team).target == Shell("false")
    assert ((home / "crontab").read_text(), enabled(home)) == ("", [])


@pytest.mark.parametrize(
    ("flags", "status", "told"),
    [
        (("--command", "true", "--schedule", "* * * * 7"), 2, "outside 0-6"),
        ((), 2, "exactly one of"),
        (("--command", "true", "--prompt", "x"), 2, "exactly one of"),
        (("--workflow", "no ref at all"), 2, "one word"),
        (("--workflow", "workflows/oen"), 1, "workflows/oen"),
        (("--workflow", "workflows/broken"), 2, "workflows/broken.md has "),
        (("--workflow", "nowhere//workflows/one"), 1, "nowhere"),
        (("--workflow", "scripts/gone.sh"), 1, "there is no file"),
        (("--workflow", "scripts/a.exe"), 2, "endings"),
        (("--prompt", "x"), 78, "set defaults.engine"),
        (("--prompt", "x", "--engine", "wirter"), 78, "set engines.wirter"),
        (("--command", "true", "--engine", "writer"), 2, "only with --prompt"),
        (("--command", "true", "--model", "big"), 2, "only with --prompt"),
        (("--command", "true", "--params", "[1]"), 2, "one JSON object"),
        (("--command", "true", "--params", '{"a": 1, "a": 2}'), 2, "one JSON object"),
        (("--command", "true", "--params", '{"a": NaN}'), 2, "one JSON object"),
        (("--command", "true", "--params", '{"a": 1e999}'), 2, "not a finite number"),
        (("--command", "true", "--params", '{"format": 1}'), 2, "is a flag of"),
        (("--command", "true", "--bundle", "nowhere"), 2, "akm bundle add"),
        (("--command", "true", "--timeout", "soon"), 2, "--timeout needs"),
        (("--command", "a\udcff"), 2, "names no character"),
    ],
)
def test_what_is_not_sound_or_needs_what_is_not_there_is_not_written(
    run: Any, home: Path, team: Path, flags: tuple[str, ...], status: int, told: str
) -> None:
    done = add(run, *flags)
    assert (done.status, told in done.error["error"] + done.error.get("hint", "")) == (status, True), done.err
    assert not (team / "tasks/new.yml").exists()
    assert not (home / "crontab").exists()
    assert enabled(home) == []


@pytest.mark.parametrize("id", ["a/b", "../a", "con", "", "-a", "a" * 229])
def test_an_id_that_is_none_is_not_written(run: Any, team: Path, id: str) -> None:
    before = sorted(team.rglob("*"))
    done = run("task", "add", "--schedule", "@daily", "--command", "true", "--", id)
    assert done.status == 2
    assert "The id of the task" in done.error["error"]
    assert sorted(team.rglob("*")) == before


def test_a_task_that_is_there_stays_without_force(run: Any, team: Path) -> None:
    add(run, "--command", "true")
    done = add(run, "--command", "false")
    assert (done.status, done.error["code"]) == (2, "RESOURCE_ALREADY_EXISTS")
    assert "--force" in done.error["hint"]
    assert written(team).target == Shell("true")


def test_a_name_that_another_installation_fires_is_taken_over_only_when_asked(
    run: Any, home: Path, team: Path
) -> None:
    (home / "crontab").write_text(THEIRS.format("team//tasks/new@ffffffff"))
    done = add(run, "--command", "true")
    assert (done.status, done.error["code"]) == (2, "RESOURCE_ALREADY_EXISTS")
    assert "--rebind" in done.error["hint"]
    assert not (team / "tasks/new.yml").exists()
    assert add(run, "--command", "true", "--rebind").status == 0
    assert "ffffffff" not in (home / "crontab").read_text()


def test_a_name_that_differs_by_case_from_a_scheduled_one_is_taken(run: Any, team: Path) -> None:
    run("task", "enable", "nightly")
    done = add(run, "--command", "true", id="Nightly")
    assert (done.status, done.error["code"]) == (2, "RESOURCE_ALREADY_EXISTS")
    assert not (team / "tasks/Nightly.yml").exists()


def test_a_row_that_cron_refuses_leaves_the_file_written_and_enabled(
    run: Any, home: Path, team: Path
) -> None:
    done = run("task", "add", "REFUSED", "--schedule", "@daily", "--command", "true")
    assert (done.status, done.result["ok"]) == (1, False)
    (failure,) = done.result["sync"]["failures"]
    assert (failure["ref"], failure["path"]) == ("team//tasks/REFUSED", f"{team}/tasks/REFUSED.yml")
    assert written(team, "REFUSED").schedules
    assert enabled(home) == ["team//tasks/REFUSED"]


def test_without_cron_the_file_is_written_and_enabled_and_that_is_said(
    run: Any, home: Path, team: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "bare").mkdir()
    (home / "bare/sh").symlink_to("/bin/sh")
    monkeypatch.setenv("PATH", str(home / "bare"))
    done = add(run, "--command", "true")
    assert (done.status, done.error["code"]) == (78, "SCHEDULER_UNAVAILABLE")
    assert f"Wrote {team}/tasks/new.yml. team//tasks/new is enabled, but" in done.error["error"]
    assert "akm task serve" in done.error["hint"]
    assert (enabled(home), bool(written(team).schedules)) == (["team//tasks/new"], True)


def test_a_bundle_is_asked_for_when_there_are_several(run: Any, home: Path, team: Path) -> None:
    (home / "mine").mkdir()
    run("bundle", "add", "mine", str(home / "mine"))
    done = add(run, "--command", "true")
    assert (done.status, "team, mine" in done.error["error"]) == (2, True)
    assert add(run, "--command", "true", "--bundle", "mine").result["ref"] == "mine//tasks/new"
    assert not (team / "tasks/new.yml").exists()
