"""Reading a database of akm-cli, whatever its age: tables and columns that it lacks read as absent."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from akm.errors import UsageError
from akm.store.adoption import CACHE, RUNS, TABLES
from akm.store.connect import translated
from akm.store.foreign_copy import copied

#: The last migration of akm-cli whose meaning is known here, by its number.
NEWEST_KNOWN: Final = 28
_NUMBERED: Final = re.compile(r"(\d{3})-[a-z0-9-]+\Z")
FoundRow = dict[str, Any]


class Foreign:
    """An open copy of an akm-cli database. Texts that are no UTF-8 come as bytes.

    `ledger` lists its migrations in the order in which they were applied.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self.path = path
        self._connection = connection
        with translated(path):
            connection.execute("PRAGMA query_only=ON")
            self.columns = {table: self._columns(table) for table in (*TABLES, "schema_migrations")}
            self._is_ours = bool(self._columns("alembic_version"))
            self.ledger = self._ledger()

    def _columns(self, table: str) -> tuple[str, ...]:
        found = self._connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
        return tuple(str(row[0]) for row in found)

    def _ledger(self) -> tuple[str, ...]:
        if "id" not in self.columns["schema_migrations"]:
            return ()
        # Of one moment each where a release applied several, and their numbers grow.
        found = self._connection.execute("SELECT id FROM schema_migrations ORDER BY id")
        return tuple(row[0] for row in found if isinstance(row[0], str))

    def unknown(self) -> list[str]:
        """List the migrations that are newer than any known here."""
        return [name for name in self.ledger if not is_known(name)]

    def refuse_other(self) -> None:
        """Raise UsageError unless akm-cli has made this file."""
        if self._is_ours:
            raise UsageError(
                f"{self.path} is akm's own database, not one of akm-cli; there is nothing to adopt in it.",
                hint="Let AKM_DATA_DIR or AKM_DATABASE_URL name it to use it as it is.",
            )
        is_akm_cli = any(map(is_known, self.ledger)) or self.columns[RUNS] or self.columns[CACHE]
        if not is_akm_cli:
            raise UsageError(
                f"{self.path} is a SQLite database, but not one of akm-cli; name its state.db.",
                hint="akm-cli keeps it in its data directory, such as ~/.local/share/akm/state.db.",
            )

    def rows(self, table: str, wanted: Sequence[str], *, order: str | None = None) -> Iterator[FoundRow]:
        """Read a table's rows with those of the `wanted` columns that it has; none for a missing table."""
        by = f' ORDER BY "{order}"' if order in self.columns[table] else ""
        return self._read(table, wanted, by, ())

    def of_run(self, table: str, wanted: Sequence[str], run_id: object) -> Iterator[FoundRow]:
        """Read the rows of one run."""
        # A cast, so that an id which came as bytes finds the text it was.
        return self._read(table, wanted, " WHERE run_id = CAST(? AS TEXT)", (run_id,))

    def orphans(self, table: str, wanted: Sequence[str]) -> Iterator[FoundRow]:
        """Read the rows whose run is not there."""
        known = "SELECT id FROM workflow_runs" if "id" in self.columns[RUNS] else "NULL"
        return self._read(table, wanted, f" WHERE run_id IS NULL OR run_id NOT IN ({known})", ())

    def _read(
        self, table: str, wanted: Sequence[str], rest: str, values: tuple[object, ...]
    ) -> Iterator[FoundRow]:
        there = [name for name in wanted if name in self.columns[table]]
        if not there or ("run_id" in rest and "run_id" not in there):
            return
        names = ", ".join(f'"{name}"' for name in there)
        with translated(self.path):
            for row in self._connection.execute(f'SELECT {names} FROM "{table}"{rest}', values):
                yield dict(zip(there, row, strict=True))


def is_known(migration: str) -> bool:
    """Tell whether a migration of akm-cli is one that this akm knows the meaning of."""
    numbered = _NUMBERED.match(migration)
    return numbered is not None and 1 <= int(numbered[1]) <= NEWEST_KNOWN


@contextmanager
def opened(path: Path) -> Iterator[Foreign]:
    """Open the akm-cli database at `path` by a private copy; the file and all beside it stay untouched.

    Raises as `foreign_copy.copied` does, and UsageError for a database that akm-cli has not made.
    """
    with copied(path) as copy, translated(path), closing(sqlite3.connect(copy, isolation_level=None)) as raw:
        raw.text_factory = _text
        found = Foreign(raw, path)
        found.refuse_other()
        yield found


def _text(raw: bytes) -> str | bytes:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw
