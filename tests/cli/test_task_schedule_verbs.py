"""`akm task add`, `enable`, `disable`, `sync`, `next` and `prune`, over a crontab that is a file."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from fake_crontab import TASK
from filelock import FileLock

MINE = "# mine\n0 5 * * * backup\n"


def enabled(home: Path) -> list[str]:
    return tomllib.loads((home / "config/config.toml").read_text())["scheduler"]["enabled"]


def ids(native_ids: list[str]) -> list[str]:
    return [native_id.rpartition("@")[0] for native_id in native_ids]


def test_enabling_schedules_and_disabling_takes_it_back(run: Any, home: Path, crontab: Path) -> None:
    crontab.write_text(MINE)
    done = run("task", "enable", "nightly")
    assert done.status == 0, done.err
    assert (done.result["ref"], done.result["changed"]) == ("team//tasks/nightly", True)
    assert ids(done.result["sync"]["installed"]) == ["team//tasks/nightly"]
    assert enabled(home) == ["team//tasks/nightly"]
    assert "# ours" in (home / "config/config.toml").read_text()
    text = crontab.read_text()
    assert text.startswith(f"{MINE}# akm:env BEGIN\nPATH=")
    (row,) = [line for line in text.splitlines() if line.startswith("0 3 ")]
    assert "akm task run nightly --bundle team --scheduled > " in row
    assert f"AKM_DATA_DIR={home}/data " in row
    assert (home / "state/tasks/scheduled/team").is_dir()
    assert run("task", "enable", "team//tasks/nightly").result["changed"] is False
    assert crontab.read_text() == text
    assert run("task", "disable", "nightly").result["changed"] is True
    assert crontab.read_text() == MINE
    assert enabled(home) == []


def test_a_task_without_a_schedule_cannot_be_enabled(run: Any, home: Path, crontab: Path) -> None:
    (home / "team/tasks/manual.yml").write_text('version: 4\nrun: "true"\n')
    done = run("task", "enable", "manual")
    assert (done.status, crontab.exists()) == (2, False)
    assert "has no schedule" in done.error["error"]


@pytest.mark.parametrize(("ref", "status"), [("nihgtly", 1), ("other//tasks/nightly", 2), ("a b", 2)])
def test_what_is_no_task_cannot_be_enabled(run: Any, crontab: Path, ref: str, status: int) -> None:
    assert run("task", "enable", ref).status == status
    assert not crontab.exists()


def test_a_dry_run_says_what_would_change_and_changes_nothing(run: Any, home: Path, crontab: Path) -> None:
    run("task", "enable", "nightly")
    before = crontab.read_text()
    (home / "team/tasks/nightly.yml").unlink()
    done = run("task", "sync", "--dry-run")
    assert (done.status, ids(done.result["removed"])) == (1, ["team//tasks/nightly"])
    assert crontab.read_text() == before
    assert run("task", "sync").status == 0
    assert not crontab.read_text()


def test_a_file_that_is_not_sound_keeps_its_row_and_fails_alone(run: Any, home: Path, crontab: Path) -> None:
    (home / "team/tasks/other.yml").write_text(TASK)
    run("task", "enable", "nightly")
    run("task", "enable", "other")
    (home / "team/tasks/nightly.yml").write_text("version: 4\nrun: [\n")
    (home / "team/tasks/other.yml").write_text(TASK.replace("0 3", "1 3"))
    done = run("task", "sync")
    assert done.status == 1
    assert [failure["ref"] for failure in done.result["failures"]] == ["team//tasks/nightly"]
    assert ids(done.result["updated"]) == ["team//tasks/other"]
    assert "\n0 3 " in crontab.read_text()
    assert "\n1 3 " in crontab.read_text()


def test_a_row_that_cron_refuses_stops_no_other(run: Any, home: Path, crontab: Path) -> None:
    bad = 'version: 4\nrun: "true"\ninputs: { w: { type: string } }\n'
    bad += 'schedule: [{ cron: "@daily", inputs: { w: REFUSED } }]\n'
    (home / "team/tasks/bad.yml").write_text(bad)
    config = home / "config/config.toml"
    refs = '["team//tasks/bad", "team//tasks/nightly"]'
    config.write_text(f"{config.read_text()}[scheduler]\nenabled = {refs}\n")
    done = run("task", "sync")
    assert (done.status, ids(done.result["installed"])) == (1, ["team//tasks/nightly"])
    assert [failure["ref"] for failure in done.result["failures"]] == ["team//tasks/bad"]
    assert "REFUSED" not in crontab.read_text()


def test_a_machine_that_never_chose_keeps_what_is_scheduled(run: Any, home: Path, crontab: Path) -> None:
    run("task", "enable", "nightly")
    before, config = crontab.read_text(), home / "config/config.toml"
    config.write_text(config.read_text().partition("[scheduler]")[0])
    done = run("task", "sync")
    assert (done.status, ids(done.result["unchanged"])) == (0, ["team//tasks/nightly"])
    assert "was not set" in done.err
    assert enabled(home) == ["team//tasks/nightly"]
    assert crontab.read_text() == before
    config.write_text(config.read_text().replace('"team//tasks/nightly"', ""))
    assert ids(run("task", "sync").result["removed"]) == ["team//tasks/nightly"]


def test_a_broken_block_is_left_to_a_person(run: Any, crontab: Path) -> None:
    crontab.write_text("# akm:task x BEGIN\n")
    done = run("task", "enable", "nightly")
    assert (done.status, done.error["code"]) == (78, "CRONTAB_MALFORMED")
    assert crontab.read_text() == "# akm:task x BEGIN\n"


def test_two_changes_of_the_schedule_do_not_overlap(run: Any, home: Path, crontab: Path) -> None:
    (home / "state/locks").mkdir(parents=True)
    with FileLock(home / "state/locks/scheduler.lock"):
        done = run("task", "sync")
    assert (done.status, done.error["code"]) == (75, "SCHEDULER_LOCK_HELD")
    assert not crontab.exists()


def test_without_a_crontab_command_it_is_said(
    run: Any, home: Path, crontab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(home))
    done = run("task", "sync")
    assert (done.status, done.error["code"]) == (78, "SCHEDULER_UNAVAILABLE")
    assert not crontab.exists()


def test_the_next_fires_are_told_soonest_first(run: Any, crontab: Path) -> None:
    assert run("task", "next").result == {"fires": []}
    run("task", "enable", "nightly")
    assert crontab.exists()
    run("task", "add", "often", "--schedule", "*/5 * * * *", "--command", "true")
    fires = run("task", "next", "--count", "300").result["fires"]
    assert len(fires) == 300
    assert {fire["ref"] for fire in fires} == {"team//tasks/nightly", "team//tasks/often"}
    assert [fire["utc"] for fire in fires] == sorted(fire["utc"] for fire in fires)
    one = run("task", "next", "nightly", "--format", "text")
    assert one.out.count("team//tasks/nightly") == 5


@pytest.mark.usefixtures("crontab")
def test_the_schedule_of_a_project_task_may_be_looked_at(run: Any, home: Path) -> None:
    tasks = home / "project/tasks"
    tasks.mkdir(parents=True)
    (tasks / "mine.yml").write_text(TASK)
    fires = run("task", "next", "mine", "--count", "2").result["fires"]
    assert [(fire["ref"], fire["enabled"]) for fire in fires] == [("project//tasks/mine", False)] * 2


def test_only_dead_rows_are_pruned(run: Any, home: Path, crontab: Path) -> None:
    run("task", "enable", "nightly")
    (native_id,) = run("task", "sync").result["unchanged"]
    assert run("task", "prune").result["candidates"] == []
    assert run("task", "prune", "--yes", "--id", native_id).status == 2
    theirs = (
        "# akm:task x//tasks/y@ffffffff BEGIN\n@daily {} task run y\n# akm:task x//tasks/y@ffffffff END\n"
    )
    gone, there = theirs.format("/gone/akm"), theirs.format("/bin/sh").replace("ffffffff", "eeeeeeee")
    crontab.write_text(crontab.read_text() + gone + there)
    (home / "team").rename(home / "moved")
    preview = run("task", "prune")
    assert (preview.status, preview.result["removed"]) == (1, [])
    assert preview.result["candidates"] == [
        {"id": native_id, "reason": "dead-bundle-path"},
        {"id": "x//tasks/y@ffffffff", "reason": "invalid-context"},
    ]
    assert run("task", "prune", "--yes").status == 0
    text = crontab.read_text()
    assert there in text
    assert "ffffffff" not in text
    assert native_id not in text
