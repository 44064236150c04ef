"""What a file is, as a task: valid, blocked, invalid or no task at all. It is read and never run."""

from __future__ import annotations

from typing import Any

from akm.engine.workplace import Workplace
from akm.errors import AkmError, NotFoundError, UsageError, WorkflowSourceError
from akm.tasks import explain
from akm.tasks.catalog import File
from akm.tasks.execution import usable
from akm.tasks.files import faults, old, source, versions, yaml_text

_ENDINGS = (".yml", ".yaml")


def validate(file: File, work: Workplace) -> dict[str, Any]:
    """Say what a file is: `outcome` is valid, blocked, invalid or not-a-task, with the `reason`.

    Blocked is a task of an older version, which has to be converted first, and one that needs what is not
    there: a workflow, a script, a program, an engine. Raises UsageError when the file cannot be read at all.
    """
    result: dict[str, Any] = {"ok": False, "path": str(file.path), "sourceVersion": None}
    try:
        raw = yaml_text.load(file.path)
    except NotFoundError as error:
        raise UsageError(error.message, code=error.code) from error
    if file.path.suffix not in _ENDINGS:
        return result | {"outcome": "not-a-task", "reason": f"{file.path} does not end in .yml."}
    try:
        return result | _understood(raw, file, work, result)
    except UsageError as error:
        outcome = "blocked" if error.code == faults.VERSION_UNSUPPORTED else "invalid"
        return result | {"outcome": outcome, **_why(error)}


def _understood(raw: bytes, file: File, work: Workplace, result: dict[str, Any]) -> dict[str, Any]:
    node = yaml_text.tree(raw, file.path)
    result["sourceVersion"] = versions.of(node)
    if not versions.is_task(node):
        reason = f"{file.path} has none of the keys of a task, such as `version`, `run` and `uses`."
        return {"outcome": "not-a-task", "reason": reason}
    if versions.is_old(node):
        old.read(node, file.path)
        refusal = versions.refusal(node, file.path)
        assert refusal is not None
        return {"outcome": "blocked", **_why(refusal)}
    id = source.checked_id(file.path)
    task = source.understood(node, file.path, id=id, bundle=file.bundle, root=file.root)
    resolved = {"resolved": explain.described(task)}
    try:
        usable.check(task, work)
    except AkmError as error:
        return {"outcome": "blocked", **_why(error), **resolved}
    return {"ok": True, "outcome": "valid", **resolved}


def _why(error: AkmError) -> dict[str, str]:
    reason = error.message
    if isinstance(error, WorkflowSourceError):
        reason = "\n".join([reason, *(f"{error.file}:{one.line}: {one.text}" for one in error.findings)])
    return {"reason": reason, **({"hint": error.hint} if error.hint else {})}
