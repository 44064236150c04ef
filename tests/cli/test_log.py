"""`akm log`: filters that narrow, cursors that lose nothing, and following until interrupted."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import workflow_files
from workflow_files import a_file, a_map, a_step, items

from akm.services import events
from akm.store.opening import open_database

Run = Callable[..., Any]
AT = "2026-11-01T01:30:00.000Z"


@pytest.fixture
def ledger(home: Path, migrated: Path) -> Path:
    """An empty ledger, where the command looks for it."""
    (home / "data").mkdir()
    return Path(shutil.copyfile(migrated, home / "data/state.db"))


def record(ledger: Path, *kinds: str, at: str = AT, **more: Any) -> None:
    with open_database(ledger, synchronous="normal") as db:
        for kind in kinds:
            events.record(db, kind, at=at, metadata={"keys": 1}, **more)


def types(ended: Any) -> list[str]:
    assert ended.status == 0, ended.err
    return [event["eventType"] for event in ended.result["events"]]


def test_filters_are_joined_by_and_and_echoed(run: Run, home: Path, ledger: Path) -> None:
    workflow_files.write(home / "project", "w", a_file(a_step("a")))
    run_id = run("workflow", "run", "w").result["run"]["id"]
    record(ledger, "env_access", ref="team//env/x")
    assert len(types(run("log"))) == 6
    assert len(types(run("log", "--run", run_id[:8]))) == 5
    assert types(run("log", "--run", run_id, "--type", "workflow_finished")) == ["workflow_finished"]
    assert types(run("log", "--ref", "team//env/x")) == ["env_access"]
    shown = run("log", "--ref", "w", "--type", "workflow_started").result
    assert (shown["schemaVersion"], shown["totalCount"], shown["ref"], shown["type"]) == (
        1,
        1,
        "project//workflows/w",
        "workflow_started",
    )
    assert shown["events"] == shown["results"]


def test_no_match_is_an_empty_list_and_no_sql(run: Run, ledger: Path) -> None:
    record(ledger, "env_access")
    assert types(run("log", "--type", "nosuch")) == []
    assert types(run("log", "--type", "x' OR 1=1 --")) == []
    assert run("log", "--type", "nosuch", "--format", "text").out == "No events.\n"


@pytest.mark.usefixtures("ledger")
def test_an_unknown_filter_is_an_error(run: Run) -> None:
    assert run("log", "--colour", "red").error["code"] == "UNKNOWN_FLAG"
    assert run("log", "--run", "dead").error["code"] == "WORKFLOW_NOT_FOUND"
    for since in ("@offset:-1", "@offset:x", "@offset:", "yesterday", "@offset:1e3", ""):
        assert run("log", "--since", since).error["code"] == "INVALID_FLAG_VALUE"


def test_a_limit_keeps_the_newest_oldest_first(run: Run, ledger: Path) -> None:
    record(ledger, "one", "two", "three")
    ended = run("log", "--limit", "2")
    assert types(ended) == ["two", "three"]
    assert ended.result["nextOffset"] == 3


def test_whoever_goes_on_from_a_cursor_misses_nothing(run: Run, ledger: Path) -> None:
    record(ledger, *["early"] * 3, *["late"] * 250)
    assert len(types(run("log"))) == 200
    ended = run("log", "--since", "@offset:3")
    assert types(ended) == ["late"] * 250
    cursor = ended.result["nextOffset"]
    nothing = run("log", "--since", f"@offset:{cursor}").result
    assert (nothing["events"], nothing["nextOffset"]) == ([], cursor)


@pytest.mark.parametrize("zone", ["UTC", "America/St_Johns", "Asia/Kolkata"])
@pytest.mark.parametrize(
    ("since", "expected"),
    [
        ("2026-11-01T01:30", ["second", "third"]),
        ("2026-11-01T01:30Z", ["second", "third"]),
        ("2026-11-01T01:30:00.001Z", ["third"]),
        ("2026-11-01T02:30+01:00", ["second", "third"]),
        ("2026-11-02", ["third"]),
        ("1793496600000", ["second", "third"]),
        ("1793496600001", ["third"]),
        ("0001-01-01", ["first", "second", "third"]),
        ("0099-01-01", ["first", "second", "third"]),
        ("999999d", ["first", "second", "third"]),
        ("9999-12-31", []),
        ("253402300800000", []),
        ("99999999999999999", []),
    ],
)
def test_since_means_the_same_in_every_time_zone(
    run: Run, ledger: Path, monkeypatch: pytest.MonkeyPatch, zone: str, since: str, expected: list[str]
) -> None:
    monkeypatch.setenv("TZ", zone)
    record(ledger, "first", at="2026-11-01T01:29:59.999Z")
    record(ledger, "second", at=AT)
    record(ledger, "third", at="2026-11-02T00:00:00.000Z")
    assert types(run("log", "--since", since)) == expected


def test_people_read_one_short_line_per_event(run: Run, home: Path, ledger: Path) -> None:
    assert ledger.exists()
    workflow_files.write(home / "project", "w", a_file(a_map("a"), params=items("x")))
    run_id = run("workflow", "run", "w").result["run"]["id"]
    lines = run("log", "--format", "text").out.splitlines()
    assert len(lines) == 5
    assert max(map(len, lines)) < 160
    assert all(f"runId={run_id[:8]}" in line for line in lines)
    assert [json.loads(line)["id"] for line in run("log", "--format", "jsonl").out.splitlines()] == [
        1,
        2,
        3,
        4,
        5,
    ]


@pytest.mark.parametrize("earlier", [[], ["old"]])
def test_following_prints_what_happens_and_ends_quietly_when_interrupted(
    ledger: Path, earlier: list[str]
) -> None:
    record(ledger, "other", *earlier)
    command = [sys.executable, "-m", "akm", "log", "--follow", "--format", "jsonl"]
    command += ["--since", "@offset:1"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=dict(os.environ), stdout=pipe, stderr=pipe, text=True) as follower:
        assert follower.stdout is not None
        assert follower.stderr is not None
        if earlier:
            assert json.loads(follower.stdout.readline())["eventType"] == "old"
        record(ledger, "new", "newer")
        found = [json.loads(follower.stdout.readline())["eventType"] for _line in range(2)]
        follower.send_signal(signal.SIGINT)
        assert follower.wait(30) == 130
        assert (found, follower.stdout.read(), follower.stderr.read()) == (["new", "newer"], "", "")
