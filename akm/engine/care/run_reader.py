"""Reading an exported run strictly: whatever is not exactly as it was written is refused, and named."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn, get_type_hints

from akm import ids, states
from akm.engine.care import run_projection
from akm.errors import NotFoundError, UsageError
from akm.store import sql
from akm.store.run_rows import RunRows
from akm.views.run_documents import FORMAT, VERSION

_KINDS: dict[str, Any] = {
    "steps": sql.Step,
    "units": sql.WholeUnit,
    "attempts": sql.WholeAttempt,
    "events": sql.WholeEvent,
}
_KEYS = {"steps": ("step_id",), "units": ("unit_id",), "attempts": ("unit_id", "attempt")}
_WORDS: dict[tuple[Any, str], tuple[str | None, ...]] = {
    (sql.WholeRun, "status"): states.RUN,
    (sql.Step, "status"): states.STEP,
    (sql.WholeUnit, "status"): states.UNIT,
    (sql.WholeUnit, "phase"): (*states.PHASE, None),
    (sql.WholeAttempt, "status"): states.ATTEMPT,
    (sql.WholeAttempt, "phase"): states.PHASE,
}
_ID_LENGTH = 36
_LARGEST = 2**63 - 1
_DIGITS = 20


class _Fault(ValueError):
    """What is wrong, as the end of a sentence that begins with the file."""


def read(file: Path) -> list[RunRows]:
    """Read a run and its children from a file, the run at the top first.

    Raises NotFoundError when there is no file, UsageError naming the place of the first fault.
    """
    try:
        return _runs(_parsed(file.read_bytes().decode()))
    except FileNotFoundError as error:
        raise NotFoundError(f"There is no file {file}.", code="FILE_NOT_FOUND") from error
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} is not UTF-8 text, from byte {error.start} on.") from error
    except _Fault as error:
        raise UsageError(f"{file} {error}.", code="INVALID_JSON_ARGUMENT") from error


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_once, parse_int=_integer, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise _Fault(f"is not JSON: {error.msg} in line {error.lineno}, column {error.colno}") from error
    except RecursionError as error:
        raise _Fault("is nested too deeply to be an exported run") from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Fault("holds an object in which a key stands twice")
    return found


def _integer(text: str) -> int:
    # Python refuses to read very long ones, in words of its own.
    if len(text) > _DIGITS:
        raise _Fault("holds a number that is too long")
    return int(text)


def _no_number(_text: str) -> NoReturn:
    raise _Fault("holds a number that JSON does not have")


def _runs(document: Any) -> list[RunRows]:
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise _Fault("is no exported run; write one with `akm workflow export`")
    if document.get("version") != VERSION:
        raise _Fault(f"has a format version that this akm does not read; it reads {VERSION}")
    _exactly(document, {"format", "version", "runs"}, "the document")
    entries = _list(document["runs"], "runs")
    found = [_run(entry, f"runs[{index}]") for index, entry in enumerate(entries)]
    if not found:
        raise _Fault("holds no run")
    _check_tree(found)
    return found


def _run(entry: Any, where: str) -> RunRows:
    _exactly(entry, {"run", *_KINDS}, where)
    run = _row(entry["run"], sql.WholeRun, f"{where}.run")
    if len(run.id) != _ID_LENGTH or not ids.is_prefix(run.id):
        raise _Fault(f"has no run id in {where}.run.id")
    lists = {name: [*_rows(entry[name], name, f"{where}.{name}", run)] for name in _KINDS}
    for name, key in _KEYS.items():
        if len({tuple(getattr(row, part) for part in key) for row in lists[name]}) != len(lists[name]):
            raise _Fault(f"holds one of {where}.{name} twice")
    rows = RunRows(run, **lists)
    if (place := run_projection.contradiction(rows)) is not None:
        raise _Fault(f"holds units and attempts that contradict one another in {where}.{place}")
    return rows


def _rows(found: Any, name: str, where: str, run: sql.WholeRun) -> Iterator[Any]:
    for index, values in enumerate(_list(found, where)):
        row = _row(values, _KINDS[name], f"{where}[{index}]")
        if _owner(row, run) != run.id:
            raise _Fault(f"holds a row of another run in {where}[{index}]")
        yield row


def _owner(row: Any, run: sql.WholeRun) -> Any:
    if not isinstance(row, sql.WholeEvent):
        return row.run_id
    try:
        metadata = json.loads(row.metadata_json)
    except (ValueError, RecursionError):
        return None
    return metadata.get("runId") if isinstance(metadata, dict) and row.ref == run.workflow_ref else None


def _row(values: Any, kind: Any, where: str) -> Any:
    types = get_type_hints(kind)
    _exactly(values, set(types), where)
    for name, value in values.items():
        _check(value, types[name], f"{where}.{name}")
        if value not in _WORDS.get((kind, name), (value,)):
            raise _Fault(f"holds a word that this akm does not know in {where}.{name}")
    return kind(**values)


def _check(value: Any, wanted: Any, where: str) -> None:
    if isinstance(value, bool) or not isinstance(value, wanted):
        raise _Fault(f"holds a value of another type than the ledger's in {where}")
    if isinstance(value, int) and not (1 if where.endswith(".attempt") else -_LARGEST) <= value <= _LARGEST:
        raise _Fault(f"holds a number out of range in {where}")
    if isinstance(value, float) and not math.isfinite(value):
        raise _Fault(f"holds a number out of range in {where}")
    # Half of a surrogate pair is no text for SQLite either.
    if isinstance(value, str) and ("\0" in value or (not value.isascii() and _is_broken(value))):
        raise _Fault(f"holds a character that no text may hold in {where}")


def _is_broken(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _exactly(found: Any, keys: set[str], where: str) -> None:
    if not isinstance(found, dict):
        raise _Fault(f"holds something else than an object in {where}")
    if found.keys() != keys:
        lacking, odd = sorted(keys - found.keys()), found.keys() - keys
        said = f"lacks {lacking[0]}" if lacking else f"holds {len(odd)} unknown keys"
        raise _Fault(f"{said} in {where}")


def _list(found: Any, where: str) -> list[Any]:
    if not isinstance(found, list):
        raise _Fault(f"holds something else than a list in {where}")
    return found


def _check_tree(found: list[RunRows]) -> None:
    known: set[str] = set()
    for index, rows in enumerate(found):
        is_placed = rows.run.parent_run_id in known if index else rows.run.parent_run_id is None
        if not is_placed or rows.run.id in known:
            raise _Fault(f"holds a run that stands twice or without its parent in runs[{index}]")
        known.add(rows.run.id)
