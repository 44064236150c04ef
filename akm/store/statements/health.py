"""Questions about rows that contradict one another: each names the first examples and counts all of them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    Integer,
    Text,
    and_,
    bindparam,
    case,
    exists,
    func,
    null,
    or_,
    select,
    type_coerce,
    union_all,
)

from akm import states
from akm.models import Event, RegistryIndexCache, TaskHistory
from akm.models import WorkflowRun as Run
from akm.models import WorkflowRunStep as Step
from akm.models import WorkflowRunUnit as Unit
from akm.models import WorkflowRunUnitAttempt as Attempt
from akm.store.statements import Written, at_most, fixed, word
from akm.store.statements.pruning import IS_LEFT
from akm.store.statements.rebuilding import IS_LATEST, IS_STRAY, differs, latest

events = Event.__table__  # type: ignore[attr-defined]
runs = Run.__table__.alias("run")  # type: ignore[attr-defined]
steps = Step.__table__.alias("step")  # type: ignore[attr-defined]
units = Unit.__table__  # type: ignore[attr-defined]
attempts = Attempt.__table__.alias("attempt")  # type: ignore[attr-defined]
unit = units.alias("unit")

SAME_UNIT = and_(unit.c.run_id == latest.c.run_id, unit.c.unit_id == latest.c.unit_id)
HAS_UNIT = exists().where(SAME_UNIT)
KINDS = ("workflow_unit_started", "workflow_unit_finished")
DISPATCH: Any = case(
    (
        func.json_valid(events.c.metadata_json) == fixed(1),
        func.json_extract(events.c.metadata_json, word("$.dispatchId")),
    )
)


def name(*parts: Any) -> Any:
    """Name a row by its key."""
    joined = parts[0]
    for part in parts[1:]:
        joined = joined.op("||")(word(" ")).op("||")(part)
    return type_coerce(func.coalesce(joined, word("")), Text).label("example")


def first(example: Any, source: Any, *conditions: Any) -> Any:
    """Select the first rows that meet the conditions, each with the count of all of them."""
    total = type_coerce(func.count().over(), Integer).label("total")
    return at_most(select(example, total).select_from(source).where(*conditions), bindparam("limit"))


def damaged(model: Any, column: str, *key: str) -> Any:
    """Select the rows whose column is neither JSON nor null."""
    table = model.__table__.alias("damaged")
    # Of null, SQLite's versions answer differently.
    is_bad = and_(table.c[column].is_not(None), func.json_valid(table.c[column]) == fixed(0))
    return first(name(*(table.c[part] for part in key)), table, is_bad)


UNIT_NAME = name(unit.c.run_id, unit.c.unit_id)
ATTEMPT_NAME = name(attempts.c.run_id, attempts.c.unit_id, attempts.c.attempt)


def told_wrongly() -> Any:
    """Select the attempts that have not exactly the events that they should have.

    Added up in one pass, events for and attempts against: joined, each row would look for the others.
    """
    of_events = select(
        DISPATCH.label("dispatch_id"),
        *(case((events.c.event_type == word(kind), fixed(1)), else_=fixed(0)).label(kind) for kind in KINDS),
        null().label("example"),
    ).where(events.c.event_type.in_([word(kind) for kind in KINDS]))
    ends = case((attempts.c.status == word(states.RUNNING), fixed(0)), else_=fixed(-1))
    # What a fork took over did not happen in it; and an attempt that was made from its unit has an id made of
    # names (a UUID of version 5), which none of the events of akm-cli can tell.
    is_own = and_(
        ~attempts.c.claim_holder.startswith(word("fork:")),
        func.substr(attempts.c.dispatch_id, fixed(15), fixed(1)) != word("5"),
    )
    of_attempts = select(attempts.c.dispatch_id, fixed(-1), ends, ATTEMPT_NAME).where(is_own)
    both = union_all(of_events, of_attempts).subquery("told")
    sums = (func.sum(both.c[kind]) != fixed(0) for kind in KINDS)
    grouped = select(func.max(both.c.example).label("example")).group_by(both.c.dispatch_id)
    wrong = grouped.having(func.max(both.c.example).is_not(None), or_(*sums)).subquery("wrong")
    return first(name(wrong.c.example), wrong)


JSON_COLUMNS = (
    ("RUNS_DAMAGED_PARAMS", Run, "params_json", "id"),
    ("RUNS_DAMAGED_OUTPUTS", Run, "outputs_json", "id"),
    ("RUNS_DAMAGED_PLAN", Run, "plan_json", "id"),
    ("STEPS_DAMAGED_COMPLETION", Step, "completion_json", "run_id", "step_id"),
    ("STEPS_DAMAGED_EVIDENCE", Step, "evidence_json", "run_id", "step_id"),
    ("UNITS_DAMAGED_RESULT", Unit, "result_json", "run_id", "unit_id"),
    ("ATTEMPTS_DAMAGED_RESULT", Attempt, "result_json", "run_id", "unit_id", "attempt"),
    ("EVENTS_DAMAGED_METADATA", Event, "metadata_json", "id"),
    ("TASKS_DAMAGED_METADATA", TaskHistory, "metadata_json", "task_id", "started_at"),
    ("CACHE_DAMAGED_INDEX", RegistryIndexCache, "index_json", "registry_url"),
)
SPINE = (
    *(runs.c.id, runs.c.status, runs.c.current_step_id, runs.c.completed_at, steps.c.step_id),
    *(steps.c.status.label("step_status"), steps.c.completed_at.label("step_completed_at")),
)

STATEMENTS = [
    Written("UNITS_STRAY", first(name(units.c.run_id, units.c.unit_id), units, IS_STRAY), "Example"),
    Written(
        "UNITS_MISSING",
        first(name(latest.c.run_id, latest.c.unit_id), latest, IS_LATEST, ~HAS_UNIT),
        "Example",
    ),
    Written(
        "UNITS_DIFFERING",
        first(
            UNIT_NAME,
            unit.join(latest, and_(SAME_UNIT, IS_LATEST)),
            differs(unit.c, latest.c, latest.c.attempt),
        ),
        "Example",
    ),
    Written(
        "ATTEMPTS_OVERTAKEN",
        first(
            ATTEMPT_NAME,
            attempts.join(
                unit, and_(unit.c.run_id == attempts.c.run_id, unit.c.unit_id == attempts.c.unit_id)
            ),
            attempts.c.status == word(states.RUNNING),
            attempts.c.attempt < unit.c.attempts,
        ),
        "Example",
    ),
    Written("ATTEMPTS_TOLD_WRONGLY", told_wrongly(), "Example"),
    Written("EVENTS_WITHOUT_RUN", first(name(events.c.id), events, IS_LEFT), "Example"),
    Written(
        "RUNS_WITH_SPINE",
        select(*SPINE)
        .select_from(runs.outerjoin(steps, steps.c.run_id == runs.c.id))
        .order_by(runs.c.id, steps.c.sequence_index),
        "Spine",
    ),
    *(Written(title, damaged(model, column, *key), "Example") for title, model, column, *key in JSON_COLUMNS),
]
