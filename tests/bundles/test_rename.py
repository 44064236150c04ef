"""A bundle is renamed in the ledger and in the user's file, or nowhere, or the same call finishes it."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from builders import AT, publish, rows

from akm import paths
from akm.bundles import rename as renaming
from akm.config_edit import file
from akm.engine import lock
from akm.engine.lock import RunLock
from akm.errors import AkmError, ConfigError, NotFoundError, TransientError, UsageError
from akm.services import bundle_rename
from akm.store.database import Database

CONFIG = """# Mine.
[bundles.first]
path = "{root}/first"

# The team's.
[bundles.team]  # team
path = "{root}/team"

[bundles.last]
path = "{root}/last"

[scheduler]
enabled = [
    "last//tasks/x",
    "team//tasks/nightly",  # at night
]
"""


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's file with three bundles, of which one is named team; its folder has a task."""
    (tmp_path / "team/tasks").mkdir(parents=True)
    (tmp_path / "team/tasks/nightly.yml").write_text("uses: team//workflows/x\n")
    (tmp_path / "project/.git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "project")
    made = paths.user_config_file()
    made.parent.mkdir(parents=True)
    made.write_text(CONFIG.format(root=tmp_path))
    return made


def rename(db: Database, old: str = "team", new: str = "crew") -> dict[str, Any]:
    return renaming.rename(old, new, db=db, at=AT)


def told(db: Database) -> list[Any]:
    found = rows(db, "SELECT metadata_json FROM events WHERE event_type = 'bundle_renamed'")
    return [json.loads(one["metadata_json"]) for one in found]


def refs(db: Database) -> list[str]:
    return [one["workflow_ref"] for one in rows(db, "SELECT workflow_ref FROM workflow_runs ORDER BY rowid")]


def test_the_file_says_the_new_name_where_it_said_the_old(user: Path, db: Database, tmp_path: Path) -> None:
    publish(db)
    before = user.read_text()
    expected = {
        "oldId": "team",
        "newId": "crew",
        "dryRun": True,
        "config": {"file": str(user), "bundle": True},
        "state": {"taskHistory": 0, "workflowRuns": 1, "events": 1},
        "schedulerRefs": ["team//tasks/nightly"],
        "contentRefs": [f"{tmp_path}/team/tasks/nightly.yml"],
        "applied": False,
    }
    assert renaming.preview("team", "crew", db=db) == expected
    assert user.read_text() == before
    assert refs(db) == ["team//workflows/release"]
    assert rename(db) == expected | {"dryRun": False, "applied": True}
    assert user.read_text() == before.replace("[bundles.team]", "[bundles.crew]").replace(
        '"team//tasks', '"crew//tasks'
    )
    assert refs(db) == ["crew//workflows/release"]
    assert (tmp_path / "team/tasks/nightly.yml").read_text() == "uses: team//workflows/x\n"


def test_a_second_call_says_that_there_is_nothing_to_do(user: Path, db: Database) -> None:
    publish(db)
    rename(db)
    before = user.read_text()
    again = rename(db)
    assert (again["applied"], again["config"]["bundle"]) == (False, False)
    assert set(again["state"].values()) == {0}
    assert user.read_text() == before
    assert len(told(db)) == 1
    assert renaming.preview("team", "crew", db=db)["applied"] is False


def test_without_a_ledger_a_preview_counts_nothing(user: Path) -> None:
    assert user.exists()
    assert set(renaming.preview("team", "crew", db=None)["state"].values()) == {0}


def test_what_was_written_in_between_moves_when_the_rename_is_finished(
    user: Path, db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(db)
    full = ConfigError("The disk is full.")

    def fail(*_arguments: Any, **_named: Any) -> None:
        raise full

    with monkeypatch.context() as patch:
        patch.setattr(file, "edit", fail)
        with pytest.raises(ConfigError):
            rename(db)
    assert "[bundles.team]" in user.read_text()
    publish(db)
    assert refs(db) == ["crew//workflows/release", "team//workflows/release"]
    done = rename(db)
    assert (done["applied"], done["state"]["workflowRuns"]) == (True, 1)
    assert refs(db) == ["crew//workflows/release"] * 2
    assert [one["workflowRuns"] for one in told(db)] == [1]
    assert "[bundles.crew]" in user.read_text()


def test_rows_that_were_written_late_move_although_the_file_is_done(user: Path, db: Database) -> None:
    rename(db)
    publish(db)
    assert "[bundles.crew]" in user.read_text()
    done = rename(db)
    assert (done["applied"], done["config"]["bundle"], done["state"]["workflowRuns"]) == (True, False, 1)
    assert refs(db) == ["crew//workflows/release"]


@pytest.mark.parametrize(
    ("old", "new", "error", "code"),
    [
        ("teem", "crew", NotFoundError, "SOURCE_NOT_FOUND"),
        ("project", "last", NotFoundError, "SOURCE_NOT_FOUND"),
        ("a/b", "last", NotFoundError, "SOURCE_NOT_FOUND"),
        ("", "last", NotFoundError, "SOURCE_NOT_FOUND"),
        ("teem", "teem", NotFoundError, "SOURCE_NOT_FOUND"),
        ("team", "team", UsageError, "INVALID_FLAG_VALUE"),
        ("team", "last", UsageError, "INVALID_FLAG_VALUE"),
        ("team", "a b", UsageError, "INVALID_FLAG_VALUE"),
        ("team", "project", UsageError, "INVALID_FLAG_VALUE"),
        ("team", "", UsageError, "INVALID_FLAG_VALUE"),
    ],
)
def test_names_that_cannot_be_are_refused_before_anything_is_written(
    user: Path, db: Database, old: str, new: str, error: type[AkmError], code: str
) -> None:
    publish(db)
    before = user.read_text()
    for act in (lambda: rename(db, old, new), lambda: renaming.preview(old, new, db=db)):
        with pytest.raises(error) as refused:
            act()
        assert refused.value.code == code
    assert user.read_text() == before
    assert refs(db) == ["team//workflows/release"]
    assert told(db) == []


def test_the_closest_name_is_suggested(user: Path, db: Database) -> None:
    assert user.exists()
    with pytest.raises(NotFoundError) as refused:
        rename(db, "teem", "crew")
    assert refused.value.hint == "Did you mean team?"


@pytest.mark.parametrize("text", ['[bundles.team]\npath = "../team"\n', "[bundles.team]\nextra = 1\n"])
def test_a_bundle_of_the_projects_file_is_left_to_people(
    user: Path, db: Database, tmp_path: Path, text: str
) -> None:
    project = tmp_path / "project/.akm/config.toml"
    project.parent.mkdir()
    project.write_text(text)
    before = user.read_text()
    with pytest.raises(UsageError) as refused:
        rename(db)
    assert str(project) in refused.value.message
    assert user.read_text() == before


@pytest.mark.parametrize(
    "text",
    [
        'bundles = { team = { path = "/team" } }\n',
        'mine = ["team//tasks/x"]\nscheduler.enabled = ["team//tasks/x"]\nbundles.team.path = "/team"\n',
    ],
)
def test_a_file_that_cannot_be_changed_safely_is_refused_before_any_row_moves(
    user: Path, db: Database, text: str
) -> None:
    publish(db)
    user.write_text(text)
    for act in (lambda: rename(db), lambda: renaming.preview("team", "crew", db=db)):
        with pytest.raises(ConfigError, match="nothing was changed"):
            act()
    assert refs(db) == ["team//workflows/release"]
    assert user.read_text() == text


def test_a_run_that_is_being_driven_refuses_the_rename(user: Path, db: Database) -> None:
    run_id, idle = publish(db), publish(db)
    held = RunLock(lock.folder(db.path), run_id)
    held.acquire(at=AT)
    before = user.read_text()
    for act in (lambda: rename(db), lambda: renaming.preview("team", "crew", db=db)):
        with pytest.raises(TransientError) as refused:
            act()
        assert (refused.value.code, refused.value.exit_status) == ("RUN_LEASE_HELD", 75)
        assert run_id in refused.value.message
        assert idle not in refused.value.message
    assert user.read_text() == before
    held.release()
    assert rename(db)["applied"] is True


def test_a_driven_run_of_another_bundle_is_in_nobodys_way(user: Path, db: Database) -> None:
    assert user.exists()
    held = RunLock(lock.folder(db.path), publish(db, workflow_ref="team2//workflows/x"))
    held.acquire(at=AT)
    assert rename(db)["applied"] is True
    held.release()


def test_what_changed_before_the_lock_was_had_is_looked_at_again(
    user: Path, db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = file.held

    def late() -> Any:
        user.write_text(user.read_text().replace("bundles.last", "bundles.crew"))
        return original()

    monkeypatch.setattr(file, "held", late)
    with pytest.raises(UsageError, match="configured already"):
        rename(db)
    assert told(db) == []


def test_the_lock_of_the_file_is_held_while_the_ledger_changes(
    user: Path, db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    from filelock import FileLock, Timeout

    seen: list[bool] = []

    def look(*arguments: Any, **named: Any) -> Any:
        other = FileLock(f"{user}.lock", timeout=0)
        with pytest.raises(Timeout):
            other.acquire()
        seen.append(True)
        return move(*arguments, **named)

    move = bundle_rename.rename
    monkeypatch.setattr(bundle_rename, "rename", look)
    rename(db)
    assert seen == [True]


@pytest.mark.parametrize("name", ["te_m", "te%m", "t\\m", "té𝄞m", 'q"t'])
def test_any_name_can_be_given_and_taken_back(user: Path, db: Database, name: str) -> None:
    publish(db)
    before = user.read_text()
    rename(db, "team", name)
    assert list(tomllib.loads(user.read_text())["bundles"]) == ["first", name, "last"]
    assert refs(db) == [f"{name}//workflows/release"]
    rename(db, name, "team")
    assert user.read_text() == before
    assert refs(db) == ["team//workflows/release"]
