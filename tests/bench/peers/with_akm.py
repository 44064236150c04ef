"""akm by its services and by `akm.run`: `python -m tests.bench.peers.with_akm FOLDER SYNCHRONOUS`."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

import akm
from akm.api import Database, Dispatch
from akm.services import attempts, steps
from tests.bench.peers import turns
from tests.builders import AT, a_wanted, finished, publish

_FILE = """---
type: workflow
budget: {{ max_units: 100000 }}
{head}
---
## step

Do nothing.
"""
_UNIT = "unit: { exec: { command: [unused] } }"
_MANY = f"""params: {{ items: {{ type: array }} }}
steps:
  - id: step
    map: {{ over: params.items, concurrency: 1, {_UNIT} }}"""
_ONE = f"steps: [{{ id: step, {_UNIT} }}]"


def _step(_dispatch: Dispatch) -> None:
    """Do nothing, durably."""


def _steps(db: Database, number: int) -> None:
    """Run one workflow of so many units, each reserved and finished by itself."""
    run_id = publish(db)
    for unit in range(number):
        reserved = attempts.reserve(db, run_id, a_wanted(f"step-1:{unit}"), at=AT)
        attempts.finish(db, run_id, finished(reserved, result_json="null"), at=AT)
    steps.complete(db, run_id, "step-1", status="completed", at=AT, summary="Done.")


def _workflows(db: Database, number: int) -> None:
    for _number in range(number):
        _steps(db, 1)


def _run_steps(db: Database, folder: Path, number: int) -> None:
    _run(db, folder / "many.md", {"items": list(range(number))})


def _run_workflows(db: Database, folder: Path, number: int) -> None:
    for _number in range(number):
        _run(db, folder / "one.md", {})


def _run(db: Database, file: Path, params: dict[str, object]) -> None:
    done = akm.run(db, file, params=params, new=True, dispatchers={"exec": _step}, cwd=file.parent)
    assert done.exit_status == 0, done


def main() -> None:
    """Serve until there is nothing more to do."""
    turns.stay_here()
    folder, synchronous = Path(sys.argv[1]), sys.argv[2]
    (folder / "many.md").write_text(_FILE.format(head=_MANY))
    (folder / "one.md").write_text(_FILE.format(head=_ONE))
    for kind in ("CONFIG", "DATA", "STATE", "CACHE"):
        os.environ[f"AKM_{kind}_DIR"] = str(folder / kind.lower())
    with akm.open(folder / f"akm-{synchronous}.db", synchronous=synchronous) as db:
        turns.serve(
            {
                "steps": partial(_steps, db),
                "workflows": partial(_workflows, db),
                "run-steps": partial(_run_steps, db, folder),
                "run-workflows": partial(_run_workflows, db, folder),
            }
        )


if __name__ == "__main__":
    main()
