"""Renaming a bundle in the ledger: all of its refs at once, and one event for it."""

from __future__ import annotations

from akm.ref_grammar import PROJECT, is_bundle_name
from akm.store import bundle_refs, events
from akm.store.bundle_refs import Counts
from akm.store.database import Database

_EVENT = "bundle_renamed"


def rename(db: Database, old: str, new: str, *, at: str) -> Counts:
    """Let every ref of the bundle `old`, exact in case, name `new`; returns how many rows changed.

    The event is written once, however often this is called before `conclude`.
    """
    names = {old, new} - {PROJECT}
    if len(names) != 2 or not all(map(is_bundle_name, names)):
        raise ValueError("both must be names of bundles, and not the same")
    with db.immediate() as tx:
        moved = bundle_refs.move(tx, old, new)
        counts = {
            "taskHistory": moved.task_history,
            "workflowRuns": moved.workflow_runs,
            "events": moved.events,
        }
        metadata = {"old": old, "new": new} | counts
        events.append_once(tx, _EVENT, _key(old, new), at=at, ref=None, metadata=metadata)
    return moved


def conclude(db: Database, old: str, new: str) -> bool:
    """End a rename whose other files are written, so that a later one of these names has its own event.

    A rename back is over with it too. False when nothing was under way.
    """
    with db.immediate() as tx:
        ended = [events.release_once(tx, _EVENT, _key(*pair)) for pair in ((old, new), (new, old))]
    return any(ended)


def _key(old: str, new: str) -> str:
    # No name of a bundle holds a slash.
    return f"{old}//{new}"
