"""`akm workflow worktrees`: each is listed with its owner, and removed where nothing is lost."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import repositories_made as made
from workflow_files import a_file, a_map, a_step, items, sh, write

Run = Callable[..., Any]


@pytest.fixture
def project(home: Path) -> Path:
    """The project that a command line stands in, as a repository with a commit."""
    folder = made.init(home / "project")
    made.commit(folder, tracked="as it was")
    return folder


def apart(step_id: str, script: str) -> dict[str, Any]:
    return a_step(step_id, *sh(script), isolation="worktree")


def listed(run: Run) -> list[dict[str, Any]]:
    done = run("workflow", "worktrees")
    assert done.status == 0
    found: list[dict[str, Any]] = done.result["worktrees"]
    return found


def start(project: Path, *steps: dict[str, Any], **top: Any) -> subprocess.Popen[bytes]:
    """Start a run as a process of its own and wait until its units have left a sign of life."""
    write(project, "w", a_file(*steps, **top))
    command = [sys.executable, "-m", "akm", "workflow", "run", "w"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def await_files(*paths: Path) -> None:
    deadline = time.monotonic() + 60
    while not all(path.exists() for path in paths):
        assert time.monotonic() < deadline, "the units never started"
        time.sleep(0.01)


def kill(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait()


def end_units(signs: Path) -> None:
    """End the units that outlived their driver; each has left its process id."""
    for sign in signs.iterdir():
        os.killpg(int(sign.read_text()), signal.SIGKILL)


@pytest.fixture
def left_over(project: Path, home: Path) -> Path:
    """A run that was killed with three units under way, one of which has left work in its worktree."""
    signs = home / "signs"
    signs.mkdir()
    script = (
        f'[ "$AKM_ITEM" != 1 ] || echo new > new; echo $$ > {signs}/.$AKM_ITEM; '
        f"mv {signs}/.$AKM_ITEM {signs}/$AKM_ITEM; [ -e {home}/go ] || exec sleep 60"
    )
    step = a_map("a", *sh(script), isolation="worktree", concurrency=3)
    process = start(project, step, params=items(0, 1, 2))
    await_files(*(signs / str(number) for number in range(3)))
    kill(process)
    end_units(signs)
    return project


def test_nothing_is_listed_and_nothing_pruned_where_there_is_nothing(run: Run) -> None:
    assert listed(run) == []
    done = run("workflow", "worktrees", "--prune")
    assert (done.status, done.result) == (0, {"ok": True, "removed": [], "left": [], "forgotten": 0})
    assert "no worktrees" in run("--format", "text", "workflow", "worktrees").out


def test_force_without_prune_is_a_usage_error(run: Run) -> None:
    assert run("workflow", "worktrees", "--force").status == 2


def test_what_an_ended_attempt_left_is_kept_until_it_is_forced(run: Run, project: Path) -> None:
    write(project, "w", a_file(apart("a", "echo 12345 > new")))
    run_id = run("workflow", "run", "w").result["run"]["id"]
    (one,) = listed(run)
    assert (one["runId"], one["unitId"], one["attempt"]) == (run_id, "a:solo", 1)
    assert (one["state"], one["dirty"], one["sizeBytes"] >= 15) == ("kept", True, True)
    text = run("--format", "text", "workflow", "worktrees").out
    assert all(word in text for word in (run_id[:8], "a:solo", "kept", "dirty", one["path"]))
    done = run("workflow", "worktrees", "--prune")
    assert (done.status, done.result["removed"], len(done.result["left"])) == (0, [], 1)
    done = run("workflow", "worktrees", "--prune", "--force")
    assert [gone["path"] for gone in done.result["removed"]] == [one["path"]]
    assert listed(run) == made.registered(project) == []
    assert not Path(one["path"]).parent.exists()


def test_commits_of_a_unit_are_work(run: Run, project: Path) -> None:
    write(project, "w", a_file(apart("a", "git -c user.name=T -c user.email=t commit -q --allow-empty -m w")))
    run("workflow", "run", "w")
    assert [one["dirty"] for one in listed(run)] == [True]
    assert len(run("workflow", "worktrees", "--prune").result["left"]) == 1


def test_a_kept_worktree_whose_work_was_taken_out_is_pruned(run: Run, project: Path) -> None:
    write(project, "w", a_file(apart("a", "echo new > new")))
    run("workflow", "run", "w")
    Path(listed(run)[0]["path"], "new").unlink()
    assert [one["dirty"] for one in listed(run)] == [False]
    assert len(run("workflow", "worktrees", "--prune").result["removed"]) == 1


@pytest.mark.usefixtures("left_over")
def test_what_a_killed_run_left_over_is_listed_and_the_clean_part_of_it_pruned(run: Run) -> None:
    found = listed(run)
    assert [(one["state"], one["attempt"]) for one in found] == [("left over", 1)] * 3
    assert sorted(one["dirty"] for one in found) == [False, False, True]
    done = run("workflow", "worktrees", "--prune")
    assert [one["dirty"] for one in done.result["removed"]] == [False, False]
    assert [one["dirty"] for one in listed(run)] == [True]


@pytest.mark.parametrize("pruned", [False, True])
def test_a_killed_run_goes_on_in_the_worktrees_it_had(
    run: Run, left_over: Path, home: Path, pruned: bool
) -> None:
    before = {one["path"] for one in listed(run)}
    if pruned:
        run("workflow", "worktrees", "--prune")
    (home / "go").touch()
    result = run("workflow", "run", "w").result
    assert (result["resumed"], result["run"]["status"]) == (True, "completed")
    (kept,) = listed(run)
    assert kept["path"] in before
    assert (kept["state"], kept["attempt"], kept["dirty"]) == ("kept", 1, True)
    assert made.registered(left_over) == [kept["path"]]


def test_nothing_of_a_driven_run_is_pruned_even_by_force(run: Run, project: Path, home: Path) -> None:
    process = start(project, apart("a", f"touch {home}/sign; sleep 60"))
    try:
        await_files(home / "sign")
        assert [(one["state"], one["dirty"]) for one in listed(run)] == [("running", False)]
        done = run("workflow", "worktrees", "--prune", "--force")
        assert (done.status, done.result["removed"], len(done.result["left"])) == (0, [], 1)
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 128 + signal.SIGTERM
    # Stopped, not killed: the driver has cleared up after its unit.
    assert listed(run) == made.registered(project) == []


def test_git_forgets_ours_that_are_gone_and_nobody_elses(run: Run, left_over: Path, home: Path) -> None:
    made.git(left_over, "worktree", "add", "--detach", str(home / "theirs"))
    shutil.rmtree(home / "theirs")
    shutil.rmtree(Path(listed(run)[0]["path"]).parent)
    assert run("workflow", "worktrees", "--prune").result["forgotten"] == 3
    assert made.registered(left_over) == [str(home / "theirs")]


def test_what_no_run_owns_is_removed_by_force_alone(run: Run, project: Path, home: Path) -> None:
    write(project, "w", a_file(apart("a", "true")))
    run("workflow", "run", "w")
    stray = home / "data" / "worktrees" / "nobody" / "stray"
    made.git(project, "worktree", "add", "--detach", str(stray))
    (home / "data" / "worktrees" / "nobody" / "folder").mkdir()
    assert [(one["unitId"], one["state"], one["dirty"]) for one in listed(run)] == [
        (None, "left over", None)
    ] * 2
    assert len(run("workflow", "worktrees", "--prune").result["left"]) == 2
    assert len(run("workflow", "worktrees", "--prune", "--force").result["removed"]) == 2
    assert made.registered(project) == listed(run) == []
    assert not list((home / "data" / "workflow-run-locks").glob("nobody*"))


def test_a_git_that_outlives_its_killed_driver_is_waited_for(run: Run, project: Path, home: Path) -> None:
    # Checking a file out goes through a filter that waits, so that git is killed around, not killed.
    made.commit(project, **{".gitattributes": "*.slow filter=slow\n", "a.slow": "slow"})
    wait = f"touch {home}/sign; until [ -e {home}/go ]; do sleep 0.05; done; cat"
    made.git(project, "config", "filter.slow.smudge", wait)
    process = start(project, apart("a", "cat a.slow"))
    await_files(home / "sign")
    kill(process)
    (lock_file,) = (home / "data" / "worktrees").glob("*.lock")
    with lock_file.open() as file, pytest.raises(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    (home / "go").touch()
    result = run("workflow", "run", "w").result
    assert (result["resumed"], result["run"]["status"], result["output"]) == (True, "completed", "slow")
    assert listed(run) == made.registered(project) == []
