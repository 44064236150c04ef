"""One call of every service on the ledger, with the rows it needs; what the generic tests go through."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from builders import AT, REF, a_child, a_run, a_spine, a_wanted, attempt, finished, later, publish, taken_away

import akm.services
from akm.services import (
    adoption,
    approvals,
    attempts,
    bundle_rename,
    events,
    forks,
    pruning,
    rebuilding,
    registry_cache,
    run_imports,
    runs,
    steps,
    task_history,
)
from akm.store import pruning as pruning_rows
from akm.store import sql
from akm.store.database import Database


@dataclass(frozen=True)
class Call:
    """`prepare` writes what the call needs and returns a value; `act` calls the service with it."""

    prepare: Callable[[Database], Any]
    act: Callable[[Database, Any], Any]


def nothing(_db: Database) -> None:
    """Prepare nothing."""


def a_running(db: Database) -> Any:
    run_id = publish(db, 2)
    return run_id, attempts.reserve(db, run_id, a_wanted(), at=AT)


def a_blocked(db: Database) -> str:
    run_id = publish(db, 2)
    steps.complete(db, run_id, "step-1", status="blocked", at=AT, notes="The judge is down.")
    return run_id


def reserve(db: Database, run_id: str) -> Any:
    return attempts.reserve(db, run_id, a_wanted(), at=later(1))


def finish(db: Database, running: Any) -> Any:
    return attempts.finish(db, running[0], finished(running[1], tokens=7, result_json='"r"'), at=later(1))


def advance(db: Database, running: Any) -> Any:
    ended, wanted = [finished(running[1])], [a_wanted("step-1#2"), a_wanted("step-1#3")]
    return attempts.advance(db, running[0], finished=ended, wanted=wanted, at=later(1))


def publish_top(db: Database, _value: None) -> Any:
    return runs.publish(db, a_run(), a_spine(2), refs=(REF,))


def publish_child(db: Database, parent_run_id: str) -> Any:
    return runs.publish_child(db, a_child(parent_run_id), a_spine(2))


def resume(db: Database, run_id: str) -> Any:
    return runs.resume(db, run_id, at=later(1))


def abandon(db: Database, run_id: str) -> Any:
    return runs.abandon(db, run_id, at=later(1))


def complete(db: Database, run_id: str) -> Any:
    return steps.complete(db, run_id, "step-1", status="completed", at=later(1), summary="Done.")


def a_judged_step(db: Database) -> Any:
    run_id = publish(db, 2)
    gate = a_wanted("step-1.gate:l1", node_id="step-1.gate", phase="gate")
    return run_id, attempts.reserve(db, run_id, gate, at=AT)


def complete_judged(db: Database, judged: Any) -> Any:
    run_id, reserved = judged
    verdict = finished(reserved, result_json='{"complete":true,"missing":[]}')
    return steps.complete(
        db, run_id, "step-1", status="completed", at=later(1), summary="Done.", judged=verdict
    )


def a_waiting_step(db: Database) -> str:
    run_id = publish(db, 2)
    evidence = '{"output":"draft","approval":{"state":"awaited","loop":1}}'
    steps.complete(db, run_id, "step-1", status="blocked", at=AT, notes="Waits.", evidence_json=evidence)
    return run_id


def a_decision(complete: bool) -> approvals.Decision:
    call = a_wanted("step-1.gate:l1", node_id="step-1.gate", phase="gate", runner="person")
    return approvals.Decision(call, f'{{"complete":{str(complete).lower()},"missing":[]}}', "ann", "Fine.")


def approve(db: Database, run_id: str) -> Any:
    return approvals.approve(db, run_id, "step-1", a_decision(True), value={"a": 1}, at=later(1))


def reject(db: Database, run_id: str) -> Any:
    return approvals.reject(db, run_id, "step-1", a_decision(False), reopens=False, at=later(1))


def send_back(db: Database, run_id: str) -> Any:
    return approvals.reject(db, run_id, "step-1", a_decision(False), reopens=True, at=later(1))


def a_half_done_run(db: Database) -> str:
    run_id = publish(db, 3)
    steps.complete(db, run_id, "step-1", status="completed", at=AT, summary="Done.", evidence_json="{}")
    runs.abandon(db, run_id, at=AT)
    return run_id


def fork(db: Database, run_id: str) -> Any:
    link = {"forked_from_run_id": run_id, "forked_from_step_id": "step-2", "current_step_id": "step-2"}
    return forks.fork(db, a_run(**link), a_spine(3)[1:], at=AT)


def record(db: Database, _value: None) -> Any:
    return events.record(db, "env_access", at=AT, metadata={"keys": 1})


def record_once(db: Database, _value: None) -> Any:
    return events.record_once(db, "env_access", "key", at=AT, metadata={"keys": 1})


def try_record(db: Database, _value: None) -> Any:
    complaints: list[str] = []
    landed = events.try_record(db, "env_access", at=AT, metadata={"keys": 1}, complain=complaints.append)
    assert landed == (not complaints)
    return landed


HOLDER = task_history.Holder(1, "host", 7)
ENDED = task_history.Ended("completed", later(1), 1000, target_kind="workflow", target_ref=REF)


def an_open_attempt(db: Database) -> str:
    return task_history.reserve(db, "nightly", at=AT, holder=HOLDER)


def an_ended_attempt(db: Database) -> None:
    task_history.finalize(db, "nightly", an_open_attempt(db), ENDED)


def reserve_task(db: Database, _value: None) -> Any:
    return task_history.reserve(db, "nightly", at=AT, holder=HOLDER)


def finalize_task(db: Database, started_at: str) -> Any:
    return task_history.finalize(db, "nightly", started_at, ENDED)


def record_task(db: Database, _value: None) -> Any:
    return task_history.record(db, "nightly", AT, ENDED)


def prune_tasks(db: Database, _value: None) -> Any:
    return task_history.prune(db, older_than=later(1))


def a_row_everywhere(db: Database) -> None:
    an_ended_attempt(db)
    publish(db)


def a_renamed_bundle(db: Database) -> None:
    bundle_rename.rename(db, "team", "crew", at=AT)


def rename_bundle(db: Database, _value: None) -> Any:
    return tuple(bundle_rename.rename(db, "team", "crew", at=later(1)))


def conclude_rename(db: Database, _value: None) -> Any:
    return bundle_rename.conclude(db, "team", "crew")


INDEX = "https://registry.example/index.json"


def a_kept_index(db: Database) -> None:
    registry_cache.put(db, INDEX, at=AT, index_json="{}", etag='"1"')


def put_index(db: Database, _value: None) -> Any:
    return registry_cache.put(db, INDEX, at=later(1), index_json="[]")


def renew_index(db: Database, _value: None) -> Any:
    return registry_cache.renew(db, INDEX, seen=AT, at=later(1))


def clear_indexes(db: Database, _value: None) -> Any:
    return registry_cache.clear(db)


def an_export(db: Database) -> Any:
    run_id = publish(db, 2)
    runs.publish_child(db, a_child(run_id), a_spine(1))
    attempt(db, run_id)
    return taken_away(db, run_id)


def admit(db: Database, found: Any) -> Any:
    return run_imports.admit(db, found)


def a_batch(_db: Database) -> adoption.Batch:
    run_id = "11111111-2222-4333-8444-555555555555"
    spine = [step._asdict() | {"run_id": run_id, "status": "pending"} for step in a_spine(2)]
    unit = a_wanted()._asdict() | {"run_id": run_id, "status": "completed", "started_at": AT, "attempt": 1}
    unit |= {"dispatch_id": "d", "claim_holder": "pid:7", "claim_expires_at": AT, "attempts": 1}
    event = {"event_type": "workflow_started", "ts": AT, "idempotency_key": f"workflow_started:{run_id}"}
    history = {"task_id": "nightly", "started_at": AT, "status": "completed"}
    cached = {"registry_url": "https://one.example", "fetched_at": AT, "index_json": "{}"}
    return adoption.Batch(
        [
            adoption.AdoptedRun(
                whole("RUN_ADOPT", a_run(id=run_id)._asdict()),
                [whole("STEP_ADOPT", step) for step in spine],
                [whole("UNIT_ADOPT", unit)],
                [whole("ATTEMPT_ADOPT", unit)],
            )
        ],
        [whole("EVENT_ADOPT", event | {"metadata_json": "{}"})],
        [whole("TASK_ADOPT", history | {"metadata_json": "{}"})],
        [whole("CACHE_ADOPT", cached)],
    )


def whole(statement: str, values: dict[str, Any]) -> dict[str, Any]:
    """Name every column that a statement writes; what `values` does not is null."""
    return {name: values.get(name) for name in getattr(sql, statement).params}


def adopt(db: Database, batch: adoption.Batch) -> Any:
    return adoption.adopt(db, batch, at=later(1))


def a_tree(db: Database) -> Any:
    run_id = publish(db, 2)
    runs.publish_child(db, a_child(run_id), a_spine(1))
    attempt(db, run_id)
    with db.read() as tx:
        return [tuple(pruning_rows.family(tx, [run_id]))]


def prune_runs(db: Database, trees: Any) -> Any:
    return pruning.prune_runs(db, trees)


def an_event_of_no_run(db: Database) -> None:
    events.record(db, "workflow_finished", at=AT, metadata={"runId": "gone"})


def sweep_events(db: Database, _value: None) -> Any:
    return pruning.sweep_events(db)


def a_wrong_projection(db: Database) -> None:
    attempt(db, publish(db))
    with db.immediate():
        db.connection.execute("UPDATE workflow_run_units SET unit_id = 'stray'")


def rebuild_units(db: Database, _value: None) -> Any:
    return rebuilding.rebuild_units(db)


CALLS = {
    "adoption.adopt": Call(a_batch, adopt),
    "attempts.reserve": Call(publish, reserve),
    "attempts.finish": Call(a_running, finish),
    "attempts.advance": Call(a_running, advance),
    "runs.publish": Call(nothing, publish_top),
    "runs.publish_child": Call(publish, publish_child),
    "runs.resume": Call(a_blocked, resume),
    "runs.abandon": Call(publish, abandon),
    "steps.complete": Call(publish, complete),
    "pruning.prune_runs": Call(a_tree, prune_runs),
    "pruning.sweep_events": Call(an_event_of_no_run, sweep_events),
    "rebuilding.rebuild_units": Call(a_wrong_projection, rebuild_units),
    "run_imports.admit": Call(an_export, admit),
    "steps.complete (judged)": Call(a_judged_step, complete_judged),
    "approvals.approve": Call(a_waiting_step, approve),
    "approvals.reject": Call(a_waiting_step, reject),
    "approvals.reject (sent back)": Call(a_waiting_step, send_back),
    "forks.fork": Call(a_half_done_run, fork),
    "events.record": Call(nothing, record),
    "events.record_once": Call(nothing, record_once),
    "events.try_record": Call(nothing, try_record),
    "task_history.reserve": Call(nothing, reserve_task),
    "task_history.finalize": Call(an_open_attempt, finalize_task),
    "task_history.record": Call(nothing, record_task),
    "task_history.prune": Call(an_ended_attempt, prune_tasks),
    "bundle_rename.rename": Call(a_row_everywhere, rename_bundle),
    "bundle_rename.conclude": Call(a_renamed_bundle, conclude_rename),
    "registry_cache.put": Call(a_kept_index, put_index),
    "registry_cache.renew": Call(a_kept_index, renew_index),
    "registry_cache.clear": Call(a_kept_index, clear_indexes),
}


def public_services() -> set[str]:
    """List every public function of `akm.services` that takes the database."""
    found = set()
    for module in pkgutil.iter_modules(akm.services.__path__):
        loaded = importlib.import_module(f"akm.services.{module.name}")
        for name, function in inspect.getmembers(loaded, inspect.isfunction):
            is_own = function.__module__ == loaded.__name__ and not name.startswith("_")
            if is_own and next(iter(inspect.signature(function).parameters), "") == "db":
                found.add(f"{module.name}.{name}")
    return found
