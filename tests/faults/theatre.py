"""Where histories are driven again and again: a ledger and a project at paths that stay the same."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import campaign
from histories import HISTORIES
from ledger_accounts import account

_SCRIPT = Path(__file__).with_name("history_driver.py")


class Theatre:
    """Drives one history after the other in processes of their own."""

    def __init__(self, folder: Path, migrated: Path) -> None:
        self.path, self.root, self.migrated = folder / "data/state.db", folder / "project", migrated
        command = [sys.executable, str(_SCRIPT), str(self.path), str(self.root)]
        self._drivers = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def clear(self, name: str) -> None:
        """Write the history's files anew, beside an empty ledger."""
        # The folders themselves stay, because a plan names its base directory by device and inode.
        for folder in (self.path.parent, self.root):
            folder.mkdir(exist_ok=True)
            for path in folder.iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.copyfile(self.migrated, self.path)
        (self.root / ".git").mkdir()
        HISTORIES[name].write(self.root)

    def drive(self, name: str, point: str = "nowhere", number: int = 0) -> tuple[int, int]:
        """Drive a history from where it stands; returns the exit status and the number of commits."""
        assert self._drivers.stdin is not None
        assert self._drivers.stdout is not None
        self._drivers.stdin.write(f"{name} {point} {number}\n")
        self._drivers.stdin.flush()
        status, commits = self._drivers.stdout.readline().split()
        return int(status), int(commits)

    def drive_calmly(self, name: str) -> int:
        """Drive a history undisturbed from its beginning; returns the number of commits."""
        self.clear(name)
        return self.finish(name)

    def crash(self, name: str, point: str, number: int) -> None:
        """Drive a history until its driver kills itself; units side by side may need fewer commits."""
        status, _commits = self.drive(name, point, number)
        assert status == -9 or (status == 0 and not HISTORIES[name].is_ordered)
        campaign.inject("crash")

    def finish(self, name: str) -> int:
        """Drive a history to its end from where it stands; returns the number of commits."""
        status, commits = self.drive(name)
        assert status == 0
        return commits

    def account(self, name: str, *, is_ordered: bool = True) -> dict[str, Any]:
        """Read what the ledger says."""
        return account(self.path, is_ordered=is_ordered and HISTORIES[name].is_ordered)

    def close(self) -> None:
        """Let the process that drives end."""
        self._drivers.communicate()
