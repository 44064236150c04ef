"""Where the installed command is measured: directories of akm's own, and one to stand in."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.bench.dispatches import migrated

AKM = str(Path(sys.executable).with_name("akm"))


class Place:
    """Directories of akm's own, and one to stand in."""

    def __init__(self, root: Path) -> None:
        self.work = root / "work"
        self.work.mkdir(parents=True)
        self.database = migrated(root / "data" / "state.db")
        # What is installed has its bytecode; without it each start would compile whatever changed last.
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if "AKM_" not in name and name != "PYTHONDONTWRITEBYTECODE"
        }
        for kind in ("CONFIG", "DATA", "STATE", "CACHE"):
            self.environment[f"AKM_{kind}_DIR"] = str(root / kind.lower())

    def run(self, *command: str, **more: str) -> str:
        """Run a command to its end, which must be a good one; returns what it printed."""
        done = subprocess.run(
            command,
            cwd=self.work,
            env=self.environment | more,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=True,
            text=True,
        )
        return done.stdout
