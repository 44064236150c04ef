"""Recording an event that belongs to no other act: strictly, once, or as well as can be."""

from __future__ import annotations

from collections.abc import Callable

from akm.errors import AkmError
from akm.store import events
from akm.store.database import Database
from akm.store.events import Metadata


def record(db: Database, event_type: str, *, at: str, ref: str | None = None, metadata: Metadata) -> None:
    """Write an event. Metadata holds ids, statuses, enums and counts only. Raises when it cannot."""
    with db.immediate() as tx:
        events.append(tx, event_type, at=at, ref=ref, metadata=metadata)


def record_once(
    db: Database,
    event_type: str,
    key: str,
    *,
    at: str,
    ref: str | None = None,
    metadata: Metadata,
) -> bool:
    """Write an event unless its type was recorded under `key` before; tells whether it was written."""
    with db.immediate() as tx:
        return events.append_once(tx, event_type, key, at=at, ref=ref, metadata=metadata)


def try_record(
    db: Database,
    event_type: str,
    *,
    at: str,
    ref: str | None = None,
    metadata: Metadata,
    complain: Callable[[str], None],
) -> bool:
    """Write an event if that is possible; otherwise say so once through `complain` and go on."""
    try:
        with db.immediate() as tx:
            events.append(tx, event_type, at=at, ref=ref, metadata=metadata)
    except AkmError as error:
        complain(f"The event {event_type} was not recorded: {error.message}")
        return False
    return True
