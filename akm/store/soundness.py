"""What can be wrong with a database file as such: its pages, its references, its revision and its schema.

What its rows say is not looked at here: `akm.views.health` does.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from akm.errors import AkmError
from akm.spelling import counted
from akm.store import drift, schema, sql
from akm.store.connect import translate, translated

#: Somebody has to do something; it may stay as it is; it is only good to know.
ERROR, WARNING, NOTE = "error", "warning", "note"
EXAMPLES: Final = 3
RESTORE: Final = "Put a backup in its place with `akm db restore`."
RIGHTS: Final = "Correct the permissions of the file and its folder."


@dataclass(frozen=True, slots=True)
class Finding:
    """One kind of thing that is wrong: how often, the first examples, and what to do about it."""

    check: str
    severity: str
    count: int
    examples: tuple[str, ...]
    message: str
    remedy: str


def findings(raw: sqlite3.Connection, path: Path) -> list[Finding]:
    """Look at the file behind an open connection. What cannot even be asked is a finding too."""
    found = attempted("integrity", path, lambda: _damage(raw, path))
    found += attempted("references", path, lambda: _orphans(raw, path))
    found += attempted("revision", path, lambda: _revision(raw, path))
    return found or attempted("schema", path, lambda: _drift(path))


def attempted(check: str, path: Path, look: Callable[[], Iterable[Finding]]) -> list[Finding]:
    """Return what a check finds; when it fails, that as its finding."""
    try:
        return list(look())
    except AkmError as error:
        said = error.message
    except sqlite3.Error as error:
        said = translate(error, path).message
    may_be_used = os.access(path, os.R_OK | os.W_OK) and os.access(path.parent, os.W_OK | os.X_OK)
    remedy = RESTORE if may_be_used else RIGHTS
    return [Finding(check, ERROR, 1, (), f"The check of {check} could not be done: {said}", remedy)]


def listed(what: tuple[str, str, str, str], things: Iterable[str], remedy: str) -> Iterator[Finding]:
    """Make one finding of all `things`, or none of none.

    `what` is its check, its severity, and what is said after the number: of one thing, and of several.
    """
    check, severity, *words = what
    found = list(things)
    if found:
        message = counted(len(found), *words)
        yield Finding(check, severity, len(found), tuple(found[:EXAMPLES]), message, remedy)


def _damage(raw: sqlite3.Connection, path: Path) -> Iterator[Finding]:
    with translated(path):
        # The quick one first: what it finds, the thorough one would look for much longer.
        texts = _told(raw, "quick_check") or _told(raw, "integrity_check")
    if texts:
        message = f"{path} is damaged: {texts[0]}."
        yield Finding("integrity", ERROR, len(texts), tuple(texts[:EXAMPLES]), message, RESTORE)


def _told(raw: sqlite3.Connection, pragma: str) -> list[str]:
    found = [" ".join(str(row[0]).split()) for row in raw.execute(f"PRAGMA {pragma}(100)")]
    return [text for text in found if text != "ok"]


def _orphans(raw: sqlite3.Connection, path: Path) -> Iterator[Finding]:
    with translated(path):
        found = raw.execute("PRAGMA foreign_key_check").fetchall()
    if found:
        examples = tuple(f"row {row[1]} of {row[0]}" for row in found[:EXAMPLES])
        message = f"{path} holds {counted(len(found), 'row')} whose run is missing."
        yield Finding("references", ERROR, len(found), examples, message, RESTORE)


def _revision(raw: sqlite3.Connection, path: Path) -> Iterator[Finding]:
    with translated(path):
        found = schema.revision(raw)
    if found != sql.REVISIONS[-1]:
        message = f"{path} is at revision {found or 'none'}; this akm has {sql.REVISIONS[-1]}."
        remedy = "Bring an older file up to date with `akm db upgrade`; for a newer one, upgrade akm."
        yield Finding("revision", ERROR, 1, (), message, remedy)


def _drift(path: Path) -> Iterator[Finding]:
    difference = drift.first(path)
    if difference is not None:
        message = f"{path} differs from its revision: {difference}"
        yield Finding("schema", ERROR, 1, (), message, RESTORE)
