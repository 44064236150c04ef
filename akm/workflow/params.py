"""The parameters of a run: from flags to values, defaults filled in, checked against the frozen schemas.

No message ever holds a rejected value. How one flag's text becomes a value is in `coercion`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from akm.errors import UsageError
from akm.workflow import json_values, secret_shapes
from akm.workflow.coercion import Misfit, Raw, coerce_values
from akm.workflow.hashing import canonical
from akm.workflow.parsing.document import Schema
from akm.workflow.schemas import check
from akm.workflow.spelling import did_you_mean

MAX_BYTES = 1024 * 1024
Schemas = Mapping[str, Schema]


def coerce(flags: Sequence[tuple[str, Raw]], schemas: Schemas | None) -> dict[str, Any]:
    """Turn flags, in the order given, into parameters that fit their schemas.

    A flag is (name, text), or (name, True) when it stood alone. Raises UsageError with every problem: code
    UNKNOWN_FLAG when a name is not declared, else INVALID_FLAG_VALUE.
    """
    grouped: dict[str, list[Raw]] = {}
    for name, raw in flags:
        grouped.setdefault(name, []).append(raw)
    declared = schemas or {}
    unknown = [_unknown(name, declared) for name in grouped if name not in declared]
    problems: list[str] = []
    params = {}
    for name in grouped.keys() & declared.keys():
        try:
            params[name] = coerce_values(grouped[name], declared[name])
        except Misfit as misfit:
            problems.append(f'Parameter "{name}" {misfit}.')
    problems += _faults(params, declared)
    _refuse([*unknown, *sorted(problems)], "UNKNOWN_FLAG" if unknown else "INVALID_FLAG_VALUE")
    return {name: params[name] for name in grouped}


def with_defaults(params: Mapping[str, Any], schemas: Schemas | None) -> dict[str, Any]:
    """Return the parameters with every declared `default` filled in where nothing was given."""
    filled = {
        name: deepcopy(schema["default"])
        for name, schema in (schemas or {}).items()
        if name not in params and "default" in schema
    }
    return {**params, **filled}


def validate(params: Mapping[str, Any], schemas: Schemas | None) -> None:
    """Check parameters as a whole. Raises UsageError INVALID_JSON_ARGUMENT with every problem."""
    if not isinstance(params, Mapping):
        raise UsageError("Parameters must be a mapping of names to values.", code="INVALID_JSON_ARGUMENT")
    declared = schemas or {}
    problems = [_unknown(str(name), declared) for name in params if name not in declared]
    known = {name: value for name, value in params.items() if name in declared}
    _refuse(problems + _faults(known, declared), "INVALID_JSON_ARGUMENT")


def secret_shaped(params: Mapping[str, Any]) -> list[str]:
    """List the paths, such as `params.auth.token`, of values that look like credentials."""
    return [path for path, _ in secret_shapes.found(params)]


def _faults(params: Mapping[str, Any], declared: Schemas) -> list[str]:
    """Find everything wrong with parameters that are all declared; one sentence each."""
    problems: list[str] = []
    for name, value in params.items():
        root = f"params.{name}"
        # The path inside the value may consist of the value's own names, so only its beginning is told.
        if unfit := json_values.fault(value, root=root, allow_nul=False):
            problems.append(f"{root}: {unfit.rpartition(': ')[2]}.")
        elif declared[name]:
            problems += [f"{found}." for found in check(declared[name], value, root=root, redact=True)]
    if not problems and len(canonical(params).encode()) > MAX_BYTES:
        limit = f"{MAX_BYTES // 1024} KiB"
        problems.append(f"The parameters together are larger than {limit}; pass the path of a file instead.")
    return problems


def _unknown(name: str, declared: Schemas) -> str:
    shown = name if name.isprintable() and len(name) <= 80 else "(unprintable)"
    if not declared:
        return f'Unknown parameter "{shown}": this workflow declares no parameters.'
    return f'Unknown parameter "{shown}": declared are {", ".join(declared)}.{did_you_mean(shown, declared)}'


def _refuse(problems: list[str], code: str) -> None:
    if problems:
        raise UsageError("\n".join(problems), code=code)
