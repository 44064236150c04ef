"""Rows of `events`. Metadata is a flat mapping of ids, statuses, enums and counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from json.encoder import encode_basestring as quote
from typing import NamedTuple

from akm.ref_grammar import bundle_range
from akm.store import sql
from akm.store.database import Transaction

#: Ids, statuses, enums, counts, and lists of names.
Metadata = Mapping[str, str | int | Sequence[str]]


class EventFilters(NamedTuple):
    """Filters of a log, joined by AND. `after` is an event id, `since` a timestamp (inclusive)."""

    after: int = 0
    since: str | None = None
    event_type: str | None = None
    ref: str | None = None
    run_id: str | None = None
    limit: int = -1


def append(tx: Transaction, event_type: str, *, at: str, ref: str | None, metadata: Metadata) -> None:
    """Write an event inside the caller's transaction; a failure takes the whole transaction back."""
    append_each(tx, event_type, at=at, ref=ref, metadata_json=[_encode(metadata)])


def append_each(
    tx: Transaction, event_type: str, *, at: str, ref: str | None, metadata_json: Iterable[str]
) -> None:
    """Write one event per metadata, in order, as `append` does."""
    tx.run_each(
        sql.EVENT_INSERT,
        [{"event_type": event_type, "ts": at, "ref": ref, "metadata_json": text} for text in metadata_json],
    )


def unit_metadata(
    run_id: str, step_id: str, unit_id: str, attempt: int, dispatch_id: str, phase: str, status: str
) -> str:
    """Write the metadata of an event about an attempt."""
    # Without a mapping on the way, because every dispatch writes two of these.
    return (
        f'{{"runId":{quote(run_id)},"stepId":{quote(step_id)},"unitId":{quote(unit_id)},"attempt":{attempt},'
        f'"dispatchId":{quote(dispatch_id)},"phase":{quote(phase)},"status":{quote(status)}}}'
    )


def with_more(metadata_json: str, more: Metadata) -> str:
    """Add one or more members to an event's metadata."""
    return f"{metadata_json[:-1]},{_encode(more)[1:]}"


def append_once(
    tx: Transaction, event_type: str, key: str, *, at: str, ref: str | None, metadata: Metadata
) -> bool:
    """Write an event unless one of its type and `key` exists; tells whether it was written."""
    changed = tx.run(
        sql.EVENT_INSERT_ONCE,
        event_type=event_type,
        ts=at,
        ref=ref,
        metadata_json=_encode(metadata),
        idempotency_key=f"{event_type}:{key}",
    )
    return changed == 1


def newest(tx: Transaction, filters: EventFilters) -> list[sql.EventRow]:
    """Read the newest matching events, oldest of them first."""
    query = sql.EVENTS_ANY
    if filters.ref is not None:
        query = sql.EVENTS_OF_REF
    elif filters.event_type is not None:
        query = sql.EVENTS_OF_TYPE
    return tx.all(query, **filters._asdict())[::-1]


def once_id(tx: Transaction, event_type: str, key: str) -> int | None:
    """Find the event that `append_once` wrote under `key`."""
    row = tx.one(sql.EVENT_BY_KEY, idempotency_key=f"{event_type}:{key}")
    return None if row is None else row.id


def release_once(tx: Transaction, event_type: str, key: str) -> bool:
    """Let `append_once` write again under `key`; False when no event had it."""
    return tx.run(sql.EVENT_RELEASE_KEY, idempotency_key=f"{event_type}:{key}") == 1


def rename_refs(tx: Transaction, old: str, new: str) -> int:
    """Move every ref of the bundle `old`, exact in case, to the bundle `new`."""
    first, end = bundle_range(old)
    return tx.run(sql.EVENTS_RENAME_REFS, first=first, end=end, new=new, tail=len(old) + 1)


def of_bundle(tx: Transaction, bundle: str) -> int:
    """Count what `rename_refs` would move."""
    first, end = bundle_range(bundle)
    row = tx.one(sql.EVENTS_OF_BUNDLE, first=first, end=end)
    return 0 if row is None else row.rows


def last_id(tx: Transaction) -> int:
    """Return the newest event's id, 0 when there is none."""
    row = tx.one(sql.EVENTS_LAST_ID)
    return 0 if row is None else row.id


def _encode(metadata: Metadata) -> str:
    members = [f'"{name}":{_value(value)}' for name, value in metadata.items()]
    return f"{{{','.join(members)}}}"


def _value(value: str | int | Sequence[str]) -> str:
    if isinstance(value, str):
        return quote(value)
    return str(value) if isinstance(value, int) else f"[{','.join(map(quote, value))}]"
