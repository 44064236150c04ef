"""What a bundle holds and where it stands, as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_MOST_NAMES = 8


def contents(found: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Tell the names of each kind, or the first of them; kinds without any are left out."""
    for kind, names in found.items():
        if names:
            more = len(names) - _MOST_NAMES
            rest = f" and {more} more" if more > 0 else ""
            yield f"{kind} ({len(names)}): {', '.join(names[:_MOST_NAMES])}{rest}"


def changes(update: Mapping[str, Any]) -> Iterator[str]:
    """Tell what an update of one bundle came to, and what it changed."""
    if "error" in update:
        yield f"{update['name']}: {update['error']}"
        return
    old, new = update["old"][:12], update["new"][:12]
    endings = {
        "current": f"is at commit {new}, and nothing newer is there.",
        "pending": f"would move from commit {old} to {new} ({update['date']}).",
        "updated": f"moved from commit {old} to {new} ({update['date']}).",
    }
    yield f"{update['name']} {endings[update['status']]}"
    for how, kinds in update.get("changes", {}).items():
        yield from (f"  {how} {line}" for line in contents(kinds))
