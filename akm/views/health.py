"""What the rows of a ledger say against one another, as findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import attrgetter
from typing import Final, NamedTuple

from akm import states
from akm.spelling import counted
from akm.states import RunState, StepState
from akm.store import health, sql
from akm.store.database import Database
from akm.store.soundness import ERROR, EXAMPLES, RESTORE, WARNING, Finding, attempted
from akm.store.statement import Query

REBUILD: Final = "Make them from the journal with `akm db doctor --rebuild-units`."
UNREADABLE: Final = "What is in it is lost; take it from a backup if it matters."
HARMLESS: Final = "Nothing depends on it; only `akm log` reads it."


class Check(NamedTuple):
    """A question about rows, and what is said after the number of what it finds: of one, and of several."""

    name: str
    severity: str
    question: Query[sql.Example]
    words: tuple[str, str]
    remedy: str


def _json(table: str, column: str, severity: str, question: Query[sql.Example]) -> Check:
    words = f"row of {table} has a damaged {column}.", f"rows of {table} have a damaged {column}."
    return Check("json", severity, question, words, UNREADABLE)


CHECKS: Final = (
    Check(
        "units",
        ERROR,
        sql.UNITS_STRAY,
        ("row of units has no attempt.", "rows of units have no attempt."),
        REBUILD,
    ),
    Check(
        "units",
        ERROR,
        sql.UNITS_MISSING,
        ("unit has attempts and no row of its own.", "units have attempts and no row of their own."),
        REBUILD,
    ),
    Check(
        "units",
        ERROR,
        sql.UNITS_DIFFERING,
        ("row of units differs from its latest attempt.", "rows of units differ from their latest attempt."),
        REBUILD,
    ),
    Check(
        "attempts",
        ERROR,
        sql.ATTEMPTS_OVERTAKEN,
        ("attempt runs although later ones exist.", "attempts run although later ones exist."),
        RESTORE,
    ),
    Check(
        "events",
        WARNING,
        sql.ATTEMPTS_TOLD_WRONGLY,
        (
            "attempt has more or fewer events of its start and end than happened.",
            "attempts have more or fewer events of their start and end than happened.",
        ),
        HARMLESS,
    ),
    Check(
        "events",
        WARNING,
        sql.EVENTS_WITHOUT_RUN,
        ("event is of a run that is gone.", "events are of runs that are gone."),
        "The next `akm db prune` deletes them.",
    ),
    _json("workflow_runs", "params_json", ERROR, sql.RUNS_DAMAGED_PARAMS),
    _json("workflow_runs", "plan_json", ERROR, sql.RUNS_DAMAGED_PLAN),
    _json("workflow_runs", "outputs_json", WARNING, sql.RUNS_DAMAGED_OUTPUTS),
    _json("workflow_run_steps", "evidence_json", ERROR, sql.STEPS_DAMAGED_EVIDENCE),
    _json("workflow_run_steps", "completion_json", WARNING, sql.STEPS_DAMAGED_COMPLETION),
    _json("workflow_run_units", "result_json", ERROR, sql.UNITS_DAMAGED_RESULT),
    _json("workflow_run_unit_attempts", "result_json", ERROR, sql.ATTEMPTS_DAMAGED_RESULT),
    _json("events", "metadata_json", WARNING, sql.EVENTS_DAMAGED_METADATA),
    _json("task_history", "metadata_json", WARNING, sql.TASKS_DAMAGED_METADATA),
    _json("registry_index_cache", "index_json", WARNING, sql.CACHE_DAMAGED_INDEX),
)


def findings(db: Database) -> list[Finding]:
    """Ask every question; one that fails on a damaged page is a finding and the next one is asked."""
    found = []
    for check in CHECKS:
        found += attempted(check.name, db.path, lambda check=check: _asked(db, check))  # type: ignore[misc]
    return found + attempted("runs", db.path, lambda: _runs(db))


def _asked(db: Database, check: Check) -> Iterator[Finding]:
    with db.read() as tx:
        found = health.ask(tx, check.question, EXAMPLES)
    if found.total:
        message = counted(found.total, *check.words)
        yield Finding(check.name, check.severity, *found, message, check.remedy)


def _runs(db: Database) -> Iterator[Finding]:
    with db.read() as tx:
        rows = health.spines(tx)
    bad = [run_id for run_id, of_run in groupby(rows, attrgetter("id")) if not _follows([*of_run])]
    if bad:
        message = counted(
            len(bad),
            "run is in another state, or at another step, than its steps say.",
            "runs are in another state, or at another step, than their steps say.",
        )
        remedy = "End each with `akm workflow abandon`, or put a backup in place with `akm db restore`."
        yield Finding("runs", ERROR, len(bad), tuple(bad[:EXAMPLES]), message, remedy)


def _follows(rows: list[sql.Spine]) -> bool:
    """Tell whether a run's own state follows from its steps; an abandoned one only stands where they say."""
    run = rows[0]
    state = RunState(run.status, run.current_step_id, run.completed_at)
    derived = states.derive(_steps(rows))
    is_abandoned = state.status == states.FAILED and state.completed_at is not None
    if is_abandoned:
        return derived.status != states.COMPLETED and state.current_step_id == derived.current_step_id
    return bool(run.step_id) and state == derived


def _steps(rows: Iterable[sql.Spine]) -> Iterator[StepState]:
    # The generated types know nothing of the outer join, by which a run without steps comes without one.
    return (StepState(row.step_id, row.step_status, row.step_completed_at) for row in rows if row.step_id)
