"""Bringing bundles from git up to date, and what never happens to changes that somebody made there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from builders import publish
from upstream import Upstream, own_git

from akm import paths
from akm.bundles import adding, clones, configured, moving, update
from akm.bundles.update import Updated
from akm.engine import lock
from akm.errors import NotFoundError, TransientError, UsageError
from akm.store.database import Database


@pytest.fixture
def folder(upstream: Upstream) -> Path:
    """The clone of the bundle `team`."""
    return adding.add(upstream.url, name="team", ref=None, cwd=Path("/")).bundle.path


@pytest.fixture
def opened(db_path: Path) -> update.Opened:
    from akm.store.opening import open_database

    return lambda: open_database(db_path, synchronous="normal")


def pinned() -> str:
    return str(tomllib.loads(paths.user_config_file().read_text())["bundles"]["team"]["commit"])


def files(folder: Path) -> dict[str, str]:
    found = sorted(path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_text() for path in found}


def test_a_bundle_moves_to_what_is_new_and_says_what_changed(
    upstream: Upstream, folder: Path, opened: update.Opened
) -> None:
    old = pinned()
    new = upstream.commit({"workflows/a.md": "A\n", "workflows/b.md": "b\n", "tasks/t.yml": None, "x": "x"})
    done = update.update("team", opened)
    assert done.shown() == {
        "name": "team",
        "status": "updated",
        "old": old,
        "new": new,
        "date": "2024-05-06T07:08:09.000Z",
        "changes": {
            "added": {"workflows": ["b"], "other": ["x"]},
            "changed": {"workflows": ["a"]},
            "removed": {"tasks": ["t"]},
        },
    }
    assert pinned() == new
    assert files(folder) == files(upstream.folder)
    assert update.update("team", opened).status == "current"


def test_a_dry_run_changes_nothing(upstream: Upstream, folder: Path, opened: update.Opened) -> None:
    before, old = files(folder), pinned()
    new = upstream.commit({"workflows/a.md": None})
    done = update.update("team", opened, dry_run=True)
    assert (done.status, done.old, done.new) == ("pending", old, new)
    assert (files(folder), pinned()) == (before, old)


def test_a_rewritten_history_is_followed(upstream: Upstream, folder: Path, opened: update.Opened) -> None:
    upstream.write({"workflows/a.md": "rewritten\n"})
    upstream.git("commit", "-q", "--amend", "-a", "-m", "y")
    assert update.update("team", opened).new == upstream.git("rev-parse", "HEAD")
    assert files(folder)["workflows/a.md"] == "rewritten\n"


def test_a_pinned_tag_stays(upstream: Upstream, opened: update.Opened) -> None:
    upstream.git("tag", "v1")
    adding.add(f"{upstream.url}#v1", name="team", ref=None, cwd=Path("/"))
    upstream.commit({"workflows/b.md": "b\n"})
    assert update.update("team", opened).status == "current"


def test_changes_made_in_the_clone_are_kept(upstream: Upstream, folder: Path, opened: update.Opened) -> None:
    (folder / "workflows/a.md").write_text("mine")
    (folder / "scripts/s.sh").unlink()
    upstream.commit({"workflows/b.md": "b\n"})
    before = files(folder)
    with pytest.raises(UsageError, match=r"were changed since .*: scripts/s\.sh, workflows/a\.md"):
        update.update("team", opened)
    assert files(folder) == before


def test_files_of_others_stay_unless_they_are_in_the_way(
    upstream: Upstream, folder: Path, opened: update.Opened
) -> None:
    (folder / "secrets").mkdir()
    (folder / "secrets/token").write_text("mine")
    upstream.commit({"workflows/b.md": "b\n"})
    assert update.update("team", opened).status == "updated"
    assert (folder / "secrets/token").read_text() == "mine"
    old = pinned()
    upstream.commit({"secrets/token": "theirs", ".gitignore": "secrets\n"})
    with pytest.raises(UsageError, match=r"that lie in .* already: secrets/token"):
        update.update("team", opened)
    assert (folder / "secrets/token").read_text() == "mine"
    assert (pinned(), (folder / ".git/akm-moving").exists()) == (old, False)


def test_a_file_in_the_way_of_a_folder_is_kept_and_the_move_undone(
    upstream: Upstream, folder: Path, opened: update.Opened
) -> None:
    (folder / "env").write_text("mine")
    upstream.commit({"env/dev": "A=1\n"})
    with pytest.raises(NotFoundError, match="git cannot use"):
        update.update("team", opened)
    assert (folder / "env").read_text() == "mine"
    assert not (folder / ".git/akm-moving").exists()


def test_a_commit_made_in_the_clone_is_kept(folder: Path, opened: update.Opened) -> None:
    clone = object.__new__(Upstream)
    clone.folder = folder
    mine = clone.commit({"workflows/mine.md": "mine\n"})
    with pytest.raises(UsageError, match=f"stands at commit {mine[:12]}"):
        update.update("team", opened)
    assert (folder / "workflows/mine.md").exists()


def test_a_run_being_driven_keeps_its_scripts(
    upstream: Upstream, folder: Path, opened: update.Opened, db: Database
) -> None:
    run_id = publish(db, workflow_ref="team//workflows/a")
    upstream.commit({"scripts/s.sh": "echo new\n"})
    held = lock.RunLock(lock.folder(db.path), run_id)
    held.acquire(at="2024-01-01T00:00:00.000Z")
    try:
        with pytest.raises(TransientError, match=run_id):
            update.update("team", opened)
    finally:
        held.release()
    assert files(folder)["scripts/s.sh"] == "echo\n"
    assert update.update("team", opened).status == "updated"


def test_a_bundle_that_is_a_folder_is_left_to_people(tmp_path: Path, opened: update.Opened) -> None:
    (tmp_path / "own").mkdir()
    adding.add(str(tmp_path / "own"), name="own", ref=None, cwd=Path("/"))
    with pytest.raises(UsageError, match="did not come from git"):
        update.update("own", opened)
    assert update.update_all(opened) == []


def test_a_projects_file_aims_git_at_no_folder(
    upstream: Upstream, tmp_path: Path, opened: update.Opened
) -> None:
    mine = Upstream(tmp_path / "mine")
    mine.commit({"x": "mine"})
    (tmp_path / "here/.akm").mkdir()
    (tmp_path / "here/.akm/config.toml").write_text(
        f'[bundles.evil]\npath = "{mine.folder}"\nsource = "{upstream.url}"\n'
    )
    with pytest.raises(UsageError, match="change it in that file by hand"):
        update.update("evil", opened)
    assert files(mine.folder) == {"x": "mine"}


def test_a_missing_clone_is_one_sentence(folder: Path, opened: update.Opened) -> None:
    folder.rename(folder.with_name("elsewhere"))
    with pytest.raises(NotFoundError, match="any more"):
        update.update("team", opened)


def test_one_that_fails_stops_no_other(
    upstream: Upstream, folder: Path, tmp_path: Path, opened: update.Opened
) -> None:
    other = Upstream(tmp_path / "other")
    other.commit({"workflows/o.md": "o\n"})
    adding.add(other.url, name="other", ref=None, cwd=Path("/"))
    (folder / "workflows/a.md").write_text("mine")
    upstream.commit({"workflows/b.md": "b\n"})
    new = other.commit({"workflows/p.md": "p\n"})
    done = {one.name: one for one in update.update_all(opened)}
    assert (done["team"].status, done["other"].status, done["other"].new) == ("failed", "updated", new)
    assert done["team"].shown()["code"] == "LOCAL_CHANGES"


# What a kill leaves, and that the next command goes on from it.


def updated_in_a_process(path: str, folder: Path, reached: Path) -> None:
    """Update in a process of its own and kill it, SIGKILL, once its git says so."""
    child = subprocess.Popen(
        [sys.executable, "-m", "akm", "bundle", "update", "team"],
        env=os.environ | {"PATH": path},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    stopped = _pid(reached, child)
    child.kill()
    child.wait()
    os.kill(stopped, signal.SIGKILL)  # The git of our own, which nobody waits for any more.
    assert folder.is_dir()


def _pid(reached: Path, child: subprocess.Popen[bytes]) -> int:
    with open(reached, encoding="ascii") as pipe:  # Blocks until the script writes.
        text = pipe.read()
    assert child.poll() is None
    return int(text)


def test_a_move_cut_off_among_its_files_is_finished(
    upstream: Upstream, folder: Path, tmp_path: Path, opened: update.Opened
) -> None:
    first = upstream.commit({"workflows/a.md": "A\n", "workflows/b.md": "b\n", "tasks/t.yml": None})
    reached = tmp_path / "reached"
    os.mkfifo(reached)
    script = (
        f'case " $* " in *" checkout "*) cd {folder}; printf A > workflows/a.md; printf x > workflows/b.md; '
        f'rm tasks/t.yml; touch .git/index.lock; echo $$ > {reached}; exec sleep 600;; esac\nexec $real "$@"'
    )
    updated_in_a_process(own_git(tmp_path / "bin", script), folder, reached)
    assert pinned() != first
    second = upstream.commit({"workflows/c.md": "c\n", "workflows/b.md": None})
    assert update.update("team", opened).new == second
    assert files(folder) == files(upstream.folder)
    assert pinned() == second
    assert not (folder / ".git/akm-moving").exists()


def test_a_fetch_cut_off_leaves_no_lock_that_stops_the_next(
    upstream: Upstream, folder: Path, opened: update.Opened
) -> None:
    (folder / ".git/shallow.lock").touch()
    new = upstream.commit({"workflows/b.md": "b\n"})
    assert update.update("team", opened).new == new


@pytest.mark.parametrize("is_recorded", [True, False])
def test_a_move_cut_off_around_its_record_is_finished_and_newer_changes_are_kept(
    upstream: Upstream,
    folder: Path,
    opened: update.Opened,
    monkeypatch: pytest.MonkeyPatch,
    is_recorded: bool,
) -> None:
    new = upstream.commit({"workflows/b.md": "b\n"})
    record = configured.pin

    def dies(name: str, commit: str) -> None:
        if is_recorded:
            record(name, commit)
        raise SystemExit(9)

    monkeypatch.setattr(configured, "pin", dies)
    with pytest.raises(SystemExit):
        update.update("team", opened)
    monkeypatch.setattr(configured, "pin", record)
    (folder / "workflows/a.md").write_text("mine")
    with pytest.raises(UsageError, match="were changed"):
        update.update("team", opened)
    assert (folder / "workflows/a.md").read_text() == "mine"
    (folder / "workflows/a.md").write_text("a\n")
    assert (update.update("team", opened).status, pinned()) == ("current", new)


def test_names_in_messages_are_cut() -> None:
    assert moving._listed([str(number) for number in range(8)]) == "0, 1, 2, 3, 4 and 3 more"


def test_what_failed_is_shown_with_its_code() -> None:
    failed = Updated("x", "failed", error=NotFoundError("Gone.", code="SOURCE_NOT_FOUND"))
    assert failed.shown() == {"name": "x", "status": "failed", "error": "Gone.", "code": "SOURCE_NOT_FOUND"}
    assert clones.home().name == "bundles"
