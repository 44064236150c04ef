"""`akm db adopt` from the command line: what it says, what it writes, and what is there after a kill."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from builders import dump
from old_databases import PLAN, REAL, RUN, old, put_event, put_history, put_run, put_step, put_unit, real

Run = Callable[..., Any]
_KILLED = """
import os, signal, sys
from akm.store import adoption

whole = adoption.insert_loose


def killed(tx, table, rows):
    done = whole(tx, table, rows)
    if table == sys.argv[1]:
        os.kill(os.getpid(), signal.SIGKILL)
    return done


adoption.insert_loose = killed
from akm.cli import app
sys.exit(app.main(["db", "adopt", sys.argv[2]]))
"""


@pytest.fixture
def ledger(home: Path) -> Path:
    """Where the command keeps its database."""
    return home / "data/state.db"


@pytest.fixture
def source(home: Path) -> Path:
    """A database of akm-cli with an active run, an event and an attempt of a task."""
    path = home / "theirs.db"
    with old(path, 21) as made:
        put_run(made)
        put_unit(made, result_json='"first done"')
        put_event(made)
        put_history(made)
    return path


def copied(report: dict[str, Any]) -> list[int]:
    return [found["copied"] for found in report["tables"].values()]


def test_a_dry_run_counts_the_same_and_writes_nothing(run: Run, source: Path, ledger: Path) -> None:
    rehearsed = run("db", "adopt", str(source), "--dry-run")
    assert (rehearsed.status, rehearsed.result["dryRun"]) == (0, True)
    assert not ledger.exists()
    done = run("db", "adopt", str(source))
    assert done.result == rehearsed.result | {"dryRun": False}
    assert copied(done.result) == [1, 2, 1, 1, 1, 1, 0]


def test_a_dry_run_leaves_a_ledger_byte_for_byte(
    run: Run, source: Path, ledger: Path, migrated: Path
) -> None:
    ledger.parent.mkdir()
    shutil.copyfile(migrated, ledger)
    before = ledger.read_bytes(), ledger.stat().st_mtime_ns
    assert copied(run("db", "adopt", str(source), "--dry-run").result) == [1, 2, 1, 1, 1, 1, 0]
    assert (ledger.read_bytes(), ledger.stat().st_mtime_ns) == before


def test_the_second_time_all_is_there_already(run: Run, source: Path, ledger: Path) -> None:
    run("db", "adopt", str(source))
    before = dump(ledger)
    for extra in ([], ["--dry-run"]):
        again = run("db", "adopt", str(source), *extra)
        assert (again.status, copied(again.result)) == (0, [0] * 7)
        assert dump(ledger) == before
    assert run("db", "check").status == 0


def test_people_are_told_in_tables(run: Run, source: Path) -> None:
    with old(source.with_name("odd.db"), more=("029-from-tomorrow",)) as made:
        for number in range(30):
            put_event(made, ts=f"never {number}")
    told = run("db", "adopt", str(source), "--dry-run", "--format", "text").out
    assert "WOULD COME" in told
    assert "1 row of workflow_run_unit_attempts was made from what else is known." in told
    assert f"{RUN[:8]}  team//workflows/release  active  yes" in told
    assert "Nothing was written." in told
    odd = run("db", "adopt", str(source.with_name("odd.db")), "--format", "text")
    assert "29 workflow_started" not in odd.out
    assert "and 10 more" in odd.out
    assert "newer akm-cli than this akm knows (029-from-tomorrow)" in odd.err


def test_an_adopted_run_shows_and_is_gone_on_with_and_repeats_nothing(run: Run, source: Path) -> None:
    run("db", "adopt", str(source))
    shown = run("workflow", "status", RUN, "--units").result
    assert (shown["run"]["continuable"], shown["run"]["interrupted"]) == (True, True)
    assert shown["units"][0]["status"] == "completed"
    assert "reason" not in shown["run"]
    done = run("workflow", "run", RUN)
    assert (done.status, done.result["run"]["status"]) == (0, "completed")
    attempts = run("workflow", "status", RUN, "--attempts").result["attempts"]
    assert [(it["unitId"], it["attempt"]) for it in attempts] == [("first:solo", 1), ("second:solo", 1)]
    assert [it["id"] for it in run("task", "history").result["rows"]] == ["nightly"]
    again = run("db", "adopt", str(source)).result
    assert copied(again) == [0] * 7
    assert run("workflow", "status", RUN).result["run"]["status"] == "completed"


def test_a_running_attempt_is_taken_up_again(run: Run, source: Path) -> None:
    source.unlink()
    with old(source, 21) as made:
        put_run(made)
        put_unit(made)
        put_unit(made, "second:solo", step_id="second", node_id="second", status="running", attempts=2)
    run("db", "adopt", str(source))
    run("workflow", "run", RUN)
    attempts = run("workflow", "status", RUN, "--attempts").result["attempts"]
    assert [(it["unitId"], it["attempt"], it["status"]) for it in attempts] == [
        ("first:solo", 1, "completed"),
        ("second:solo", 2, "completed"),
    ]


@pytest.mark.parametrize("status", ["active", "blocked", "failed"])
def test_a_run_whose_plan_is_too_old_says_so(run: Run, source: Path, status: str) -> None:
    source.unlink()
    plan = deepcopy(PLAN)
    del plan["steps"][1]["root"]["frozenTarget"]  # type: ignore[index]
    with old(source, 21) as made:
        put_run(made, status=status, plan_json=json.dumps(plan), plan_ir_version=3)
        put_step(made, RUN, "third", 2)
    run("db", "adopt", str(source))
    shown = run("workflow", "status", RUN).result["run"]
    assert shown["continuable"] is False
    assert shown["reason"].startswith("its plan, of format 3, cannot be read any more (steps[1]")
    assert shown["next"] == "akm workflow run --new team//workflows/release"
    told = run("workflow", "status", RUN, "--format", "text").out
    assert "It cannot be gone on with: its plan, of format 3" in told
    assert "Go on with it" not in told
    assert "Reopen it" not in told
    for verb in ("resume", "retry"):
        refused = run("workflow", verb, RUN)
        if status != "active":
            assert (refused.status, refused.error["code"]) == (2, "INVALID_JSON_ARGUMENT")
            assert "akm workflow run --new team//workflows/release" in refused.error["hint"]
            assert run("workflow", "status", RUN).result["run"]["status"] == status


def test_a_run_that_cannot_be_gone_on_with_leads_to_a_new_one(run: Run, source: Path) -> None:
    source.unlink()
    with old(source, 21) as made:
        put_run(made, plan_json="{}", plan_ir_version=3)
    run("db", "adopt", str(source))
    ended = run("workflow", "run", RUN, "--format", "text")
    assert ended.status == 1
    assert ended.out.endswith("Go on: akm workflow run --new team//workflows/release\n")
    assert "resume" not in ended.out


def test_what_was_adopted_is_sound_and_without_a_warning(run: Run, source: Path) -> None:
    run("db", "adopt", str(source))
    examined = run("db", "doctor")
    assert (examined.status, examined.result["findings"]) == (0, [])


@pytest.mark.parametrize("table", ["events", "registry_index_cache"])
def test_a_killed_adoption_leaves_nothing_and_works_the_next_time(
    run: Run, source: Path, ledger: Path, table: str
) -> None:
    run("db", "upgrade")
    before = dump(ledger)
    killed = subprocess.run([sys.executable, "-c", _KILLED, table, str(source)], env=os.environ, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert dump(ledger) == before
    assert copied(run("db", "adopt", str(source)).result) == [1, 2, 1, 1, 1, 1, 0]


def test_what_cannot_be_adopted_is_refused_before_a_ledger_is_made(
    run: Run, home: Path, ledger: Path
) -> None:
    for name, status in (("missing.db", 1), (".", 2)):
        refused = run("db", "adopt", str(home / name))
        assert (refused.status, refused.error["ok"]) == (status, False)
    assert not ledger.exists()
    run("db", "upgrade")
    own = run("db", "adopt", str(ledger))
    assert own.status == 2
    assert "akm's own database" in own.error["error"]


@pytest.mark.skipif(not REAL.exists(), reason=f"{REAL} is not there")
def test_a_real_database_is_shown_with_its_meaning(run: Run, home: Path) -> None:
    assert run("db", "adopt", str(real(home / "real.db"))).status == 0
    listed = run("workflow", "list", "--all-scopes").result["runs"]
    assert sorted(it["status"] for it in listed) == ["active", "completed", "completed", "failed"]
    standing = [it["id"] for it in listed if it["status"] != "completed"]
    assert [run("workflow", "status", it).result["run"]["continuable"] for it in standing] == [False, False]
    kinds = {it["id"]: it["target"]["kind"] for it in run("task", "history").result["rows"]}
    assert kinds == {"always-fails": "shell", "nightly-count": "workflow"}
    log = run("log", "--limit", "100").result["events"]
    assert [it["eventType"] for it in log].count("workflow_started") == 4
    assert run("db", "doctor").result["findings"] == []
