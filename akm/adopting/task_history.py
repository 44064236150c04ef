"""Rows of the task history. The ledger they come from decides what the word for a target means."""

from __future__ import annotations

from enum import Enum
from typing import Any, Final

from akm import states
from akm.adopting import fields
from akm.adopting.fields import Found, Reader, Unusable
from akm.services.adoption import Row
from akm.views import history_metadata
from akm.views.history_metadata import Damaged, Metadata, Warned

#: The migration that rewrote older words once; what is unmarked after it is a present-day word.
REWRITTEN_BY: Final = "025-task-history-vocabulary-backfill"
KINDS: Final = ("workflow", "command", "shell", "script")
# The last two: of akm-cli before its fourth kind of task files, and of our own.
STATUSES: Final = (states.COMPLETED, states.BLOCKED, states.FAILED, states.ACTIVE, "disabled", "missed")
ATTEMPT: Final[dict[str, Reader]] = {
    "task_id": fields.identifier,
    "status": fields.one_of(STATUSES),
    "started_at": fields.moment,
    "completed_at": fields.maybe_moment,
    "failed_at": fields.maybe_moment,
    "log_path": fields.text,
    "target_kind": fields.text,
    "target_ref": fields.text,
    "metadata_json": fields.json_object,
    "bundle": fields.none_or(fields.identifier),
}


class Words(Enum):
    """Which words an unmarked row uses."""

    PRESENT = "present"
    OLD = "old"
    #: Nothing tells, so such rows come as they are.
    UNTOLD = "untold"


def words_of(ledger: tuple[str, ...]) -> Words:
    """Tell which words the unmarked rows of a database use, by its migrations."""
    if not ledger:
        return Words.UNTOLD
    return Words.PRESENT if REWRITTEN_BY in ledger else Words.OLD


def attempt(found: Found, words: Words) -> Row:
    """Read the row of a task's attempt, with its target in present-day words where those are certain.

    The metadata keeps its text; the mark of these words is added to its end. Raises Unusable.
    """
    row = fields.mapped(found, ATTEMPT)
    text, kind = str(row["metadata_json"]), row["target_kind"]
    try:
        metadata = history_metadata.decode(text, Warned(lambda _warning: None))
    except Damaged as damage:
        raise Unusable(f"its metadata is damaged: {damage}") from None
    meant = _meant(kind, metadata, words)
    # A mark of other words than ours says that this row is none of the two.
    if meant is not None and "targetVocab" not in fields.parsed(text, "metadata_json"):
        row |= {"target_kind": meant, "metadata_json": f'{text.rstrip()[:-1]},"targetVocab":2}}'}
    return row


def _meant(kind: Any, metadata: Metadata, words: Words) -> str | None:
    if kind is None or words is Words.UNTOLD:
        return None
    meant = kind if words is Words.PRESENT else history_metadata.target(kind, None, metadata)["kind"]
    return meant if meant in KINDS else None
