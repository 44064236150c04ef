"""Runners made of Python callables: whatever one returns or raises becomes an outcome that can be stored."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields, replace
from math import inf
from typing import Any

from akm.engine.runners import structured
from akm.engine.runners.base import Dispatch, Outcome, Runner, failed
from akm.workflow import json_values
from akm.workflow.hashing import canonical

Dispatcher = Callable[[Dispatch], Any]
#: Levels that a result may be nested: a step's evidence and a later unit's inputs wrap it in a few more.
MAX_DEPTH = 60
_MOST_TOKENS = 2**63
_COUNTS = ("tokens", "input_tokens", "output_tokens")
_TYPES: dict[str, type] = {
    "text": str,
    "failure_reason": str,
    "diagnostic": str,
    "session_id": str,
    "worktree": str,
    **dict.fromkeys(_COUNTS, int),
}


def runner(call: Dispatcher, *, kind: str) -> Runner:
    """Make a runner of a callable that stands in for the runner of `kind`.

    It returns an Outcome, or a str, which is treated as what a process of that kind printed, or any other
    JSON value, which is the unit's result; None without a schema is no output.
    """
    parse = structured.leniently if kind in ("agent", "llm") else structured.exactly

    def run(dispatch: Dispatch) -> Outcome:
        label = f'the dispatcher of unit "{dispatch.item.unit_id}"'
        try:
            given = call(dispatch)
        except BaseException as error:  # Even one that ends threads ends no more than this unit.
            reason = "aborted" if dispatch.abort.is_set else "dispatch_error"
            return failed(reason, f"{label} raised {type(error).__name__}{_words(error)}")
        if isinstance(given, Outcome):
            return _checked(given, dispatch, parse, label)
        if isinstance(given, str):
            return _text(given, dispatch, parse, label)
        return _result(given, dispatch, label)

    return run


def _words(error: BaseException) -> str:
    try:
        text = str(error).encode("utf-8", "replace").decode()
    except Exception:
        return ""
    return f": {text}" if text else ""


def _checked(given: Outcome, dispatch: Dispatch, parse: Callable[[str], Any], label: str) -> Outcome:
    fault = _fault(given)
    if fault is not None:
        return failed("dispatch_error", f"{label} returned an unusable Outcome: {fault}.")
    if not given.is_ok:
        return replace(given, failure_reason=given.failure_reason or "dispatch_error")
    if given.has_result:
        outcome = _result(given.result, dispatch, label)
    else:
        outcome = _text(given.text or "", dispatch, parse, label)
    return replace(
        outcome,
        **{name: getattr(given, name) for name in (*_COUNTS, "cost", "session_id")},
        warnings=tuple(given.warnings),
    )


def _fault(given: Outcome) -> str | None:
    """Say which field of an outcome cannot be stored; its result is checked elsewhere."""
    if given.status not in ("completed", "failed"):
        return "its status is neither completed nor failed"
    for field in fields(given):
        value, wanted = getattr(given, field.name), _TYPES.get(field.name)
        if wanted is None or value is None:
            continue
        if not isinstance(value, wanted) or isinstance(value, bool):
            return f"its {field.name} is of type {type(value).__name__}, not {wanted.__name__}"
        if found := json_values.fault(value, root=f"its {field.name}"):
            return found.replace(": ", " ", 1)
    if not all(0 <= (getattr(given, name) or 0) < _MOST_TOKENS for name in _COUNTS):
        return "its tokens are no sensible number"
    if given.cost is not None and not (type(given.cost) in (int, float) and 0 <= given.cost < inf):
        return "its cost is no amount of money"
    if not isinstance(given.warnings, list | tuple) or not all(isinstance(it, str) for it in given.warnings):
        return "its warnings are no sequence of texts"
    return None


def _text(text: str, dispatch: Dispatch, parse: Callable[[str], Any], label: str) -> Outcome:
    schema = dispatch.item.node.schema
    if schema is not None:
        return structured.check(text, schema, parse=parse, label=label)
    fault = json_values.fault(text, root="its text")
    if fault is not None:
        return failed("dispatch_error", f"{label} returned what cannot be stored: {fault}.")
    return Outcome("completed", text=text or None)


def _result(value: Any, dispatch: Dispatch, label: str) -> Outcome:
    schema = dispatch.item.node.schema
    if value is None and schema is None:
        return Outcome("completed")
    fault = json_values.fault(value, root="result", max_depth=MAX_DEPTH)
    if fault is not None:
        return failed("dispatch_error", f"{label} returned what is not JSON: {fault}.")
    try:
        # Read back: what the caller does to it later changes nothing, and a resumed run sees the same.
        kept = json.loads(canonical(value))
    except ValueError as error:
        return failed("dispatch_error", f"{label} returned what is not JSON: {error}.")
    if schema is None:
        return Outcome("completed", result=kept, has_result=True)
    return structured.check_value(kept, schema, label=label)
