"""Files that a newer akm has written: they are read and never changed, and both revisions are named."""

from __future__ import annotations

from pathlib import Path

from akm.errors import ConfigError
from akm.store import sql


def warning(path: Path, found: str) -> str:
    """Say that a file is only read."""
    return f"{_is_newer(path, found)}: it is only read."


def refusal(path: Path, found: str) -> ConfigError:
    """Build the error for a write to such a file."""
    return ConfigError(
        f"{_is_newer(path, found)}; it is only read and nothing was written.", code="DATABASE_NEWER"
    )


def _is_newer(path: Path, found: str) -> str:
    return f"The database {path} is at revision {found}, newer than this akm's {sql.REVISIONS[-1]}"
