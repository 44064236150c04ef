"""`akm bundle rename` and `show`, with a crontab that is a file."""

from __future__ import annotations

import os
import sqlite3
import tomllib
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from fake_crontab import CRONTAB, TASK
from filelock import FileLock

WORKFLOW = """---
type: workflow
steps:
  - id: a
    unit: { exec: { command: ["true"] } }
  - id: b
    unit: { exec: { command: ["true"] } }
---
# W

## a

Do it.

## b

Do that.
"""


@pytest.fixture
def user(home: Path) -> Path:
    """A file that configures the bundle team, with a workflow named w and a task named nightly."""
    for folder in ("config", "team/workflows", "team/tasks"):
        (home / folder).mkdir(parents=True)
    (home / "team/workflows/w.md").write_text(WORKFLOW)
    (home / "team/tasks/nightly.yml").write_text(TASK)
    (home / "config/config.toml").write_text(f'[bundles.team]\npath = "{home}/team"  # ours\n')
    return home / "config/config.toml"


@pytest.fixture
def crontab(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    command = home / "bin/crontab"
    command.parent.mkdir()
    command.write_text(CRONTAB)
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{command.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("CRONTAB_FILE", str(home / "crontab"))
    return home / "crontab"


def fires(crontab: Path) -> list[str]:
    return [line.split(" > ")[0] for line in crontab.read_text().splitlines() if " task run " in line]


def test_runs_and_history_are_found_under_the_new_name(run: Any, user: Path) -> None:
    started = run("workflow", "run", "team//workflows/w")
    assert started.status == 0, started.err
    run_id = started.result["run"]["id"]
    done = run("bundle", "rename", "team", "crew")
    assert (done.status, done.result["applied"], done.result["state"]["workflowRuns"]) == (0, True, 1)
    assert "taskSync" not in done.result
    assert user.read_text().startswith("[bundles.crew]\npath = ")
    assert run("workflow", "status", "crew//workflows/w").result["run"]["id"] == run_id
    assert run("workflow", "status", run_id).result["run"]["workflowRef"] == "crew//workflows/w"
    events = run("log", "--ref", "crew//workflows/w", "--run", run_id).result["events"]
    assert {"workflow_started", "workflow_finished"} <= {event["eventType"] for event in events}
    assert run("log", "--ref", "team//workflows/w").result["events"] == []
    (told,) = run("log", "--type", "bundle_renamed").result["events"]
    assert (told["metadata"]["old"], told["metadata"]["new"], told["metadata"]["workflowRuns"]) == (
        *("team", "crew"),
        1,
    )


def test_a_run_goes_on_under_the_new_name(run: Any, user: Path) -> None:
    assert user.exists()
    started = run("workflow", "run", "team//workflows/w", "--max-steps", "1").result
    assert run("bundle", "rename", "team", "crew").status == 0
    again = run("workflow", "run", "crew//workflows/w")
    assert again.status == 0
    assert "changed since" not in again.err
    assert again.result["run"]["id"] == started["run"]["id"]
    assert [step["stepId"] for step in again.result["executed"]] == ["b"]


def test_a_second_call_says_that_nothing_has_the_old_name(run: Any, user: Path) -> None:
    assert user.exists()
    run("bundle", "rename", "team", "crew")
    again = run("bundle", "rename", "team", "crew")
    assert (again.status, again.result["applied"]) == (0, False)
    text = run("bundle", "rename", "team", "crew", "--format", "text")
    assert (text.status, text.err) == (0, "")
    assert text.out == "Nothing has the name team; nothing was changed.\n"


def test_a_mistyped_name_is_not_said_to_be_renamed(run: Any, user: Path) -> None:
    user.write_text(f'{user.read_text()}[bundles.crew]\npath = "/tmp"\n')
    for flags in ((), ("--dry-run",)):
        said = run("bundle", "rename", "teem", "crew", *flags, "--format", "text")
        assert (said.status, said.out) == (0, "Nothing has the name teem; nothing was changed.\n")
    assert run("bundle", "rename", "teem", "crew").result["applied"] is False


def test_a_dry_run_counts_refs_that_a_rename_cut_off_left_in_the_schedule(run: Any, user: Path) -> None:
    run("bundle", "rename", "team", "crew")
    user.write_text(f'{user.read_text()}\n[scheduler]\nenabled = ["team//tasks/nightly"]\n')
    said = run("bundle", "rename", "team", "crew", "--dry-run", "--format", "text").out.splitlines()
    assert said == ["Bundle team would become crew; nothing was changed.", "scheduled: team//tasks/nightly"]


def test_a_dry_run_writes_nothing_not_even_a_ledger(run: Any, user: Path, home: Path) -> None:
    before = sorted(str(file) for file in home.rglob("*"))
    text = user.read_text()
    done = run("bundle", "rename", "team", "crew", "--dry-run")
    assert (done.status, done.result["applied"], done.result["dryRun"]) == (0, False, True)
    assert sorted(str(file) for file in home.rglob("*")) == before
    assert user.read_text() == text
    said = run("bundle", "rename", "team", "crew", "--dry-run", "--format", "text").out
    assert said.splitlines() == ["Bundle team would become crew; nothing was changed."]


def test_people_are_told_what_moves_and_what_is_left_to_them(run: Any, user: Path, home: Path) -> None:
    assert user.exists()
    run("workflow", "run", "team//workflows/w")
    (home / "team/tasks/caller.yml").write_text("version: 4\nuses: team//workflows/w\n")
    said = run("bundle", "rename", "team", "crew", "--dry-run", "--format", "text").out.splitlines()
    assert said[0] == "Bundle team would become crew; nothing was changed."
    assert said[1].startswith("To be moved: 1 run, ")
    done = run("bundle", "rename", "team", "crew", "--format", "text").out.splitlines()
    assert done[0] == "Bundle team is now crew."
    assert done[1] == said[1].replace("To be moved", "Moved")
    assert done[2:] == ["These files say team// and are left to you:", f"  {home}/team/tasks/caller.yml"]


def test_refusals_have_their_exit_status(run: Any, user: Path) -> None:
    unknown = run("bundle", "rename", "teem", "crew")
    assert (unknown.status, unknown.error["code"], unknown.error["hint"]) == (
        *(1, "SOURCE_NOT_FOUND"),
        "Did you mean team?",
    )
    assert run("bundle", "rename", "team", "team").status == 2
    with FileLock(f"{user}.lock"), pytest.MonkeyPatch.context() as patch:
        patch.setattr("akm.config_edit.file._LOCK_SECONDS", 0)
        held = run("bundle", "rename", "team", "crew")
    assert (held.status, held.error["code"]) == (75, "CONFIG_HELD")


def test_the_schedule_follows(run: Any, user: Path, crontab: Path) -> None:
    assert run("task", "enable", "nightly").status == 0
    done = run("bundle", "rename", "team", "crew")
    assert done.status == 0, done.err
    assert done.result["schedulerRefs"] == ["team//tasks/nightly"]
    synced = done.result["taskSync"]
    assert synced["ok"] is True
    assert [one.rpartition("@")[0] for one in synced["result"]["installed"]] == ["crew//tasks/nightly"]
    assert [one.rpartition("@")[0] for one in synced["result"]["removed"]] == ["team//tasks/nightly"]
    (row,) = fires(crontab)
    assert row.endswith("akm task run nightly --bundle crew --scheduled")
    assert tomllib.loads(user.read_text())["scheduler"]["enabled"] == ["crew//tasks/nightly"]
    assert "taskSync" not in run("bundle", "rename", "team", "crew").result


def test_rows_that_no_list_speaks_of_follow_too(run: Any, user: Path, crontab: Path) -> None:
    before = user.read_text()
    run("task", "enable", "nightly")
    user.write_text(before)
    done = run("bundle", "rename", "team", "crew")
    assert done.result["taskSync"]["ok"] is True
    assert [row.rpartition("--bundle ")[2] for row in fires(crontab)] == ["crew --scheduled"]
    assert tomllib.loads(user.read_text())["scheduler"]["enabled"] == ["crew//tasks/nightly"]


def test_a_schedule_that_cannot_follow_fails_nothing_and_the_same_command_repairs_it(
    run: Any, user: Path, home: Path, crontab: Path
) -> None:
    run("task", "enable", "nightly")
    (home / "state/locks").mkdir(parents=True, exist_ok=True)
    with FileLock(home / "state/locks/scheduler.lock"):
        done = run("bundle", "rename", "team", "crew")
    assert (done.status, done.result["applied"], done.result["taskSync"]["ok"]) == (0, True, False)
    assert "is changing the schedule" in done.result["taskSync"]["error"]
    assert "akm task sync" in done.err
    assert "[bundles.crew]" in user.read_text()
    assert "--bundle team" in fires(crontab)[0]
    again = run("bundle", "rename", "team", "crew", "--format", "text")
    assert (again.status, again.out) == (0, "The schedule was synced.\n")
    assert "--bundle crew" in fires(crontab)[0]


def test_rows_of_another_installation_stay(
    run: Any, user: Path, home: Path, crontab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert user.exists()
    with monkeypatch.context() as patch:
        patch.setenv("AKM_DATA_DIR", str(home / "other"))
        run("task", "enable", "nightly")
    before = crontab.read_text()
    assert "taskSync" not in run("bundle", "rename", "team", "crew").result
    assert crontab.read_text() == before


def test_history_of_a_task_is_found_by_its_new_target(run: Any, user: Path, home: Path) -> None:
    assert user.exists()
    (home / "team/tasks/flow.yml").write_text("version: 4\nuses: workflows/w\n")
    assert run("task", "run", "flow", "--bundle", "team").status == 0
    done = run("bundle", "rename", "team", "crew").result
    assert done["state"]["taskHistory"] == 1
    with closing(sqlite3.connect(home / "data/state.db")) as ledger:
        assert ledger.execute("SELECT target_ref FROM task_history").fetchall() == [("crew//workflows/w",)]


def test_a_bundle_is_shown_for_people_and_as_json(run: Any, user: Path, home: Path) -> None:
    shown = run("bundle", "show", "team").result
    assert (shown["name"], shown["path"]) == ("team", f"{home}/team")
    assert shown["contents"]["tasks"] == {"count": 1, "names": ["nightly"]}
    said = run("bundle", "show", "team", "--format", "text").out.splitlines()
    assert said[:3] == ["Bundle team", f"folder: {home}/team", f"configured in: user file {user}"]
    assert said[4].split() == ["workflows", "1", "w"]
    assert run("bundle", "show", "teem").status == 1
