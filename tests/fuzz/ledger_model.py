"""What the services say they do, done to plain dicts: runs with their steps and attempts, and the events.

An act returns what the service returns, or REFUSED when the service raises; then nothing has changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from refusals import REFUSED

Row = dict[str, Any]
DONE = ("completed", "skipped")
#: Columns of an attempt that its end writes.
ENDING = ("status", "result_json", "tokens", "failure_reason", "finished_at")


@dataclass
class ModelRun:
    """One run: its own row, its steps in order, and the attempts of each unit in order."""

    row: Row
    steps: list[Row]
    units: dict[str, list[Row]] = field(default_factory=dict)

    @property
    def status(self) -> str:
        return str(self.row["status"])

    def step(self, step_id: str) -> Row | None:
        return next((step for step in self.steps if step["step_id"] == step_id), None)

    def current(self) -> Row | None:
        return self.step(self.row["current_step_id"])

    def follow(self, at: str) -> None:
        """Let the run's state follow from its steps."""
        first = {step["status"]: step for step in reversed(self.steps)}
        stopped = min(
            (first[status] for status in ("failed", "blocked") if status in first),
            key=self.steps.index,
            default=None,
        )
        state = {"status": "completed", "current_step_id": None, "completed_at": None}
        if stopped is not None:
            state |= {"status": stopped["status"], "current_step_id": stopped["step_id"]}
        elif "pending" in first:
            state |= {"status": "active", "current_step_id": first["pending"]["step_id"]}
        else:
            state["completed_at"] = max(step["completed_at"] for step in self.steps)
        self.row |= state | {"updated_at": at}


class Model:
    """The ledger. `events` are (type, ref, metadata, key under which the type is written once or None)."""

    def __init__(self) -> None:
        self.runs: dict[str, ModelRun] = {}
        self.events: list[tuple[str, str | None, Row, str | None]] = []

    def tell(self, kind: str, run_id: str, *, once: bool = False, **metadata: Any) -> None:
        key = f"{kind}:{run_id}" if once else None
        if key is None or all(event[3] != key for event in self.events):
            ref = self.runs[run_id].row["workflow_ref"]
            self.events.append((kind, ref, {"runId": run_id, **metadata}, key))

    def is_active_in_scope(self, ref: str, scope: str) -> bool:
        rows = (run.row for run in self.runs.values())
        wanted = (ref, scope, "active", None)
        names = ("workflow_ref", "scope_key", "status", "parent_run_id")
        return any(tuple(row[name] for name in names) == wanted for row in rows)

    def publish(self, row: Row, steps: list[Row], *, force: bool) -> Any:
        if not force and self.is_active_in_scope(row["workflow_ref"], row["scope_key"]):
            return REFUSED
        self.runs[row["id"]] = ModelRun(row, steps)
        self.tell("workflow_started", row["id"], once=True, status="active")
        return None

    def publish_child(self, row: Row, steps: list[Row]) -> Any:
        for known in self.children(row["parent_run_id"]):
            if known.row["invocation_key"] == row["invocation_key"]:
                return known.row["id"]
        self.publish(row, steps, force=True)
        return row["id"]

    def fork(self, row: Row, left: list[Row], *, with_units: bool, force: bool) -> Any:
        source = self.runs.get(row["forked_from_run_id"])
        if not force and self.is_active_in_scope(row["workflow_ref"], row["scope_key"]):
            return REFUSED
        before = [] if source is None else source.steps[: left[0]["sequence_index"]]
        if source is None or any(step["status"] not in DONE for step in before):
            return REFUSED
        made = ModelRun(row, [*map(dict, before), *left])
        step_id = row["forked_from_step_id"]
        for unit_id, attempts in source.units.items() if with_units else ():
            last = attempts[-1]
            if (last["step_id"], last["phase"], last["status"]) == (step_id, "unit", "completed"):
                made.units[unit_id] = [last | {"attempt": 1, "tokens": None, "failure_reason": None}]
        self.runs[row["id"]] = made
        source_id = source.row["id"]
        self.tell("workflow_forked", row["id"], forkedFromRunId=source_id, stepId=step_id)
        return None

    def children(self, run_id: str) -> list[ModelRun]:
        found = [run for run in self.runs.values() if run.row["parent_run_id"] == run_id]
        return sorted(found, key=lambda run: (run.row["created_at"], run.row["id"]))

    def below(self, run_id: str) -> Iterator[ModelRun]:
        for child in self.children(run_id):
            yield child
            yield from self.below(child.row["id"])

    def resume(self, run_id: str, at: str) -> Any:
        run = self.runs.get(run_id)
        if run is None or run.status == "completed":
            return REFUSED
        if run.status == "active":
            return False
        run.row |= {"status": "active", "completed_at": None, "updated_at": at}
        step = run.current()
        if step is not None and step["status"] in ("blocked", "failed"):
            step |= {"status": "pending"} | dict.fromkeys(
                ("notes", "evidence_json", "summary", "completed_at")
            )
        self.tell("workflow_resumed", run_id, status="active")
        return True

    def abandon(self, run_id: str, at: str) -> Any:
        run = self.runs.get(run_id)
        if run is None or run.status not in ("active", "blocked"):
            return REFUSED
        ended = [one for one in (run, *self.below(run_id)) if one.status in ("active", "blocked")]
        for one in ended:
            one.row |= {"status": "failed", "completed_at": at, "updated_at": at}
            self.tell("workflow_abandoned", one.row["id"], once=True)
        return tuple(one.row["id"] for one in ended[1:])

    def reserve(self, run: ModelRun, wanted: Iterable[Row], at: str, dispatch_ids: Iterable[str]) -> Any:
        """Reserve attempts, in this order; the ids of dispatches are the ledger's."""
        reserved = []
        for one, dispatch_id in zip(wanted, dispatch_ids, strict=True):
            journal = run.units.setdefault(one["unit_id"], [])
            is_reclaimed = bool(journal) and journal[-1]["status"] == "running"
            if not is_reclaimed:
                fresh = {"attempt": len(journal) + 1, "dispatch_id": dispatch_id, "started_at": at}
                journal.append(one | fresh | dict.fromkeys(ENDING) | {"status": "running"})
                self._tell_attempt("started", run, journal[-1])
            last = journal[-1]
            reserved.append((one["unit_id"], last["attempt"], last["dispatch_id"], is_reclaimed))
        return tuple(reserved)

    def finish(self, run: ModelRun, ending: Row, at: str) -> bool:
        """End an attempt; False when it is not running (any more)."""
        key = ("attempt", "dispatch_id")
        for attempt in run.units.get(ending["unit_id"], ()):
            is_this = all(attempt[name] == ending[name] for name in key) and attempt["status"] == "running"
            if is_this:
                attempt |= {name: ending.get(name) for name in ENDING} | {"finished_at": at}
                self._tell_attempt("finished", run, attempt)
                return True
        return False

    def _tell_attempt(self, what: str, run: ModelRun, attempt: Row) -> None:
        names = {"step_id": "stepId", "unit_id": "unitId", "attempt": "attempt", "dispatch_id": "dispatchId"}
        names |= {"phase": "phase", "status": "status"}
        metadata = {shown: attempt[name] for name, shown in names.items()}
        more = {"failureReason": attempt["failure_reason"], "tokens": attempt["tokens"]}
        metadata |= {name: value for name, value in more.items() if value is not None}
        self.tell(f"workflow_unit_{what}", run.row["id"], **metadata)

    def end_step(self, run: ModelRun, step: Row, ending: Row, at: str) -> tuple[Any, ...]:
        """Give a step its ending, let the run follow, and tell of it."""
        step |= ending
        run.follow(at)
        is_done = step["status"] == "completed"
        kind = "workflow_step_completed" if is_done else "workflow_step_updated"
        run_id = run.row["id"]
        self.tell(kind, run_id, stepId=step["step_id"], status=step["status"])
        if run.status == "completed":
            self.tell("workflow_finished", run_id)
        return tuple(run.row[name] for name in ("status", "current_step_id", "completed_at"))

    def rename(self, old: str, new: str) -> tuple[int, int]:
        """Move refs to another bundle and count the runs and the events that it changed."""
        moved = [run.row for run in self.runs.values() if run.row["workflow_ref"].startswith(f"{old}//")]
        for row in moved:
            row["workflow_ref"] = row["workflow_ref"].replace(f"{old}//", f"{new}//", 1)
        is_moved = [ref is not None and ref.startswith(f"{old}//") for _kind, ref, *_rest in self.events]
        self.events = [
            (kind, (ref or "").replace(f"{old}//", f"{new}//", 1) if moves else ref, metadata, key)
            for moves, (kind, ref, metadata, key) in zip(is_moved, self.events, strict=True)
        ]
        return len(moved), sum(is_moved)

    def is_left(self, metadata: Row) -> bool:
        """Tell whether an event is of a run that is gone."""
        return "runId" in metadata and metadata["runId"] not in self.runs

    def told(self) -> Counter[tuple[str, str | None, tuple[Any, ...]]]:
        return Counter((kind, ref, tuple(sorted(one.items()))) for kind, ref, one, _key in self.events)
