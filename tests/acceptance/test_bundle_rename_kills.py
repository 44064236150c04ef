"""A rename that is killed anywhere is finished by the same command, and nothing is half renamed meanwhile."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tomllib
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from installed import Place

CRASHING = Path(__file__).with_name("crashing_rename.py")
CRONTAB = """#!/bin/sh
case "$1" in
  -l) if test -e "{file}"; then cat "{file}"; else echo 'no crontab for me' >&2; exit 1; fi ;;
  -) cat > "{file}.new" && mv "{file}.new" "{file}" ;;
esac
"""
WORKFLOW = """---
type: workflow
steps:
  - id: a
    unit: { exec: { command: ["true"] } }
---
# W

## a

Do it.
"""
#: One row for a bundle in each table, beside those of a neighbour.
ROWS = """
INSERT INTO task_history (task_id, status, started_at, completed_at, target_kind, target_ref)
    VALUES ('{bundle}', 'completed', '2027', '2027', 'workflow', '{bundle}//workflows/w');
INSERT INTO task_history (task_id, status, started_at, completed_at, target_kind, target_ref)
    VALUES ('{bundle}-odd', 'completed', '2027', '2027', NULL, '{bundle}//workflows/w');
INSERT INTO events (event_type, ts, ref) VALUES ('env_access', '2027', '{bundle}//workflows/w');
"""
REFS = """
SELECT 'task_history', target_ref FROM task_history WHERE target_ref IS NOT NULL
UNION ALL SELECT 'workflow_runs', workflow_ref FROM workflow_runs
UNION ALL SELECT 'events', ref FROM events WHERE ref IS NOT NULL
"""


def config(place: Place) -> dict[str, Any]:
    return tomllib.loads((place.root / "config/config.toml").read_text())


def environment(place: Place) -> dict[str, str]:
    # A killed process loses nothing that it has written, so nothing has to wait for the disk.
    quick = {"AKM_SQLITE_SYNCHRONOUS": "normal"}
    return place.environment() | quick | {"PATH": f"{place.root}/bin{os.pathsep}{os.environ['PATH']}"}


def crash(place: Place, number: int) -> int:
    command = [sys.executable, str(CRASHING), str(number), "team", "crew"]
    return subprocess.run(
        command, env=environment(place), cwd=place.work, capture_output=True, timeout=60
    ).returncode


def rename(place: Place) -> dict[str, Any]:
    done = place.run("bundle", "rename", "team", "crew", env=environment(place))
    assert done.status == 0, done.err
    result: dict[str, Any] = done.result
    return result


def fill(place: Place) -> str:
    """Configure the bundles team and team2, schedule a task of team, and return the id of its only run."""
    for bundle in ("team", "team2"):
        (place.folder(bundle) / "workflows").mkdir()
        (place.folder(bundle) / "workflows/w.md").write_text(WORKFLOW)
    (place.folder("team") / "tasks").mkdir()
    (place.folder("team") / "tasks/nightly.yml").write_text('version: 4\nrun: "true"\nschedule: "@daily"\n')
    (place.folder("config") / "config.toml").write_text(
        f'[bundles.team]  # ours\npath = "{place.root}/team"\n[bundles.team2]\npath = "{place.root}/team2"\n'
    )
    command = place.folder("bin") / "crontab"
    command.write_text(CRONTAB.format(file=place.root / "crontab"))
    command.chmod(0o755)
    assert place.run("task", "enable", "nightly", env=environment(place)).status == 0
    ran = [place.run("workflow", "run", f"{bundle}//workflows/w") for bundle in ("team", "team2")]
    assert [done.status for done in ran] == [0, 0], ran
    with closing(sqlite3.connect(place.root / "data/state.db")) as ledger:
        for bundle in ("team", "team2", "TEAM"):
            ledger.executescript(ROWS.format(bundle=bundle))
    return str(ran[0].result["run"]["id"])


def check_halves(place: Place) -> None:
    """Nothing names both, and the file says the new name only when the ledger does."""
    bundles = {ref.partition("//")[0] for _table, ref in place.rows(REFS)}
    assert len(bundles & {"team", "crew"}) == 1
    names = set(config(place)["bundles"])
    assert names in ({"team", "team2"}, {"crew", "team2"})
    if "crew" in names:
        assert "crew" in bundles
    (ref,) = config(place)["scheduler"]["enabled"]
    assert ref.partition("//")[0] in names
    assert place.rows("PRAGMA integrity_check") == [("ok",)]


def check_whole(place: Place, before: list[tuple[str, str]]) -> None:
    moved = [(table, ref.replace("team//", "crew//", ref.startswith("team//"))) for table, ref in before]
    assert sorted(place.rows(REFS)) == sorted(moved)
    assert list(config(place)["bundles"]) == ["crew", "team2"]
    assert config(place)["scheduler"]["enabled"] == ["crew//tasks/nightly"]
    assert "  # ours\n" in (place.root / "config/config.toml").read_text()
    (told,) = place.rows("SELECT metadata_json FROM events WHERE event_type = 'bundle_renamed'")
    counts = json.loads(told[0])
    assert (counts["workflowRuns"], counts["taskHistory"]) == (1, 2)
    crontab = (place.root / "crontab").read_text()
    assert "--bundle crew --scheduled" in crontab
    assert "--bundle team --scheduled" not in crontab


def check_found(place: Place, run_id: str) -> None:
    found = place.run("workflow", "status", "crew//workflows/w").result
    assert (found["run"]["id"], found["run"]["workflowRef"]) == (run_id, "crew//workflows/w")


@pytest.fixture
def template(place: Place) -> tuple[Place, str]:
    return place, fill(place)


def test_a_rename_that_is_killed_at_any_write_is_finished_by_the_same_command(
    template: tuple[Place, str],
) -> None:
    place, run_id = template
    before = place.rows(REFS)
    kept = place.root.with_name("kept")
    shutil.copytree(place.root, kept, symlinks=True)
    for number in range(1, 100):
        # In the same folder, because the crontab and the configuration name it.
        shutil.rmtree(place.root)
        shutil.copytree(kept, place.root, symlinks=True)
        status = crash(place, number)
        check_halves(place)
        if status == 0:
            break
        assert status == -9
        rename(place)
        check_whole(place, before)
    assert status == 0
    # At the least: seven statements, and two commits, the file and the crontab with a point on both sides.
    assert number > 15
    check_whole(place, before)
    assert rename(place)["applied"] is False
    check_found(place, run_id)


def test_a_rename_that_is_killed_at_any_time_is_finished_by_the_same_command(
    template: tuple[Place, str],
) -> None:
    place, run_id = template
    before = place.rows(REFS)
    moments = random.Random(7)
    killed = 0
    for _turn in range(6):
        process = place.start("bundle", "rename", "team", "crew", env=environment(place))
        try:
            process.wait(moments.uniform(0.05, 0.45))
        except subprocess.TimeoutExpired:
            process.kill()
            killed += 1
        process.communicate()
        check_halves(place)
    assert killed
    rename(place)
    check_whole(place, before)
    check_found(place, run_id)
