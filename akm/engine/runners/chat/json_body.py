"""Reading what a server sent as JSON, whatever it is."""

from __future__ import annotations

import json
from typing import Any


class Unreadable(ValueError):
    """An answer is not what the protocol says; the message is a clause that says why."""


def parse(text: str) -> Any:
    """Return the JSON value. Raises Unreadable."""
    try:
        return json.loads(text)
    except RecursionError:
        raise Unreadable("is nested too deeply") from None
    except ValueError:
        raise Unreadable("is not JSON, or only a part of it") from None
