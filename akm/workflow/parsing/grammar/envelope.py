"""The keys that every asset's frontmatter may carry: types are checked, and `description` alone is used."""

from __future__ import annotations

from collections.abc import Callable

from akm.workflow.parsing.fields import Field
from akm.workflow.parsing.grammar.lists import tags


def _text(field: Field) -> None:
    field.text()


def _stamp(field: Field) -> None:
    entries = field.entries()
    if entries is None:
        return
    if "by" in entries:
        entries["by"].text()
    else:
        field.fail("lacks `by`, who did it", suggestion="{ by: someone, at: 2026-01-31 }")
    if "at" in entries:
        entries["at"].text()


def _stamps(field: Field) -> None:
    if isinstance(field.node.value, tuple):
        for item in field.items() or ():
            _stamp(item)
    else:
        _stamp(field)


def _status(field: Field) -> None:
    field.choice(("draft", "stable", "deprecated"))


def _provenance(field: Field) -> None:
    field.entries()


CHECKS: dict[str, Callable[[Field], None]] = {
    "type": _text,
    "description": _text,
    "when_to_use": _text,
    "tags": tags,
    "xrefs": tags,
    "updated": _text,
    "timestamp": _text,
    "generated": _stamp,
    "verified": _stamps,
    "provenance": _provenance,
    "status": _status,
    "stale_after": _text,
}
