"""Lists of short texts: tags, names, references, argument vectors."""

from __future__ import annotations

import re
from collections.abc import Callable

from akm.workflow.parsing.fields import Field
from akm.workflow.wording import clip

VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def unique_texts(
    field: Field, noun: str, read: Callable[[Field], str | None] = Field.text
) -> tuple[str, ...] | None:
    """Read a list of at least one text, each of them once; `noun` names an element in messages."""
    items = field.items()
    if items is None:
        return None
    if not items:
        field.fail(f"is an empty list; name at least one {noun}, or remove it")
        return None
    seen: dict[str, None] = {}
    for item in items:
        text = read(item)
        if text in seen:
            item.fail(f"names the {noun} `{clip(text or '')}` a second time; keep one")
        elif text is not None:
            seen[text] = None
    return tuple(seen)


def tags(field: Field) -> None:
    """Check a list of texts that may be empty."""
    for item in field.items() or ():
        item.text()


def variable_name(field: Field) -> str | None:
    """Read the name of an environment variable."""
    name = field.text()
    if name is None or VARIABLE_NAME.fullmatch(name):
        return name
    field.fail("must be the name of an environment variable: letters, digits and `_`, no digit first")
    return None
