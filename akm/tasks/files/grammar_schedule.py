"""`schedule`: when a task fires, and the literal inputs of each fire. Reading expressions is not here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from akm.errors import UsageError
from akm.tasks.files.grammar_inputs import missing, unfit
from akm.tasks.files.grammar_keys import closed
from akm.tasks.files.task import Input, Schedule
from akm.workflow.parsing.fields import Field
from akm.workflow.wording import naming

MOST = 64


def schedules(field: Field, declared: Mapping[str, Input]) -> tuple[Schedule, ...]:
    """Read one trigger or a list of them, leaving out those with faults."""
    if isinstance(field.node.value, str):
        triggers = [_trigger(field, field, None, declared)]
    elif not isinstance(field.node.value, tuple):
        field.fail(f"must be an expression such as `0 3 * * *`, or a list of them, but {field.kind}")
        return ()
    else:
        items = field.items() or []
        if not 0 < len(items) <= MOST:
            field.fail(f"must hold 1 to {MOST} triggers; without any, leave `schedule` out")
        triggers = [_entry(item, declared) for item in items[:MOST]]
    return tuple(trigger for trigger in triggers if trigger is not None)


def _entry(item: Field, declared: Mapping[str, Input]) -> Schedule | None:
    entries = closed(item, ("cron", "inputs"))
    if entries is None:
        return None
    if "cron" not in entries:
        item.fail("lacks `cron`; write `- cron: 0 3 * * *`")
        return None
    return _trigger(item, entries["cron"], entries.get("inputs"), declared)


def _trigger(
    field: Field, cron: Field, inputs: Field | None, declared: Mapping[str, Input]
) -> Schedule | None:
    literals = _literals(inputs, declared) if inputs else {}
    lacking = missing(declared, literals)
    if lacking:
        field.fail(
            f"gives no value for the required {naming(lacking)}, and a scheduled fire has no flags; "
            "add it to the `inputs` of each trigger, or give the input a default"
        )
    expression = cron.text()
    if expression is None or not _is_sound(cron, expression):
        return None
    return Schedule(expression, literals)


def _is_sound(cron: Field, expression: str) -> bool:
    from akm.tasks import schedule

    try:
        schedule.check(expression)
    except UsageError as error:
        told = " ".join(part for part in (error.message, error.hint) if part)
        cron.report.error(cron.line, f"`{cron.path}` is no schedule: {told}")
        return False
    return True


def _literals(field: Field, declared: Mapping[str, Input]) -> dict[str, Any]:
    read = {}
    for name, entry in (field.entries() or {}).items():
        if name not in declared:
            known = f"declared are {naming(declared)}" if declared else "the file declares no inputs"
            entry.fail(f"is no declared input; {known}")
            continue
        read[name] = entry.plain
        if problem := unfit(declared[name], read[name]):
            entry.fail(f"does not satisfy the schema of the input ({problem})")
    return read
