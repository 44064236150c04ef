"""This installation as its scheduled rows know it: its mark, and how a bare environment finds it."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from akm import paths
from akm.tasks.execution import launcher
from akm.tasks.execution.search_path import folders
from akm.tasks.schedulers.row import Installation

_DIRECTORIES = {
    "config": paths.config_dir,
    "data": paths.data_dir,
    "state": paths.state_dir,
    "cache": paths.cache_dir,
}
#: What else decides where the history of a fire is written.
_PASSED = ("AKM_DATABASE_URL", "AKM_SQLITE_SYNCHRONOUS")
#: What a line of a crontab may hold of PATH, its name left out.
_LONGEST_PATH = 980


def here() -> Installation:
    """Describe this installation. Two with different data directories never touch each other's rows."""
    data = os.path.realpath(paths.data_dir())
    mark = hashlib.sha256(os.fsencode(data)).hexdigest()[:8]
    return Installation(mark, launcher.argv(), paths.state_dir() / "tasks" / "scheduled", _environment())


def wrappers() -> Path:
    """Return the folder of the scripts that stand for commands too long for a line."""
    return paths.state_dir() / "tasks" / "wrappers"


def search_path() -> str:
    """Return the PATH that scheduled commands get: today's, as far as a crontab's line can hold it."""
    kept: list[str] = []
    for folder in folders():
        if len(":".join([*kept, folder])) <= _LONGEST_PATH:
            kept.append(folder)
    return ":".join(kept) or os.defpath


def _environment() -> dict[str, str]:
    found = {name: os.environ[name] for name in _PASSED if os.environ.get(name, "").strip()}
    for kind, directory in _DIRECTORIES.items():
        names = (f"AKM_{kind.upper()}_DIR", f"XDG_{kind.upper()}_HOME")
        if any(os.environ.get(name, "").strip() for name in names):
            found[names[0]] = str(directory())
    return found
