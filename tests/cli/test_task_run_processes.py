"""`akm task run` as a process of its own among others: a bare environment, and a ledger that is held."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

AKM = (sys.executable, "-P", "-m", "akm")
_PATIENCE_SECONDS = 30


@pytest.fixture
def bundle(home: Path, migrated: Path) -> Path:
    """A bundle of the user's with an empty ledger beside it."""
    (home / "data").mkdir()
    shutil.copyfile(migrated, home / "data/state.db")
    (home / "team/tasks").mkdir(parents=True)
    (home / "config").mkdir()
    (home / "config/config.toml").write_text(f'[bundles.team]\npath = "{home}/team"\n')
    return home / "team"


def a_task(bundle: Path, script: str) -> None:
    (bundle / "tasks/t.yml").write_text(json.dumps({"version": 4, "run": script}))


def a_program(folder: Path, name: str, text: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)


def bare(home: Path, *arguments: str, **more: str) -> Any:
    """Run a task with nothing in the environment but where akm's directories are."""
    kinds = ("CONFIG", "DATA", "STATE", "CACHE")
    env = {f"AKM_{kind}_DIR": str(home / kind.lower()) for kind in kinds} | more
    done = subprocess.run([*AKM, "task", "run", "t", *arguments], env=env, capture_output=True, text=True)
    return json.loads(done.stdout)


def test_a_bare_run_uses_the_path_that_the_last_sync_recorded(
    bundle: Path, home: Path, process: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    a_program(home / "bin", "only-here", "echo found")
    a_program(home / "bin", "crontab", "cat > /dev/null 2>&1; exit 0")
    a_task(bundle, "only-here")
    assert bare(home)["result"]["detail"]["exitCode"] == 127
    with monkeypatch.context() as path:
        path.setenv("PATH", f"{home / 'bin'}:{os.environ['PATH']}")
        assert process("task", "sync").status == 0
    assert bare(home)["result"]["status"] == "completed"
    assert bare(home, PATH="/usr/bin:/bin")["result"]["detail"]["exitCode"] == 127
    assert bare(home, "--scheduled", PATH="/usr/bin:/bin")["result"]["status"] == "completed"


def has_open(pid: int, file: Path) -> bool:
    """Tell whether a process has opened a file."""
    try:
        return any(os.path.realpath(link) == str(file) for link in Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return False


def test_a_ledger_that_is_held_for_a_while_is_waited_for(bundle: Path, home: Path) -> None:
    a_task(bundle, "echo ran > ran")
    ledger = home / "data/state.db"
    with closing(sqlite3.connect(ledger, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        child = subprocess.Popen([*AKM, "task", "run", "t"], stdout=subprocess.PIPE, text=True)
        deadline = monotonic() + _PATIENCE_SECONDS
        while not has_open(child.pid, ledger):
            assert child.poll() is None
            assert monotonic() < deadline
            sleep(0.01)
        assert not (bundle / "ran").exists()
        holder.execute("ROLLBACK")
    out, _ = child.communicate()
    assert (child.returncode, json.loads(out)["result"]["status"]) == (0, "completed")
    with closing(sqlite3.connect(ledger)) as reader:
        assert reader.execute("SELECT status FROM task_history").fetchall() == [("completed",)]


@pytest.mark.parametrize("arguments", [(), ("--scheduled",)])
def test_a_bare_run_without_any_record_still_runs(bundle: Path, home: Path, arguments: tuple[str]) -> None:
    a_task(bundle, "echo fine")
    assert bare(home, *arguments)["result"]["status"] == "completed"
