"""The PATH of scheduled tasks: written down by a sync, used where a bare environment has none or another.

Which rows of a crontab get a PATH is not here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from akm import paths
from akm.errors import ConfigError
from akm.tasks import memory

PATH = "PATH"


def folders() -> list[str]:
    """List the absolute folders of this process's PATH, each once."""
    return [
        folder
        for folder in dict.fromkeys(os.environ.get(PATH, os.defpath).split(os.pathsep))
        if os.path.isabs(folder) and "\n" not in folder
    ]


def record() -> None:
    """Write this process's PATH down; without one, what was written before stays. Raises ConfigError."""
    if not os.environ.get(PATH):
        return
    memory.keep(_file(), {"path": os.pathsep.join(folders())})


def recorded() -> str | None:
    """Return the PATH that was written down; None when there is none that can be read."""
    try:
        found = json.loads(_file().read_text(encoding="utf-8"))["path"]
    except (ConfigError, OSError, ValueError, KeyError, TypeError):
        return None
    return found if isinstance(found, str) and found else None


def completed(environment: Mapping[str, str], *, is_scheduled: bool) -> dict[str, str]:
    """Return an environment with the recorded PATH, where it has none or a schedule made it."""
    if environment.get(PATH) and not is_scheduled:
        return dict(environment)
    found = recorded()
    return {**environment, **({} if found is None else {PATH: found})}


def _file() -> Path:
    return paths.state_dir() / "tasks" / "search-path.json"
