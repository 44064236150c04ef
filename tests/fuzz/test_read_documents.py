"""Exported runs and indexes are read as what they say or refused in a sentence, and written as read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import workflow_texts
from builders import a_child, a_spine, attempt, publish
from effort import fuzz
from hypothesis import strategies as st
from refusals import REFUSED, check_sentence, outcome
from workflow_texts import anything

from akm.engine.care import exporting, run_reader
from akm.registry import index_file, index_format
from akm.registry.index_format import IndexFault
from akm.services import run_imports, runs
from akm.store import run_rows
from akm.store.database import Database

#: What a place of a document is changed to; GONE takes it out.
GONE: Any = object()
VALUES = (
    anything
    | st.just("\ud800")
    | st.sampled_from([GONE, GONE, "\ud800", "a\0b", 2**63, 10**400, float("nan"), [], {}, True])
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """List the places of a document."""
    children = (
        value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ())
    )
    for key, child in children:
        yield (*path, key)
        yield from places(child, (*path, key))


def changed(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    """Change one place of a document, which is changed itself."""
    *above, last = path
    holder = document
    for key in above:
        holder = holder[key]
    if value is GONE:
        del holder[last]
    else:
        holder[last] = value
    return document


CHANGES = st.lists(st.tuples(st.integers(0, 10_000), VALUES), min_size=1, max_size=2)


def with_changes(document: Any, changes: list[tuple[int, Any]]) -> Any:
    for number, value in changes:
        found = list(places(document))
        if found:
            document = changed(document, found[number % len(found)], value)
    return document


BYTES = st.lists(st.binary(max_size=4) | workflow_texts.PIECES, max_size=8).map(b"".join)


@pytest.fixture
def exported(db: Database) -> tuple[str, list[run_rows.RunRows]]:
    """The document of a run with a child, and its rows, which are in the ledger no more."""
    top = publish(db, 2)
    runs.publish_child(db, a_child(top), a_spine(1))
    attempt(db, top, result_json='"é"', tokens=3)
    text = exporting.text(db, top)
    with db.immediate() as tx:
        rows = run_rows.tree(tx, top)
        db.connection.execute("DELETE FROM workflow_runs")
        db.connection.execute("DELETE FROM events")
    return text, rows


def imported(db: Database, file: Path) -> list[run_rows.RunRows]:
    found = run_reader.read(file)
    run_imports.admit(db, found)
    return found


def check_imported(db: Database, file: Path) -> None:
    """What is read gets into the ledger and out of it again as it is, or is refused and changes nothing."""
    found = outcome(lambda: imported(db, file))
    if found == REFUSED:
        return
    with db.immediate() as tx:
        assert run_rows.tree(tx, found[0].run.id) == found
    again = file.with_name("again.json")
    exporting.write(db, found[0].run.id, again, force=True)
    assert run_reader.read(again) == found
    with db.immediate():
        db.connection.execute("DELETE FROM workflow_runs")
        db.connection.execute("DELETE FROM events")


@fuzz(150, changes=CHANGES)
def test_a_changed_export_is_taken_whole_or_refused(
    changes: Any, exported: tuple[str, Any], db: Database, tmp_path: Path
) -> None:
    file = tmp_path / "run.json"
    document = with_changes(json.loads(exported[0]), changes)
    file.write_bytes(json.dumps(document).encode())
    check_imported(db, file)


@fuzz(80, at=st.integers(0, 10_000), put=BYTES, gone=st.integers(0, 9))
def test_a_damaged_export_is_taken_whole_or_refused(
    at: int, put: bytes, gone: int, exported: tuple[str, Any], db: Database, tmp_path: Path
) -> None:
    raw = exported[0].encode()
    at %= len(raw)
    (tmp_path / "run.json").write_bytes(raw[:at] + put + raw[at + gone :])
    check_imported(db, tmp_path / "run.json")


ASSET = {"type": "skill", "name": "s", "description": "d", "tags": ["t"], "estimatedTokens": 3}
ENTRY = {
    "id": "a",
    "name": "n",
    "ref": "npm:a",
    "source": "npm",
    "tags": ["t"],
    "license": "MIT",
    "assets": [ASSET],
}
INDEX = {
    "version": 3,
    "updatedAt": "2026-12-02T00:00:00Z",
    "stashes": [ENTRY, ENTRY | {"id": "b"}],
    "dropped": 1,
}


@fuzz(200, changes=CHANGES, raw=st.none() | BYTES)
def test_an_index_is_read_as_itself_or_refused(changes: Any, raw: bytes | None) -> None:
    document = with_changes(json.loads(json.dumps(INDEX)), changes)
    text = json.dumps(document) if raw is None else raw.decode(errors="surrogateescape")
    try:
        index = index_format.read(text)
    except IndexFault as fault:
        check_sentence(f"The index {fault.sentence_end}.")
        check_sentence(fault.hint)
        return
    written = index_file.text(index)
    assert index_format.read(written) == index
    assert written.encode().decode() == written
