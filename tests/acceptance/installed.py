"""The installed `akm` as a person has it: a process of its own, with directories of its own. Nothing of akm
is imported here."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from command_lines import Done, directories

AKM = str(Path(sys.executable).with_name("akm"))
ROOT = Path(__file__).resolve().parents[2]
_PATIENCE_SECONDS = 120


@dataclass(frozen=True)
class Place:
    """A fresh machine in one folder: akm's directories, and `work`, where its commands are typed."""

    root: Path

    @property
    def work(self) -> Path:
        return self.folder("work")

    def folder(self, name: str) -> Path:
        """Return a folder of this place, made when it is missing."""
        made = self.root / name
        made.mkdir(parents=True, exist_ok=True)
        return made

    def environment(self) -> dict[str, str]:
        """Return the environment of a command: this place's directories and nothing else of akm's."""
        kept = {name: value for name, value in os.environ.items() if "AKM_" not in name}
        return kept | directories(self.root) | {"HOME": str(self.folder("home"))}

    def start(self, *arguments: str, **options: Any) -> subprocess.Popen[str]:
        """Start a command; its output is read through pipes."""
        chosen: dict[str, Any] = {
            "cwd": self.work,
            "env": self.environment(),
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "text": True,
        }
        return subprocess.Popen([AKM, *arguments], **chosen | options)

    def run(self, *arguments: str, **options: Any) -> Done:
        """Run a command to its end."""
        return ended(self.start(*arguments, **options))

    def workflow(self, name: str, text: str) -> str:
        """Write a workflow file where the commands are typed, and return its name."""
        (self.work / f"{name}.md").write_text(text, encoding="utf-8")
        return f"{name}.md"

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Ask the ledger, past akm."""
        with closing(sqlite3.connect(self.root / "data" / "state.db", timeout=30)) as connection:
            return connection.execute(query, values).fetchall()


def ended(process: subprocess.Popen[str]) -> Done:
    """Wait for a command that was started."""
    try:
        out, err = process.communicate(timeout=_PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        raise AssertionError(f"The command hangs; it said {out!r} and {err!r}") from None
    return Done(process.returncode, out or "", err or "")


def until(is_so: Callable[[], object], *, seconds: float = 30) -> bool:
    """Look again and again until something is so; False when it never came to be."""
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def command_lines() -> dict[int, str]:
    """Read the command line of every living process."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                line = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            found[int(folder.name)] = line.replace(b"\0", b" ").decode(errors="replace")
    return found


def is_alive(pid: int) -> bool:
    """Tell whether a process is there and has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in ("Z", "X")
    except OSError:
        return False
