"""What tests of command lines share: how one ended, and the directories it has.

Nothing of akm is imported here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Done:
    """How a command line ended."""

    status: int
    out: str
    err: str

    @property
    def result(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> Any:
        return json.loads(self.err.splitlines()[-1])


def directories(root: Path) -> dict[str, str]:
    """Return the variables that keep akm's files below `root`."""
    return {f"AKM_{kind.upper()}_DIR": str(root / kind) for kind in ("config", "data", "state", "cache")}
