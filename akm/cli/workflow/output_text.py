"""The output of a run as people read it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

MOST = 4000


def lines(output: Any) -> Iterator[str]:
    """Render a step's output under a blank line: text as it is, anything else as JSON; nothing for null."""
    if output is None:
        return
    if not isinstance(output, str):
        import json

        output = json.dumps(output, ensure_ascii=False, indent=2)
    yield ""
    yield output if len(output) <= MOST else f"{output[:MOST]}… (cut; --format json shows all of it)"
    yield ""
