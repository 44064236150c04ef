"""Rows of events. Their ids are given anew, in the old order; what is written once gets its key."""

from __future__ import annotations

from typing import Final

from akm.adopting import fields
from akm.adopting.fields import Found, Reader
from akm.services.adoption import Row

#: Of these a run has one each, which the key of the event holds to.
_ONCE: Final = ("workflow_started", "workflow_abandoned")
EVENT: Final[dict[str, Reader]] = {
    "event_type": fields.identifier,
    "ts": fields.moment,
    "ref": fields.text,
    "metadata_json": fields.json_object,
}


def event(found: Found) -> Row:
    """Read an event's row. Raises Unusable."""
    row = fields.mapped(found, EVENT)
    row["idempotency_key"] = None
    if row["event_type"] in _ONCE:
        run_id = fields.parsed(str(row["metadata_json"]), "metadata_json").get("runId")
        # JSON can spell halves of characters, which no column takes.
        if isinstance(run_id, str) and run_id.isascii():
            row["idempotency_key"] = f"{row['event_type']}:{run_id}"
    return row
