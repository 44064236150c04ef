"""Where the migrations are, which revision a file has, and how a file gets to the newest one.

Looking costs one query; Alembic is imported only when there is something to migrate.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from akm.errors import ConfigError, UsageError
from akm.spelling import counted

if TYPE_CHECKING:
    from alembic.config import Config


def script_location() -> Path:
    """Find the migrations: inside the installed package, else beside it in a checkout."""
    import akm

    package = Path(akm.__file__).parent
    for folder in (package / "_alembic", package.parent / "alembic"):
        if (folder / "env.py").is_file():
            return folder
    raise ConfigError(f"akm's migrations are missing beside {package}; install akm again.")


def revision(connection: sqlite3.Connection) -> str | None:
    """Read the file's revision; None for a file that was never migrated."""
    found = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'").fetchone()
    row = connection.execute("SELECT version_num FROM alembic_version").fetchone() if found else None
    return None if row is None else str(row[0])


def upgrade(path: Path, target: str = "head", *, busy_seconds: float = 30.0) -> None:
    """Bring the file at `path` to `target` in one transaction; a failure leaves it as it was."""
    _migrate(path, lambda _raw, command, config: command.upgrade(config, target), busy_seconds=busy_seconds)


def downgrade(path: Path, target: str, *, may_lose: bool = False) -> None:
    """Take the file at `path` back to `target` (`base` empties it) in one transaction.

    Raises UsageError, and leaves the file as it was, when rows or values would go that the older tables
    have no place for, unless `may_lose`.
    """

    def take_back(raw: sqlite3.Connection, command: Any, config: Config) -> None:
        lost = _take_back(raw, command, config, target)
        if not may_lose:
            _refuse_losses(path, target, lost)

    _migrate(path, take_back)


def rehearse_downgrade(path: Path, target: str) -> None:
    """Raise what `downgrade` would raise; the file is as it was either way."""

    def rehearse(raw: sqlite3.Connection, command: Any, config: Config) -> None:
        lost = _take_back(raw, command, config, target)
        raw.execute("ROLLBACK")
        _refuse_losses(path, target, lost)

    _migrate(path, rehearse)


def _take_back(raw: sqlite3.Connection, command: Any, config: Config, target: str) -> list[str]:
    from akm.store import losses

    held = losses.count(raw)
    command.downgrade(config, target)
    return losses.between(held, losses.count(raw))


def _refuse_losses(path: Path, target: str, lost: list[str]) -> None:
    if lost:
        raise UsageError(
            f"Taking {path} back to {target} would lose {', '.join(lost)}; nothing was changed.",
            hint="Add --yes to do it all the same; a safety copy is kept beside the file.",
        )


def config(**attributes: Any) -> Config:
    """Return Alembic's configuration for our migrations, silent on standard output."""
    import io

    from alembic.config import Config

    made = Config(stdout=io.StringIO(), attributes=attributes)
    made.set_main_option("script_location", str(script_location()).replace("%", "%%"))
    return made


def _migrate(
    path: Path, act: Callable[[sqlite3.Connection, Any, Config], None], *, busy_seconds: float = 30.0
) -> None:
    from sqlalchemy import create_engine
    from sqlalchemy.exc import DBAPIError
    from sqlalchemy.pool import StaticPool

    from akm.store.connect import connect, translate, translated
    from alembic import command

    raw = connect(path, busy_seconds=busy_seconds)
    engine = create_engine("sqlite://", creator=lambda: raw, poolclass=StaticPool)
    try:
        with translated(path), engine.connect() as connection:
            # Off before BEGIN: SQLite ignores this pragma inside a transaction, and with it on the
            # rebuild of a parent table would delete its children.
            raw.execute("PRAGMA foreign_keys=OFF")
            # Not before `connect()`: SQLAlchemy rolls back when it meets a connection for the first time.
            raw.execute("BEGIN IMMEDIATE")
            # Begun here: a transaction of Alembic's own would be committed before the rows are checked.
            with connection.begin():
                act(raw, command, config(connection=connection))
                _refuse_orphans(raw, path)
            if raw.in_transaction:
                raw.execute("COMMIT")
    except DBAPIError as error:
        # One wording for a database error wherever it comes from.
        if isinstance(error.orig, sqlite3.Error):
            raise translate(error.orig, path) from error
        raise
    finally:
        engine.dispose()
        raw.close()


def _refuse_orphans(raw: sqlite3.Connection, path: Path) -> None:
    orphans = raw.execute("PRAGMA foreign_key_check").fetchall()
    if orphans:
        raise ConfigError(
            f"{path} holds {counted(len(orphans), 'row')} of {orphans[0][0]} whose run is missing; "
            "it was left at its old revision. Restore a backup, or remove what has no run."
        )
