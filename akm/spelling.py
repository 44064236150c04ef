"""How messages write keys, names and counts, and which known names come closest to a mistyped one."""

from __future__ import annotations

import re
from collections.abc import Iterable

_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")


def closest(typed: str, known: Iterable[str]) -> list[str]:
    """Return up to three of `known` that look like `typed`, best first; their last path part counts too."""
    import difflib

    names = list(known)
    longer = [name for name in names if len(typed) > 1 and name.startswith(typed)]
    close = difflib.get_close_matches(typed, names, n=3) or longer[:3]
    if close:
        return close
    by_last_part = {name.rpartition("/")[2]: name for name in reversed(names)}
    found = difflib.get_close_matches(typed.rpartition("/")[2], by_last_part, n=3)
    return [by_last_part[name] for name in found]


def suggestion(typed: str, known: Iterable[str]) -> str | None:
    """Return a sentence such as `Did you mean a or b?`; None when nothing comes close."""
    close = closest(typed, known)
    return f"Did you mean {' or '.join(close)}?" if close else None


def dotted(key: Iterable[str]) -> str:
    """Write a configuration key as TOML does: parts that are no bare words are quoted."""
    import json

    return ".".join(part if _BARE.match(part) else json.dumps(part, ensure_ascii=False) for part in key)


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return such as `1 unit` or `3 units`; `plural` is for a noun or a phrase that takes more than an s."""
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"


def visible(name: object) -> str:
    """Write a name or a path so that it stays on its line: what cannot be printed is escaped."""
    text = str(name)
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
