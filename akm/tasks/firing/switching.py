"""Switching a task's schedule on and off: the list is changed first, then the scheduler follows."""

from __future__ import annotations

import os
import shlex
from typing import Any

from akm.engine import workplace
from akm.errors import AkmError, UsageError
from akm.ref_grammar import PROJECT
from akm.tasks import catalog
from akm.tasks.firing import activation, installation, sync
from akm.tasks.schedulers import lock


def enable(ref: str) -> dict[str, Any]:
    """Switch a task on. Returns `{ref, enabled, changed, sync}`.

    Raises UsageError when the task has no schedule, its file is not sound, or no scheduler can see it;
    nothing is written then.
    """
    file = _schedulable(ref)
    if not catalog.read(file).schedules:
        raise UsageError(
            f"The task {file.ref} has no schedule, so there is nothing to enable.",
            hint=f"Add `schedule:` to {file.path}, or run it by hand with `akm task run {file.id}`.",
        )
    return switch(file.ref, is_on=True)


def disable(ref: str) -> dict[str, Any]:
    """Switch a task off. Returns `{ref, enabled, changed, sync}`; its file may be gone already."""
    return switch(_listed(ref) or _schedulable(ref).ref, is_on=False)


def switch(ref: str, *, is_on: bool) -> dict[str, Any]:
    """Put a fully qualified ref into the list, or take it out, and sync its bundle, under the lock."""
    with lock.held():
        return switched(ref, is_on=is_on)


def switched(ref: str, *, is_on: bool, rebind: bool = False) -> dict[str, Any]:
    """Do as `switch` for a caller that holds the lock; `rebind` as in `akm.tasks.firing.sync.sync`.

    The list is changed even where the scheduler cannot be, and the error then says so.
    """
    known = activation.bundles()
    bundle = ref.partition("//")[0]
    chosen = activation.chosen(sync.installed(), installation.here().mark, known)
    changed = (ref in chosen.refs) != is_on
    if changed or chosen.is_new:
        others = [kept for kept in chosen.refs if kept != ref]
        activation.write([*others, ref] if is_on else others)
    try:
        done = sync.sync(bundle=bundle if bundle in known else None, rebind=rebind)
    except AkmError as error:
        state = "enabled" if is_on else "disabled"
        message = f"{ref} is {state}, but the scheduler could not follow: {error.message}"
        raise type(error)(message, code=error.code, hint=error.hint) from error
    done["warnings"] = list(dict.fromkeys([*chosen.warnings, *done["warnings"]]))
    return {"ref": ref, "enabled": is_on, "changed": changed, "sync": done}


def _schedulable(ref: str) -> catalog.File:
    """Find the task that a ref means here, as for every verb. Raises UsageError if no scheduler sees it."""
    work, known = workplace.here(), activation.bundles()
    file = catalog.locate(ref, bundles=work.bundles, anchor=work.anchor)
    if known.get(file.bundle) == file.root:
        return file
    others = [catalog.file(name, root, file.id) for name, root in known.items()]
    spelled = " or ".join(other.ref for other in others if os.path.isfile(other.path))
    whose = "a task of this project" if file.bundle == PROJECT else "in a bundle of this project's settings"
    raise UsageError(
        f"{file.ref} is {whose}, and a scheduler stands in no project: first make the folder a bundle of "
        f"your own with `akm bundle add NAME {shlex.quote(str(file.root))}`.",
        hint=f"If another task is meant, write {spelled}." if spelled else None,
    )


def _listed(ref: str) -> str | None:
    """Return the one entry of the list that a ref means; None when there is none. Raises UsageError."""
    bundle, id = catalog.taken_apart(ref)
    spelled = f"{bundle or ''}//{catalog.FOLDER}/{id}"
    listed = activation.enabled() or []
    found = [entry for entry in listed if entry == spelled or (bundle is None and entry.endswith(spelled))]
    if len(found) > 1:
        raise catalog.ambiguous(id, found)
    return found[0] if found else None
