"""The `AKM_*` variables that tell a process which unit it is and what it works on, and their limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from akm.engine.runners.base import Dispatch, Outcome, failed
from akm.workflow.hashing import canonical

#: Bytes of one value, and of all values with their names and one separator each.
VARIABLE_LIMIT = 98_304
TOTAL_LIMIT = 131_072
_WAY_OUT = "Write the data to a file and pass its path."


def build(dispatch: Dispatch, *, label: str) -> dict[str, str] | Outcome:
    """Return a dispatch's context, ids as they are and the rest as canonical JSON, or why there is none."""
    item = dispatch.item
    context = {"AKM_RUN_ID": dispatch.run_id, "AKM_STEP_ID": item.step_id, "AKM_UNIT_ID": item.unit_id}
    for name, write in _values(dispatch).items():
        try:
            context[name] = write()
        except ValueError as error:
            return failed("dispatch_error", f"{label} was not started: {name} cannot be written: {error}.")
    unusable = next((name for name, value in context.items() if _size(value) is None), None)
    if unusable is None:
        return context
    return failed(
        "dispatch_error",
        f"{label} was not started: {unusable} would hold a NUL or a lone surrogate, "
        "which no environment can carry; clean the value it is made from.",
    )


def refuse(context: Mapping[str, str], *, label: str) -> Outcome | None:
    """Return the failure when the context is larger than a process may be given; None when it fits."""
    if 4 * sum(map(len, context.values())) + 1024 < VARIABLE_LIMIT:
        # No character takes more than four bytes, so this small a context needs no counting.
        return None
    problem = _excess({name: _size(value) or 0 for name, value in context.items()})
    return (
        None if problem is None else failed("exec_context_too_large", f"{label} was not started: {problem}")
    )


def fitting(context: Mapping[str, str]) -> dict[str, str]:
    """Return the part of a context that a process can be given, leaving out the largest values first."""
    kept = {name: _size(value) or 0 for name, value in context.items()}
    while _excess(kept):
        del kept[max(kept, key=kept.__getitem__)]
    return {name: context[name] for name in kept}


def _values(dispatch: Dispatch) -> dict[str, Callable[[], str]]:
    item, shared = dispatch.item, dispatch.shared
    values = {"AKM_PARAMS": lambda: shared.text(dispatch.params)}
    if item.index is not None:
        values["AKM_ITEM"] = lambda: canonical(item.item)
        values["AKM_ITEM_INDEX"] = lambda: str(item.index)
    if item.inputs:
        values["AKM_INPUTS"] = lambda: shared.text(item.inputs, dict)
    if item.bindings:
        values["AKM_TASK_INPUTS"] = lambda: shared.text(item.bindings, dict)
    return values


def _excess(sizes: Mapping[str, int]) -> str | None:
    """Say which variable is too much; None when all fit."""
    largest = max(sizes, key=sizes.__getitem__)
    if sizes[largest] > VARIABLE_LIMIT:
        return (
            f"{largest} would take {sizes[largest]} bytes, "
            f"and one variable may take {VARIABLE_LIMIT} here. {_WAY_OUT}"
        )
    total = sum(size + len(name) + 1 for name, size in sizes.items())
    if total > TOTAL_LIMIT:
        return (
            f"its AKM_* variables would take {total} bytes, {largest} alone {sizes[largest]}, "
            f"and together they may take {TOTAL_LIMIT} here. {_WAY_OUT}"
        )
    return None


def _size(value: str) -> int | None:
    """Count the bytes of a value; None when it cannot be an environment value."""
    if "\0" in value:
        return None
    try:
        return len(value) if value.isascii() else len(value.encode())
    except UnicodeEncodeError:
        return None
