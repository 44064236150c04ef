"""What a task may be called. Where its file lies is the catalog's."""

from __future__ import annotations

import re

from akm.errors import UsageError

MAX_LENGTH = 228
ENDING = ".yml"
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*\Z")
#: Windows opens a device under these names, with any ending and in any case.
_DEVICE = re.compile(r"(?:CON|PRN|AUX|NUL|COM[1-9]|LPT[1-9])(?:\.|\Z)", re.IGNORECASE)
_TYPED_ENDING = re.compile(r"\.(?:yml|md)\Z", re.IGNORECASE)


def check(text: str) -> str:
    """Return the id that `text` is. Raises UsageError, `MISSING_REQUIRED_ARGUMENT` when it is empty."""
    if not text.strip():
        raise UsageError(
            "The id of the task is empty: give one such as nightly.", code="MISSING_REQUIRED_ARGUMENT"
        )
    problem = fault(text)
    if problem:
        raise UsageError(f"The id of the task {problem}.")
    return text


def typed(text: str) -> str:
    """Return the id that a person typed, which may end in `.yml` or `.md`. Raises UsageError."""
    return check(_TYPED_ENDING.sub("", text.strip(), count=1))


def fault(text: str) -> str | None:
    """Say what keeps `text` from being an id, to complete "The id ..."; None when it is one."""
    if len(text) > MAX_LENGTH:
        return f"is longer than {MAX_LENGTH} characters: choose a shorter one"
    if not _ID.match(text):
        return "must be letters, digits, `.`, `_` and `-`, and begin with a letter or a digit"
    if text.lower().endswith((".yml", ".yaml")):
        return "must not end in .yml or .yaml: leave the ending to the file"
    if _DEVICE.match(text):
        return "is the name of a device on Windows: choose another"
    return None
