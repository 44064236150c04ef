"""Looking after a database file: its revision, its soundness, and moving it between revisions."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

from akm.errors import ConfigError, NotFoundError, TransientError, UsageError
from akm.store import newer, schema, soundness, sql
from akm.store.connect import connect, translated
from akm.store.opening import back_up, open_database


def current(path: Path) -> dict[str, Any]:
    """Return {path, revision, head, isCurrent}; `revision` is null for a file that is not there."""
    found = _revision(path) if path.exists() else None
    head = sql.REVISIONS[-1]
    return {"path": str(path), "revision": found, "head": head, "isCurrent": found == head}


def upgrade(path: Path) -> dict[str, Any]:
    """Create the file or bring it to head. Raises ConfigError DATABASE_NEWER for a newer one."""
    with open_database(path) as db:
        if db.is_newer:
            raise newer.refusal(path, _revision(path) or "")
    return current(path)


def downgrade(path: Path, target: str, *, may_lose: bool = False) -> dict[str, Any]:
    """Take the file back to an older revision (`base`: no tables) after a safety copy.

    Returns what `current` does and the copy's path as `backup`, null where nothing had to be done. Raises
    UsageError for an unknown or newer target, or when rows or values would be lost and not `may_lose`;
    NotFoundError for a missing file; TransientError when another process changed its revision meanwhile.
    Nothing changes then.
    """
    if not path.exists():
        raise NotFoundError(f"There is no database {path}.", code="FILE_NOT_FOUND")
    found = _revision(path)
    if found is None or found not in sql.REVISIONS:
        raise ConfigError(f"{path} is at revision {found or 'none'}, which this akm cannot take back.")
    older = ("base", *sql.REVISIONS[: sql.REVISIONS.index(found) + 1])
    if target not in older:
        raise UsageError(f"{path} is at {found}; it can be taken back to {', '.join(older)}.")
    if target == found:
        return {**current(path), "backup": None}
    if not may_lose:
        # First, because a copy drives out an older one.
        schema.rehearse_downgrade(path, target)
    copy = back_up(path, found)
    if copy is None:
        raise TransientError(
            f"{path} came to another revision in the meantime, so nothing was changed.",
            code="STATE_DB_CONTENDED",
            hint="Run the same command again.",
        )
    schema.downgrade(path, target, may_lose=may_lose)
    return {**current(path), "backup": str(copy)}


def check(path: Path) -> dict[str, Any]:
    """Check a file; returns {path, revision, problems} with one sentence per problem."""
    if not path.exists():
        raise NotFoundError(f"There is no database {path}.", code="FILE_NOT_FOUND")
    with closing(connect(path, read_only=True)) as raw:
        found = soundness.findings(raw, path)
        with translated(path):
            revision = schema.revision(raw)
    return {"path": str(path), "revision": revision, "problems": [finding.message for finding in found]}


def _revision(path: Path) -> str | None:
    with closing(connect(path, read_only=True)) as raw, translated(path):
        return schema.revision(raw)
