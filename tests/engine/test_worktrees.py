"""Units in git worktrees of their own: made, used, removed when clean, kept and named when not."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import repositories_made as made
from outcomes import said
from places import Place
from workflow_files import a_map, a_step, items, sh

from akm.engine.files import preview
from akm.engine.isolation import worktrees
from akm.engine.runners.base import Dispatch, Outcome
from akm.services import runs

ATTEMPTS = "SELECT * FROM workflow_run_unit_attempts ORDER BY unit_id, attempt"
CRASH = Path(__file__).parents[1] / "faults/crash_driver.py"


@pytest.fixture
def repo(place: Place) -> Path:
    """Make the project a repository with a commit, an ignore list and a folder."""
    made.init(place.root)
    (place.root / "sub").mkdir()
    (place.root / "sub" / "deep.txt").write_text("deep")
    made.commit(place.root, **{"tracked.txt": "as it was", ".gitignore": "*.log\n"})
    return place.root


def apart(step_id: str, script: str, **unit: Any) -> dict[str, Any]:
    return a_step(step_id, *sh(script), isolation="worktree", **unit)


def run_folders(place: Place) -> list[Path]:
    scratch = worktrees.folder(place.db.path)
    return sorted(path for path in scratch.glob("*/*")) if scratch.exists() else []


def test_a_unit_works_in_a_worktree_that_is_removed_when_it_leaves_nothing(place: Place, repo: Path) -> None:
    (repo / "untracked.txt").write_text("not in it")
    place.write(apart("a", "pwd; ls; git rev-parse HEAD; git status --porcelain; echo x > y.log"))
    assert place.run().exit_status == 0
    where, *files, head = place.output("a").splitlines()
    assert Path(where).parent.parent == worktrees.folder(place.db.path)
    assert files == ["sub", "tracked.txt"]
    assert head == made.git(repo, "rev-parse", "HEAD").strip()
    assert not os.path.exists(where)
    assert run_folders(place) == made.registered(repo) == []
    assert not (worktrees.folder(place.db.path) / place.row("SELECT id FROM workflow_runs")["id"]).exists()
    assert place.row(ATTEMPTS)["worktree_path"] is None


@pytest.mark.usefixtures("repo")
def test_the_path_is_in_the_journal_before_anything_is_made(place: Place) -> None:
    place.write(apart("a", "true"))
    seen = []

    def act(dispatch: Dispatch) -> Outcome:
        with closing(sqlite3.connect(place.db.path)) as other:
            for table in ("workflow_run_unit_attempts", "workflow_run_units"):
                seen.extend(other.execute(f"SELECT worktree_path FROM {table}").fetchone())
        seen.append(dispatch.worktree)
        assert dispatch.base == dispatch.worktree
        return said("fine")

    assert place.fake(act).exit_status == 0
    assert len(set(seen)) == 1
    assert str(seen[0]).startswith(str(worktrees.folder(place.db.path)))


@pytest.mark.parametrize(
    "script",
    [
        "echo changed > tracked.txt",
        "echo new > new.txt",
        "git config status.showUntrackedFiles no; echo new > new.txt",
        "rm tracked.txt",
        "git -c user.name=T -c user.email=t@e commit -q --allow-empty -m work",
        "git checkout -q --orphan other && git -c user.name=T -c user.email=t@e commit -q -m work",
    ],
)
@pytest.mark.parametrize("ending", ["", "; exit 3"])
def test_a_worktree_with_work_in_it_is_kept_and_named(
    place: Place, repo: Path, script: str, ending: str
) -> None:
    place.write(apart("a", f"pwd >&2; {script}{ending}", on_error="continue"))
    result = place.run()
    (kept,) = run_folders(place)
    assert place.row(ATTEMPTS)["worktree_path"] == str(kept)
    assert place.row("SELECT worktree_path FROM workflow_run_units")["worktree_path"] == str(kept)
    assert f"{kept} (a:solo)" in result.executed[0].summary
    assert any(str(kept) in notice for notice in result.executed[0].notices)
    assert (repo / "tracked.txt").read_text() == "as it was"
    assert made.registered(repo) == [str(kept)]


@pytest.mark.parametrize(
    "script", ["echo x > y.log", "mkdir empty", "touch tracked.txt", "git switch -q -c b"]
)
@pytest.mark.usefixtures("repo")
def test_what_is_no_work_keeps_no_worktree(place: Place, script: str) -> None:
    place.write(apart("a", script))
    assert "kept" not in place.run().executed[0].summary
    assert run_folders(place) == []


def test_read_only_folders_of_ignored_files_are_removed_too(place: Place, repo: Path) -> None:
    place.write(apart("a", "mkdir -p c.log/d && touch c.log/d/f && chmod 500 c.log/d c.log"))
    assert place.run().exit_status == 0
    assert run_folders(place) == made.registered(repo) == []


@pytest.mark.usefixtures("repo")
def test_every_attempt_of_a_retried_unit_has_a_worktree_of_its_own(place: Place) -> None:
    retry = {"max": 1, "on": ["non_zero_exit"]}
    place.write(apart("a", 'echo "$PWD" > new.txt; exit 1', retry=retry))
    summary = place.run().executed[0].summary
    paths = [row["worktree_path"] for row in place.rows(ATTEMPTS)]
    assert len(set(paths)) == 2
    assert all(path in summary for path in paths)


def test_eight_units_at_once_do_not_see_each_other(place: Place, repo: Path) -> None:
    script = 'test ! -e mine.txt && echo "$AKM_ITEM" > mine.txt && sleep 0.1 && cat mine.txt && rm mine.txt'
    place.write(
        a_map("a", *sh(script), concurrency=8, isolation="worktree"),
        params=items(*range(8)),
    )
    result = place.run()
    assert result.exit_status == 0, result.executed
    assert place.output("a") == [str(number) for number in range(8)]
    assert run_folders(place) == made.registered(repo) == []


@pytest.mark.usefixtures("repo")
def test_the_summary_is_the_same_when_the_step_is_executed_again(place: Place) -> None:
    place.write(apart("a", "echo new > new.txt; echo hi") | {"output": {"type": "integer"}})
    first = place.run()
    runs.resume(place.db, first.run["id"], at="2027-01-01T00:00:00.000Z")
    second = place.run(first.run["id"])
    assert "kept with work in them" in first.executed[-1].summary
    assert second.executed[-1].summary == first.executed[-1].summary
    assert len(place.attempts()) == 1


def test_the_commit_is_that_of_the_start_whatever_is_committed_since(place: Place, repo: Path) -> None:
    place.write(apart("a", "cat tracked.txt"), apart("b", "cat tracked.txt"))
    run_id = place.run(max_steps=1).run["id"]
    made.commit(repo, **{"tracked.txt": "newer"})
    assert place.run(run_id).exit_status == 0
    assert [place.output("a"), place.output("b")] == ["as it was", "as it was"]


def test_a_base_directory_below_the_top_and_a_cwd_are_found_in_the_worktree(
    place: Place, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = repo / "inner"
    (inner / ".akm").mkdir(parents=True)
    (inner / ".akm" / "config.toml").write_text("")
    (inner / "data").mkdir()
    made.commit(inner, **{"data/here.txt": "in the tree"})
    place.root = inner
    monkeypatch.chdir(inner)
    step = apart("a", "pwd; cat here.txt")
    step["unit"]["exec"]["cwd"] = "data"
    place.write(step)
    result = place.run()
    assert result.exit_status == 0, result.executed
    where, text = place.output("a").splitlines()
    assert (where.endswith("/inner/data"), text) == (True, "in the tree")
    assert where.startswith(str(worktrees.folder(place.db.path)))


def test_a_base_directory_that_the_commit_does_not_hold_fails_the_step(
    place: Place, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = repo / "inner"
    (inner / ".akm").mkdir(parents=True)
    (inner / ".akm" / "config.toml").write_text("")
    place.root = inner
    monkeypatch.chdir(inner)
    place.write(apart("a", "true"))
    assert "does not hold" in place.run().executed[0].summary
    assert place.attempts() == []


def test_a_tracked_link_cannot_lead_a_cwd_out_of_the_worktree(place: Place, repo: Path) -> None:
    (repo / "out").mkdir()
    step = apart("a", "pwd")
    step["unit"]["exec"]["cwd"] = "out"
    (repo / "out").rmdir()
    (repo / "out").symlink_to("/")
    made.commit(repo)
    (repo / "out").unlink()
    (repo / "out").mkdir()
    place.write(step)
    place.run()
    assert place.attempts() == [("a:solo", 1, "failed", "exec_cwd_escape")]
    assert run_folders(place) == []


def a_folder(place: Place, kind: str) -> None:
    (place.root / ".git").rmdir()
    if kind == "bare":
        made.init(place.root, "--bare")
    elif kind == "unborn":
        made.init(place.root)


@pytest.mark.parametrize(
    ("kind", "words"),
    [("none", "is in no git repository"), ("bare", "is bare"), ("unborn", "has no commit yet")],
)
def test_without_a_commit_the_step_fails_before_anything_is_dispatched(
    place: Place, kind: str, words: str
) -> None:
    a_folder(place, kind)
    (place.root / ".akm").mkdir()
    (place.root / ".akm" / "config.toml").write_text("")
    place.write(apart("a", "true"))
    assert any(words in warning for warning in preview.plan(place.work, "w")["warnings"])
    result = place.run()
    assert any(words in warning for warning in result.warnings)
    assert result.run["status"] == "failed"
    assert words in result.executed[0].summary
    assert str(place.root) in result.executed[0].summary
    assert place.attempts() == run_folders(place) == []


def test_a_commit_that_came_after_the_start_is_not_used(place: Place) -> None:
    a_folder(place, "unborn")
    place.write(apart("a", "true"))
    run_id = place.run().run["id"]
    made.commit(place.root)
    runs.resume(place.db, run_id, at="2027-01-01T00:00:00.000Z")
    assert "start a new run" in place.run(run_id).executed[0].summary


@pytest.mark.usefixtures("repo")
def test_without_the_program_the_step_says_so(
    place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    place.write(apart("a", "true"))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "no program `git`" in place.run().executed[0].summary
    assert place.attempts() == []


def test_a_worktree_that_cannot_be_made_fails_its_unit_and_leaves_nothing(place: Place, repo: Path) -> None:
    place.write(apart("a", "true"))
    # As a full disk or a folder without permission would: the object of a file cannot be read.
    blob = made.git(repo, "rev-parse", "HEAD:tracked.txt").strip()
    (repo / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    result = place.run()
    assert place.attempts() == [("a:solo", 1, "failed", "spawn_failed")]
    assert "could not be made" in result.executed[0].summary
    assert run_folders(place) == made.registered(repo) == []


def test_a_git_that_is_killed_leaves_nothing_half_made(place: Place, repo: Path) -> None:
    made.commit(repo, **{".gitattributes": "*.slow filter=slow\n", "a.slow": "slow"})
    made.git(repo, "config", "filter.slow.smudge", "kill -9 0")
    place.write(apart("a", "true"))
    place.run()
    assert place.attempts() == [("a:solo", 1, "failed", "spawn_failed")]
    assert run_folders(place) == made.registered(repo) == []


@pytest.mark.usefixtures("repo")
def test_a_scratch_folder_that_cannot_be_used_fails_the_unit(place: Place) -> None:
    place.write(apart("a", "true"))
    worktrees.folder(place.db.path).write_text("in the way")
    place.run()
    assert place.attempts() == [("a:solo", 1, "failed", "spawn_failed")]


def test_hooks_do_not_run_and_the_surroundings_of_a_hook_are_not_heeded(
    place: Place, repo: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    hook = repo / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    elsewhere = made.init(tmp_path / "elsewhere")
    made.commit(elsewhere, other="x")
    monkeypatch.setenv("GIT_DIR", str(elsewhere / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    place.write(apart("a", "cat tracked.txt"))
    assert place.run().exit_status == 0
    assert place.output("a") == "as it was"
    assert not (tmp_path / "ran").exists()


def test_a_timed_out_unit_is_cleared_up_by_the_same_rule(place: Place, repo: Path) -> None:
    place.write(
        apart("a", "sleep 60", timeout="100ms", on_error="continue"),
        apart("b", "echo new > new.txt; sleep 60", timeout="300ms"),
    )
    place.run()
    assert [(one[0], one[3]) for one in place.attempts()] == [("a:solo", "timeout"), ("b:solo", "timeout")]
    assert [path.name for path in run_folders(place)] == [Path(made.registered(repo)[0]).name]


def crash(place: Place, point: str) -> str:
    """Let a driver kill itself, and return the path of its attempt's worktree."""
    command = [sys.executable, str(CRASH), str(place.db.path), str(place.root), "w", point]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == -9, ended.stderr
    return str(place.row(ATTEMPTS)["worktree_path"])


@pytest.mark.usefixtures("repo")
def test_a_reclaimed_attempt_gets_its_worktree_back_with_its_work(place: Place) -> None:
    place.write(apart("a", "pwd; cat half 2>/dev/null; echo work > half"))
    path = crash(place, "after-dispatch")
    assert Path(path, "half").exists()
    result = place.run()
    assert place.output("a").splitlines() == [path, "work"]
    assert (place.attempts(), path in result.executed[0].summary) == (
        [("a:solo", 1, "completed", None)],
        True,
    )


@pytest.mark.parametrize("how", ["gone", "forgotten", "empty", "initializing"])
def test_a_reclaimed_attempt_whose_worktree_is_not_whole_gets_it_anew(
    place: Place, repo: Path, how: str
) -> None:
    place.write(apart("a", "pwd; ls; cat tracked.txt"))
    path = crash(place, "before-dispatch")
    if how == "initializing":
        admin = Path(made.git(Path(path), "rev-parse", "--absolute-git-dir").strip())
        (admin / "locked").write_text("initializing")
        Path(path, "half").write_text("half made")
    else:
        shutil.rmtree(path)
    if how == "forgotten":
        made.git(repo, "worktree", "prune")
    if how == "empty":
        Path(path).mkdir()
    place.run()
    assert place.attempts() == [("a:solo", 1, "completed", None)]
    assert place.output("a").splitlines() == [path, "sub", "tracked.txt", "as it was"]
    assert run_folders(place) == made.registered(repo) == []


@pytest.mark.usefixtures("repo")
def test_what_is_no_worktree_in_its_place_is_left_alone(place: Place) -> None:
    place.write(apart("a", "true"))
    path = crash(place, "before-dispatch")
    Path(path, ".git").unlink()
    place.run()
    assert Path(path, "tracked.txt").exists()
    assert place.attempts() == [("a:solo", 1, "failed", "spawn_failed")]
    assert place.row(ATTEMPTS)["worktree_path"] == path


def test_a_run_that_is_stopped_while_git_works_leaves_nothing(place: Place, repo: Path) -> None:
    made.commit(repo, **{".gitattributes": "*.slow filter=slow\n", "a.slow": "slow"})
    made.git(repo, "config", "filter.slow.smudge", "sleep 60")
    place.write(a_map("a", isolation="worktree", concurrency=2), params=items(1, 2))
    place.run(timeout_ms=500)
    assert [one[3] for one in place.attempts()] == ["aborted", "aborted"]
    assert run_folders(place) == made.registered(repo) == []
