"""Mappings with a closed set of keys in a task file, and the texts that several keys hold."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from akm.workflow.parsing.fields import Field
from akm.workflow.parsing.grammar.lists import variable_name
from akm.workflow.wording import naming

_MOST_LISTED = 8


def closed(
    field: Field, allowed: Collection[str], explained: Mapping[str, str] | None = None
) -> dict[str, Field] | None:
    """Read a mapping with a closed set of keys. `explained` completes the sentence about a foreign key."""
    entries = field.entries()
    if entries is None:
        return None
    for key, entry in entries.items():
        if key not in allowed:
            _refuse(entry, key, allowed, (explained or {}).get(key))
    return {key: entry for key, entry in entries.items() if key in allowed}


def _refuse(entry: Field, key: str, allowed: Collection[str], advice: str | None) -> None:
    if advice is not None:
        entry.fail(advice)
        return
    nearest = entry.report.nearest(key, allowed)
    listed = f"; allowed here are {naming(allowed)}" if len(allowed) <= _MOST_LISTED else ""
    what_to_do = f"did you mean `{nearest}`?" if nearest else "remove it."
    entry.report.error(entry.line, f"`{entry.path}` is no key of a task file{listed}: {what_to_do}")


def optional_text(field: Field) -> str | None:
    """Read a text that is not blank, or null."""
    return None if field.node.value is None else field.text()


def whole_text(field: Field) -> str | None:
    """Read a text that is not blank and holds no NUL, with its white space."""
    value = field.node.value
    if field.text() is None or not isinstance(value, str):
        return None
    if "\0" in value:
        field.fail("holds a NUL character; remove it")
        return None
    return value


def texts(field: Field) -> tuple[str, ...]:
    """Read a list of texts that may be empty."""
    read = [item.text() for item in field.items() or ()]
    return tuple(text for text in read if text is not None)


def variable_names(field: Field) -> tuple[str, ...]:
    """Read the names of environment variables, each of them once and at most 32."""
    items = field.items() or []
    if len(items) > 32:
        field.fail("has more than 32 names; name only what holds a secret")
    names = [(item, variable_name(item)) for item in items]
    seen: set[str] = set()
    for item, name in names:
        if name in seen:
            item.fail(f"names `{name}` a second time; keep one")
        seen.add(name or "")
    return tuple(name for _, name in names if name is not None)
