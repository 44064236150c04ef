"""Task files that are not as they should be: each is told in one sentence, and no other task suffers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

RUN = 'version: 4\nrun: "true"\n'
BAD_FILES = [
    ("version: 4\nrun: a\nuses: workflows/one\n", 3, "keep exactly one of `uses` and `run`"),
    ("version: 4\nname: none\n", 1, "write exactly one of `uses` and `run`"),
    (f"{RUN}name: &x a\n", 3, "`&x` is an anchor, and anchors are not used; remove it"),
    (f"{RUN}name: *x\n", 3, "write the value out"),
    (f"{RUN}env:\n  <<: {{A: b}}\n", 4, "write the keys out"),
    (f"{RUN}name: !!str a\n", 3, "put a text in quotes instead"),
    (f"{RUN}name: !secret a\n", 3, "write the plain value"),
    (f"{RUN}run: b\n", 3, "first on line 2; keep one"),
    (f"{RUN}timeout: 30s\n", 3, "write the milliseconds as a number: 30000"),
    (f"{RUN}schedule: '0 0 * * 7'\n", 3, "outside 0-6"),
    (f"{RUN}schedule: '0 0 * * FRI-MON'\n", 3, "ends before it begins"),
    (f"{RUN}schedule: '1-5,8 * * * *'\n", 3, "in a form that is not supported"),
    (f"{RUN}schedule: '0 0 L * *'\n", 3, "in a form that is not supported"),
    (f"{RUN}schedule: '0 0 13 * FRI'\n", 3, "leave one `*`"),
    (f"{RUN}schedule: '5/10 * * * *'\n", 3, "in a form that is not supported"),
    ("version: 4\nuses: scripts/a.exe\n", 2, "give it one of the endings .sh"),
    (f"{RUN}working-directory: gone\n", 3, "create the directory, or correct the name"),
    (f"{RUN}working-directory: ../team2\n", 3, "must not hold `..`"),
    (f"{RUN}working-directory: out\n", 3, "name a directory inside it"),
    (f"{RUN}schedule:\n  - cron: '@daily'\n    inputs: {{b: 1}}\n", 5, "the file declares no inputs"),
    (
        f"{RUN}inputs: {{n: {{type: integer}}}}\nschedule:\n  - {{cron: '@daily', inputs: {{n: much}}}}\n",
        5,
        "does not satisfy the schema",
    ),
    (f"{RUN}inputs: {{n: {{type: integer, default: much}}}}\n", 3, "does not satisfy the schema"),
]
ONE = """---
type: workflow
steps:
  - id: only
    unit: { exec: { command: ["true"] } }
---
# One

## only

Do nothing.
"""


def problem_of(run: Any, ref: str) -> str | None:
    (task,) = [task for task in run("task", "list").result["tasks"] if task["ref"] == ref]
    return task.get("problem")  # type: ignore[no-any-return]


@pytest.fixture
def team(run: Any, home: Path, crontab: Path) -> Path:
    """A bundle with a sound task that is scheduled, and a directory that leads out of it."""
    assert run("task", "enable", "nightly").status == 0
    (home / "team2").mkdir()
    (home / "team/out").symlink_to(home / "team2")
    assert crontab.exists()
    return home / "team"


@pytest.mark.parametrize(("text", "line", "told"), BAD_FILES)
def test_a_bad_file_is_told_in_one_sentence_and_stops_no_other(
    run: Any, home: Path, team: Path, text: str, line: int, told: str
) -> None:
    bad = team / "tasks/bad.yml"
    bad.write_text('version: 4\nrun: "true"\nschedule: "@daily"\n')
    assert run("task", "enable", "bad").status == 0
    before = (home / "crontab").read_text()
    bad.write_text(text)
    (team / "tasks/nightly.yml").write_text('version: 4\nrun: "true"\nschedule: "1 3 * * *"\n')

    validated = run("task", "validate", str(bad))
    reason = validated.result["reason"]
    assert (validated.status, validated.result["outcome"]) == (1, "invalid")
    assert reason.startswith(f"Invalid task at {bad}:{line}: ")
    assert told in reason
    assert "\n" not in reason

    done = run("task", "run", "bad")
    assert (done.status, done.error["error"], done.error["code"]) == (2, reason, "TASK_SOURCE_INVALID")
    assert (problem_of(run, "team//tasks/bad"), problem_of(run, "team//tasks/nightly")) == (reason, None)

    synced = run("task", "sync")
    assert (synced.status, len(synced.result["updated"])) == (1, 1)
    assert synced.result["failures"] == [{"path": str(bad), "ref": "team//tasks/bad", "reason": reason}]
    assert (home / "crontab").read_text() == before.replace("\n0 3 ", "\n1 3 ")


@pytest.mark.parametrize("verb", ["run", "show", "enable", "disable", "explain"])
def test_an_id_with_a_slash_is_told(run: Any, team: Path, verb: str) -> None:
    done = run("task", verb, "a/b")
    assert done.status == 2
    assert "must be letters, digits" in done.error["error"]
    assert team.is_dir()


@pytest.mark.parametrize(
    ("text", "status", "told"),
    [
        ("uses: scripts/gone.sh", 1, "there is no file"),
        ("uses: scripts/out.sh", 2, "keep the file inside"),
        ("uses: workflows/gone", 1, "workflows/gone"),
        ("uses: akm/command\nwith: {content: x}", 78, "set defaults.engine"),
        ("uses: akm/command\nwith: {content: x}\nengine: none", 78, "set engines.none"),
        ("run: a\nshell: zsh", 78, "zsh"),
    ],
)
def test_a_task_that_needs_what_is_not_there_is_blocked_and_does_not_run(
    run: Any, home: Path, team: Path, text: str, status: int, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "bin/sh").symlink_to("/bin/sh")
    (home / "bin/cat").symlink_to("/bin/cat")
    monkeypatch.setenv("PATH", str(home / "bin"))
    (team / "scripts").mkdir()
    (team / "scripts/out.sh").symlink_to("/etc/profile")
    (team / "tasks/new.yml").write_text(f"version: 4\n{text}\n")
    done = run("task", "validate", str(team / "tasks/new.yml"))
    assert (done.status, done.result["outcome"], done.result["ok"]) == (1, "blocked", False)
    assert told in done.result["reason"]
    assert done.result["resolved"]["ref"] == "team//tasks/new"
    ran = run("task", "run", "new")
    assert (ran.status, told in ran.error["error"]) == (status, True)
    assert run("task", "history", "new").result["rows"] == []


def test_a_task_is_valid_when_its_workflow_compiles_and_blocked_when_it_does_not(
    run: Any, team: Path
) -> None:
    (team / "workflows").mkdir()
    (team / "tasks/new.yml").write_text("version: 4\nuses: workflows/one\n")
    for text, told in ((ONE, ("valid", None)), (ONE.replace("unit:", "unti:"), ("blocked", "one.md:5: "))):
        (team / "workflows/one.md").write_text(text)
        result = run("task", "validate", str(team / "tasks/new.yml")).result
        assert result["outcome"] == told[0]
        assert (told[1] or "") in result.get("reason", "")
