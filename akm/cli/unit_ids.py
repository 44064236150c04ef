"""Ids as people read them: the digest in a unit's id and a run's id cut to what tells them apart."""

from __future__ import annotations

import re

_RUN = re.compile(r"\b([0-9a-f]{8})(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
_DIGEST = re.compile(r"(\.unit:[0-9a-f]{12})[0-9a-f]{52}")


def short(text: str) -> str:
    """Shorten the digest of every map unit's id in a text."""
    return _DIGEST.sub(r"\1", text) if ".unit:" in text else text


def short_runs(text: str) -> str:
    """Shorten the id of every run in a text to what lists show, which each command takes."""
    return _RUN.sub(r"\1", text)
