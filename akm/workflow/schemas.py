"""JSON Schema, Draft 2020-12 in full: faults of an author's schema, and whether a value fits one.

Nothing is ever fetched: a reference may only point into its own schema. Formats are checked, not just noted.
String lengths count code points. Which keywords exist is in `schema_keywords`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from akm.workflow import json_values
from akm.workflow.hashing import canonical
from akm.workflow.schema_keywords import (
    DIALECT,
    EXPLAINED,
    SchemaProblem,
    escaped,
    keyword_problems,
    subschemas,
)
from akm.workflow.schema_messages import describe

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

__all__ = ["MAX_BYTES", "SchemaProblem", "check", "problems"]

MAX_BYTES = 256 * 1024
_MOST_SHOWN = 20


def problems(schema: Any) -> list[SchemaProblem]:
    """Find everything that keeps `schema` from being used, ordered by pointer; empty when it is fine."""
    if not isinstance(schema, Mapping):
        return [SchemaProblem("", "", f"must be a mapping of keywords, not {type(schema).__name__}")]
    if unfit := json_values.fault(schema):
        return [SchemaProblem("", "", f"cannot be written as JSON ({unfit})")]
    text = canonical(schema)
    if len(text.encode()) > MAX_BYTES:
        return [SchemaProblem("", "", f"is larger than {MAX_BYTES // 1024} KiB")]
    found = [fault for where, part in subschemas(schema) for fault in keyword_problems(where, part)]
    found += _malformed(text)
    if not found:
        found += _unusable(text)
    return sorted(set(found), key=lambda problem: (problem.pointer, problem.keyword, problem.message))


def check(schema: Mapping[str, Any], value: Any, *, root: str = "$", redact: bool = False) -> list[str]:
    """Say how `value` misses `schema`, each message after its path, such as `$.a[0]`; empty when it fits.

    With `redact` no message holds any part of the value, nor a property name that the schema does not
    mention. A value that is no JSON or is nested beyond 64 levels does not fit, and neither does any value
    when the schema itself cannot be used.
    """
    if unfit := json_values.fault(value, root="$" if redact else root):
        return [f"{root}: {unfit.rpartition(': ')[2]}" if redact else unfit]
    text = canonical(schema)
    try:
        validator = _validator(text)
    except ValueError:
        return [f"{root}: cannot be checked, because its schema is malformed"]
    if validator.is_valid(value):
        return []
    errors = validator.iter_errors(value)
    found = [describe(error, root, text if redact else None) for error in islice(errors, _MOST_SHOWN)]
    if next(errors, None) is not None:
        found.append(f"{root}: and more")
    return found


def _refuse(uri: str) -> Any:
    raise ValueError(f"{uri} is not part of the schema, and nothing is ever fetched")


@lru_cache(maxsize=256)
def _validator(text: str) -> Draft202012Validator:
    """Build the validator of a canonical schema text. Raises ValueError when the schema is malformed."""
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator(
        json.loads(text),
        validate_formats=True,
        ignore_unknown_formats=False,
        retriever=_refuse,
        mask="the value",
    )


def _malformed(text: str) -> Iterator[SchemaProblem]:
    """Compare a schema with the schema of schemas."""
    # Its nested definitions report one fault several times over, hence the set in `problems`.
    for error in islice(_validator(canonical({"$ref": DIALECT})).iter_errors(json.loads(text)), 200):
        yield _problem(error, f"is malformed: {error.message}")


def _unusable(text: str) -> Iterator[SchemaProblem]:
    """Find what only shows when a validator is built: dangling references, bad patterns, unknown formats."""
    try:
        _validator(text)
    except ValueError as error:
        yield _problem(error, f"cannot be used: {getattr(error, 'message', error)}")


def _problem(error: Any, message: str) -> SchemaProblem:
    *path, keyword = getattr(error, "instance_path", None) or [""]
    pointer = "".join(f"/{escaped(segment)}" for segment in path)
    explained, suggestion = EXPLAINED.get(str(keyword), (message, None))
    return SchemaProblem(pointer, str(keyword), explained, suggestion)
