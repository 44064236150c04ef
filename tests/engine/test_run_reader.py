"""An exported run is read exactly as it was written; anything else is refused with the place of the fault."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import a_child, a_spine, attempt, publish
from hypothesis import given
from hypothesis import strategies as some

from akm.engine.care import exporting, run_reader
from akm.errors import NotFoundError, UsageError
from akm.services import runs
from akm.store import run_rows, sql
from akm.store.database import Database
from akm.views import run_documents

Document = dict[str, Any]


@pytest.fixture
def run_id(db: Database) -> str:
    """A run with a child, and text that is hard on encodings."""
    top = publish(db, 2, params_json='{"name": "Zoë \U0001f600 \\u0000"}')
    runs.publish_child(db, a_child(top), a_spine(1))
    attempt(db, top, result_json='"line\\nand \\" quote\u2028"', tokens=3)
    return top


@pytest.fixture
def file(db: Database, run_id: str, tmp_path: Path) -> Path:
    """The export of that run."""
    exporting.write(db, run_id, tmp_path / "run.json")
    return tmp_path / "run.json"


def test_what_is_read_is_what_the_ledger_holds(db: Database, run_id: str, file: Path) -> None:
    with db.read() as tx:
        assert run_reader.read(file) == run_rows.tree(tx, run_id)
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.read_text() == exporting.text(db, run_id)


def test_the_columns_of_format_one_are_these() -> None:
    # Whoever changes one raises the version of the format, and lets the reader read the old one.
    assert run_documents.VERSION == 1
    kinds = (sql.WholeRun, sql.Step, sql.WholeUnit, sql.WholeAttempt, sql.WholeEvent)
    assert [len(kind._fields) for kind in kinds] == [25, 11, 23, 22, 5]


def test_a_child_is_exported_with_its_parent_alone(db: Database, run_id: str) -> None:
    (child,) = [found.run.id for found in tree(db, run_id)[1:]]
    with pytest.raises(UsageError, match=f"is a child of run {run_id}"):
        exporting.text(db, child)
    with pytest.raises(NotFoundError):
        exporting.text(db, "none")


def tree(db: Database, run_id: str) -> list[run_rows.RunRows]:
    with db.read() as tx:
        return run_rows.tree(tx, run_id)


def test_an_export_overwrites_a_file_only_when_it_is_said(db: Database, run_id: str, file: Path) -> None:
    file.write_text("a letter")
    with pytest.raises(UsageError, match="exists already"):
        exporting.write(db, run_id, file)
    assert file.read_text() == "a letter"
    exporting.write(db, run_id, file, force=True)
    assert run_reader.read(file)


def changed(place: str, value: Any) -> Callable[[Document], None]:
    """Build a change of one member; the place is written as the reader names it."""

    def act(document: Document) -> None:
        *path, last = [int(key) if key.isdigit() else key for key in place.split(".")]
        found: Any = document
        for key in path:
            found = found[key]
        found[last] = value

    return act


def without(document: Document) -> None:
    del document["runs"][0]["steps"][1]["notes"]


def twice(name: str) -> Callable[[Document], None]:
    return lambda document: document["runs"][0][name].append(document["runs"][0][name][0])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (changed("format", "other"), "is no exported run; write one with"),
        (changed("version", 2), "format version that this akm does not read; it reads 1"),
        (changed("version", "1"), "format version"),
        (changed("more", 1), "holds 1 unknown keys in the document"),
        (changed("runs", {}), "something else than a list in runs"),
        (changed("runs", []), "holds no run"),
        (changed("runs.0", 7), r"something else than an object in runs\[0\]"),
        (changed("runs.0.run.status", "done"), r"does not know in runs\[0\]\.run\.status"),
        (changed("runs.0.run.status", None), r"another type than the ledger's in runs\[0\]\.run\.status"),
        (changed("runs.0.run.id", "../../etc"), r"no run id in runs\[0\]\.run\.id"),
        (changed("runs.0.run.plan_ir_version", True), r"another type .* in runs\[0\]\.run\.plan_ir_version"),
        (changed("runs.0.run.plan_ir_version", 2**63), r"out of range in runs\[0\]\.run\.plan_ir_version"),
        (changed("runs.0.run.plan_ir_version", 1.0), "another type"),
        (changed("runs.0.run.workflow_title", "a\0b"), r"no text may hold in runs\[0\]\.run\.workflow_title"),
        (changed("runs.0.run.workflow_title", "\ud800"), r"no text may hold in runs\[0\]"),
        (changed("runs.0.steps.1.status", "running"), r"does not know in runs\[0\]\.steps\[1\]\.status"),
        (without, r"lacks notes in runs\[0\]\.steps\[1\]"),
        (changed("runs.0.steps.1.run_id", "other"), r"row of another run in runs\[0\]\.steps\[1\]"),
        (changed("runs.0.attempts.0.attempt", 0), r"out of range in runs\[0\]\.attempts\[0\]\.attempt"),
        (changed("runs.0.attempts.0.phase", None), r"another type .*attempts\[0\]\.phase"),
        (changed("runs.0.attempts.0.result_json", {"a": 1}), r"another type .*attempts\[0\]\.result_json"),
        (changed("runs.0.events.0.ref", "other"), r"row of another run in runs\[0\]\.events\[0\]"),
        (changed("runs.0.events.0.metadata_json", "[]"), r"row of another run in runs\[0\]\.events\[0\]"),
        (changed("runs.0.events.0.metadata_json", "{"), r"row of another run in runs\[0\]\.events\[0\]"),
        (twice("steps"), r"one of runs\[0\]\.steps twice"),
        (twice("attempts"), r"one of runs\[0\]\.attempts twice"),
        (changed("runs.0.units.0.status", "failed"), r"contradict one another in runs\[0\]\.units\[0\]"),
        (changed("runs.0.units.0.attempts", 2), r"contradict one another in runs\[0\]\.units\[0\]"),
        (changed("runs.0.attempts.0.result_json", "7"), r"contradict one another in runs\[0\]\.units\[0\]"),
        (changed("runs.0.attempts", []), r"contradict one another in runs\[0\]\.units\[0\]"),
        (changed("runs.0.units", []), r"contradict one another in runs\[0\]\.attempts\[0\]"),
        (lambda document: document["runs"].reverse(), r"without its parent in runs\[0\]"),
        (lambda document: document["runs"].append(document["runs"][1]), r"stands twice .* in runs\[2\]"),
    ],
)
def test_a_changed_document_is_refused_with_its_place(
    file: Path, change: Callable[[Document], None], words: str
) -> None:
    document = json.loads(file.read_text())
    change(document)
    file.write_text(json.dumps(document))
    with pytest.raises(UsageError, match=words) as refused:
        run_reader.read(file)
    assert refused.value.message.startswith(f"{file} ")
    assert refused.value.message.count("\n") == 0


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is not JSON: Expecting value in line 1, column 1"),
        (b'{\n "format": }', "in line 2, column 12"),
        (b'{"format": "akm-run", "format": "akm-run"}', "a key stands twice"),
        (b'{"format": NaN}', "a number that JSON does not have"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"format": "\xff"}', "is not UTF-8 text, from byte 12 on"),
        (b"\xef\xbb\xbf{}", "is not JSON"),
        (b"[]", "is no exported run"),
        (b'{"format": 1' + b"0" * 5000 + b"}", "a number that is too long"),
    ],
)
def test_what_is_no_document_is_refused_in_a_sentence(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "run.json").write_bytes(content)
    with pytest.raises(UsageError, match=words):
        run_reader.read(tmp_path / "run.json")


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="There is no file"):
        run_reader.read(tmp_path / "none.json")
    with pytest.raises(UsageError, match="cannot be read: Is a directory"):
        run_reader.read(tmp_path)


@given(some.recursive(some.none() | some.integers() | some.text(), some.lists, max_leaves=5))
def test_any_value_in_any_place_is_taken_as_it_is_or_refused_by_akm(value: Any) -> None:
    for kind in (sql.WholeRun, sql.Step, sql.WholeUnit, sql.WholeAttempt, sql.WholeEvent):
        for name in kind._fields:
            try:
                run_reader._check(value, run_reader.get_type_hints(kind)[name], name)
            except run_reader._Fault:
                continue
            assert isinstance(value, int | str | None)
