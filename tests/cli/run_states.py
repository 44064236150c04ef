"""Runs brought into every state that docs/states.md has a row for, by the commands that a person would type.

What a run needs to go on is missing until `put_right` is called: the command's file, the judge's verdict.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from run_subject import Run, Subject
from workflow_files import a_step, sh

_CONFIG = """\
[engines.judge]
kind = "agent"
command = ["{judge}"]

[workflow]
judge_engine = "judge"
"""
_REJECTION = '{"complete": false, "missing": [], "feedback": "Write more."}'


def prepare(home: Path, run: Run, migrated: Path) -> Subject:
    """Make an empty ledger and a judge that says what the file `verdict` holds, if there is one."""
    for left in ("data", "kept", "project/workflows", "project/.akm"):
        shutil.rmtree(home / left, ignore_errors=True)
    for left in ("ok", "verdict", "begun"):
        (home / left).unlink(missing_ok=True)
    (home / "data").mkdir()
    shutil.copyfile(migrated, home / "data/state.db")
    judge = home / "judge"
    judge.write_text(f'#!/bin/sh\ncat > /dev/null\nexec cat "{home}/verdict"\n')
    judge.chmod(0o700)
    (home / "project/.akm").mkdir()
    (home / "project/.akm/config.toml").write_text(_CONFIG.format(judge=judge))
    return Subject(home, run)


def _paused(subject: Subject) -> None:
    subject.write(a_step("a"), a_step("b"))
    subject.start("--max-steps", "1")
    subject.step_id = "b"


def _driven(subject: Subject) -> None:
    home = subject.home
    subject.write(a_step("a", *sh(f"touch {home}/begun; until test -e {home}/ok; do sleep 0.05; done")))
    subject.drive()


def _interrupted(subject: Subject) -> None:
    subject.write(a_step("a", *sh(f"test -e {subject.home}/ok || kill -9 $PPID")))
    driver = [sys.executable, "-m", "akm", "workflow", "run", "w", "-q"]
    subprocess.run(driver, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    subject.remember()


def _failed(subject: Subject) -> None:
    subject.write(a_step("a", "test", "-e", f"{subject.home}/ok"), a_step("b"))
    subject.start()


def _skipped_attempt(subject: Subject) -> None:
    _failed(subject)
    for table in ("workflow_run_unit_attempts", "workflow_run_units"):
        subject.rows(f"UPDATE {table} SET status = 'skipped'")


def _unjudged(subject: Subject) -> None:
    subject.write(a_step("a"), body={"a": "Do it.\n\n### gate\n\nIt is done."})
    subject.start()


def _rejected(subject: Subject) -> None:
    subject.judge(_REJECTION)
    _unjudged(subject)


def _waiting(subject: Subject) -> None:
    subject.write(a_step("a") | {"gate": {"approve": True}}, a_step("b"))
    subject.start()


def _child_blocked(subject: Subject) -> None:
    subject.write(a_step("deep"), name="c", body={"deep": "Do it.\n\n### gate\n\nIt is done."})
    subject.write({"id": "a", "unit": {"workflow": "workflows/c"}})
    subject.start()


def _child_failed(subject: Subject) -> None:
    subject.write(a_step("deep", "test", "-e", f"{subject.home}/ok"), name="c")
    subject.write({"id": "a", "unit": {"workflow": "workflows/c"}})
    subject.start()


def _abandoned(subject: Subject) -> None:
    _interrupted(subject)
    subject.run("workflow", "abandon", subject.run_id)


def _completed(subject: Subject) -> None:
    subject.write(a_step("a"))
    subject.start()


def _branched(subject: Subject) -> None:
    branches = [{"match": "x", "step": "x"}, {"match": "a", "step": "a"}]
    route = {"id": "pick", "route": {"input": "params.way", "when": branches}}
    subject.write(route, a_step("x"), a_step("a"), params={"way": {"type": "string", "default": "x"}})
    subject.start()


#: The rows of docs/states.md by the name they have there.
BUILDERS: dict[str, Callable[[Subject], None]] = {
    "paused": _paused,
    "driven": _driven,
    "interrupted": _interrupted,
    "failed": _failed,
    "passed over": _skipped_attempt,
    "unjudged": _unjudged,
    "rejected": _rejected,
    "waiting": _waiting,
    "child blocked": _child_blocked,
    "child failed": _child_failed,
    "abandoned": _abandoned,
    "completed": _completed,
    "branched": _branched,
}


def build(state: str, home: Path, run: Run, migrated: Path) -> Subject:
    """Bring a run of a fresh ledger into a state."""
    subject = prepare(home, run, migrated)
    BUILDERS[state](subject)
    return subject
