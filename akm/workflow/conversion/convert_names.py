"""Names of an earlier grammar made legal in today's, each still its own."""

from __future__ import annotations

import re
from collections.abc import Sequence

_STEP_ID = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_PARAM = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def step_ids(names: Sequence[str]) -> dict[str, str]:
    """Map every id to one of letters, digits, `_` and `-`, no digit first."""
    return _legal(names, _STEP_ID, "-", "step")


def params(names: Sequence[str]) -> dict[str, str]:
    """Map every name to one of letters, digits and `_`, no digit first."""
    return _legal(names, _PARAM, "_", "param")


def _legal(names: Sequence[str], legal: re.Pattern[str], joint: str, noun: str) -> dict[str, str]:
    """Map names; those that are legal stay as they are, whatever the others become."""
    made = {name: name for name in names if legal.fullmatch(name)}
    taken = set(made)
    for name in names:
        if name in made:
            continue
        wanted = re.sub(r"[^A-Za-z0-9_]+", joint, name).strip(joint)
        if not legal.fullmatch(wanted):
            wanted = f"{noun}{joint}{wanted}".strip(joint)
        free, number = wanted, 2
        while free in taken:
            free, number = f"{wanted}{joint}{number}", number + 1
        made[name] = free
        taken.add(free)
    return made
