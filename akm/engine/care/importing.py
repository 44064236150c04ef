"""Taking over an exported run, and saying whether it can be gone on with here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from akm import states
from akm.engine.care import run_reader
from akm.engine.recovery import continuing
from akm.services import run_imports
from akm.services.run_imports import RunRows
from akm.store.database import Database
from akm.workflow.plan_text import plan_decode


def take(db: Database, file: Path) -> dict[str, Any]:
    """Take the run of a file over with its children, under the ids and in the states it has there.

    Returns {run, workflowRef, status, changed, counts, obstacle?}; `changed` is False when it was here
    already, `obstacle` says what keeps a run that is not completed from being gone on with here. Raises as
    `run_reader.read` and `run_imports.admit` do; nothing is written then.
    """
    found = run_reader.read(file)
    changed = run_imports.admit(db, found)
    top = found[0].run
    taken = {
        "run": top.id,
        "workflowRef": top.workflow_ref,
        "status": top.status,
        "changed": changed,
        "counts": {
            "runs": len(found),
            **{name: sum(len(getattr(rows, name)) for rows in found) for name in RunRows._fields[1:]},
        },
    }
    obstacle = None if top.status == states.COMPLETED else _obstacle(found[0])
    return taken if obstacle is None else {**taken, "obstacle": obstacle}


def _obstacle(rows: RunRows) -> str | None:
    steps = {step.step_id: step.status for step in rows.steps}
    return continuing.obstacle(rows.run.plan_json, rows.run.plan_ir_version, steps) or _no_directory(rows)


def _no_directory(rows: RunRows) -> str | None:
    plan = plan_decode.decode(rows.run.plan_json or "")
    targets = [step.unit.target for step in plan.steps if step.unit is not None]
    identities = [getattr(target, "cwd_identity", None) for target in targets]
    folders = sorted({identity.real_root for identity in identities if identity is not None})
    gone = next((folder for folder in folders if not Path(folder).is_dir()), None)
    return None if gone is None else f"its directory {gone} is not on this machine"
