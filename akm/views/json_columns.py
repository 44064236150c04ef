"""Reading JSON columns that may be damaged: what does not parse reads as absent, and is named."""

from __future__ import annotations

import json
from typing import Any


def value(text: str | None, field: str, damaged: list[str]) -> Any:
    """Parse a JSON column; None for null or damaged text, whose `field` is then added to `damaged`."""
    if text is None:
        return None
    try:
        return json.loads(text)
    except ValueError:
        damaged.append(field)
        return None
