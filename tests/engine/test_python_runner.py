"""Python callables as runners: whatever they return or raise, the run reaches a state that can be stored."""

from __future__ import annotations

import datetime
import json
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from python_runs import ECHO, FAN, PROSE, TYPED, driving, output, units

import akm
from akm.api import Dispatch, Outcome
from akm.store.database import Database


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of its own."""
    (tmp_path / "project/.git").mkdir(parents=True)
    return tmp_path / "project"


@pytest.fixture
def drive(project: Path, db: Database) -> Callable[..., Any]:
    """Write a workflow file and run it."""
    return driving(project, db)


def test_dispatchers_do_the_units_work_and_nothing_is_started(
    drive: Callable[..., Any], db: Database
) -> None:
    threads = set()

    def work(dispatch: Dispatch) -> Any:
        threads.add(threading.current_thread())
        if dispatch.item.step_id == "work":
            return dispatch.item.item * 10
        return sum(dict(dispatch.item.inputs)["steps.work.output"])

    result = drive(FAN, params={"items": [1, 2, 3]}, dispatchers={"exec": work})
    assert result.run["status"] == "completed"
    assert output(db, result.run["id"], "work") == [10, 20, 30]
    assert output(db, result.run["id"], "sum") == 60
    assert threading.main_thread() not in threads


def test_what_a_dispatcher_finished_is_not_done_again(drive: Callable[..., Any], db: Database) -> None:
    done: list[int] = []

    def work(dispatch: Dispatch) -> Any:
        if dispatch.item.step_id == "sum" and len(done) < 4:
            done.append(0)
            raise RuntimeError("not yet")
        done.append(dispatch.item.item or 0)
        return len(done)

    first = drive(FAN, params={"items": [1, 2, 3]}, dispatchers={"exec": work})
    assert (first.run["status"], first.exit_status) == ("failed", 1)
    akm.services.runs.resume(db, first.run["id"], at=first.run["updatedAt"])
    second = akm.run(db, first.run["id"], dispatchers={"exec": work})
    assert (second.run["status"], second.is_resumed) == ("completed", True)
    assert sorted(done) == [0, 0, 1, 2, 3]


def test_an_exception_fails_the_unit_and_names_it(drive: Callable[..., Any], db: Database) -> None:
    def work(_dispatch: Dispatch) -> Any:
        raise LookupError("no such planet \ud800")

    result = drive(ECHO, dispatchers={"exec": work})
    (unit,) = units(db, result.run["id"])
    assert (result.run["status"], unit["failureReason"]) == ("failed", "dispatch_error")
    assert unit["diagnostic"] == 'the dispatcher of unit "say:solo" raised LookupError: no such planet ?'


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), GeneratorExit()])
def test_even_an_exception_that_ends_threads_only_fails_the_unit(
    drive: Callable[..., Any], db: Database, error: BaseException
) -> None:
    def work(_dispatch: Dispatch) -> Any:
        raise error

    result = drive(ECHO, dispatchers={"exec": work})
    assert result.run["status"] == "failed"
    assert units(db, result.run["id"])[0]["diagnostic"].startswith("the dispatcher of unit")


def cyclic() -> Any:
    value: dict[str, Any] = {}
    value["self"] = value
    return value


def deep(levels: int) -> Any:
    value: Any = "core"
    for _ in range(levels):
        value = [value]
    return value


NO_JSON = {
    "bytes": (b"raw", "result: is of type bytes"),
    "set": ({"a": {1, 2}}, "result.a: is of type set"),
    "nan": ([float("nan")], "result[0]: is not a finite number"),
    "infinity": (float("inf"), "result: is not a finite number"),
    "datetime": ({"at": datetime.datetime(2026, 1, 1)}, "result.at: is of type datetime"),
    "cyclic": (cyclic(), "is nested too deeply"),
    "deep": (deep(61), "is nested too deeply"),
    "abyss": (deep(100_000), "is nested too deeply"),
    "number key": ({1: "one"}, "has a property name that is int"),
    "surrogate": ("\ud800", "its text: is not valid Unicode"),
    "digits": (10**5000, "not JSON"),
    "an object": (object(), "result: is of type object"),
}


@pytest.mark.parametrize("kind", NO_JSON)
def test_a_value_that_is_no_json_fails_the_unit_and_says_where(
    drive: Callable[..., Any], db: Database, kind: str
) -> None:
    value, said = NO_JSON[kind]
    result = drive(ECHO, dispatchers={"exec": lambda _dispatch: value})
    (unit,) = units(db, result.run["id"])
    assert (result.run["status"], unit["status"]) == ("failed", "failed")
    assert unit["failureReason"] == "dispatch_error"
    assert said in unit["diagnostic"]
    assert "say:solo" in unit["diagnostic"]


UNUSABLE = {
    "text": {"text": b"raw"},
    "result": {"result": {1}, "has_result": True},
    "tokens": {"tokens": "12"},
    "many tokens": {"tokens": 2**63},
    "output tokens": {"output_tokens": -1},
    "cost": {"cost": "1 USD"},
    "negative cost": {"cost": -0.5},
    "endless cost": {"cost": float("inf")},
    "status": {"status": "fine"},
    "warnings": {"warnings": (1,)},
    "session": {"session_id": "\ud800"},
    "diagnostic": {"status": "failed", "diagnostic": 7},
}


@pytest.mark.parametrize("kind", UNUSABLE)
def test_an_outcome_that_cannot_be_stored_fails_the_unit(
    drive: Callable[..., Any], db: Database, kind: str
) -> None:
    outcome = replace(Outcome("completed"), **UNUSABLE[kind])  # type: ignore[arg-type]
    result = drive(ECHO, dispatchers={"exec": lambda _dispatch: outcome})
    (unit,) = units(db, result.run["id"])
    assert (result.run["status"], unit["failureReason"]) == ("failed", "dispatch_error")


def test_the_deepest_result_allowed_can_be_stored_and_handed_on(
    drive: Callable[..., Any], db: Database
) -> None:
    def work(dispatch: Dispatch) -> Any:
        return deep(60) if dispatch.item.step_id == "work" else "seen"

    result = drive(FAN, params={"items": [1]}, dispatchers={"exec": work})
    assert result.run["status"] == "completed"
    assert output(db, result.run["id"], "work") == [deep(60)]


def test_an_outcome_keeps_its_tokens_cost_session_and_reason(drive: Callable[..., Any], db: Database) -> None:
    def work(dispatch: Dispatch) -> Outcome:
        if dispatch.item.item == 2:
            return Outcome("failed", failure_reason="llm_rate_limit", diagnostic="slow down", tokens=2)
        return Outcome(
            "completed", text="done", tokens=5, cost=0.5, session_id="s-1", warnings=("mind the gap",)
        )

    result = drive(FAN, params={"items": [1, 2]}, dispatchers={"exec": work})
    found = {unit["status"]: unit for unit in units(db, result.run["id"]) if unit["stepId"] == "work"}
    completed = found["completed"]
    assert (completed["tokens"], completed["cost"], completed["sessionId"]) == (5, 0.5, "s-1")
    assert (found["failed"]["tokens"], found["failed"]["failureReason"]) == (2, "llm_rate_limit")
    assert "mind the gap" in result.executed[0].notices


def test_a_result_must_fit_the_units_schema_whoever_made_it(drive: Callable[..., Any], db: Database) -> None:
    fits = drive(TYPED, dispatchers={"exec": lambda _dispatch: {"count": 1}})
    printed = drive(TYPED, dispatchers={"exec": lambda _dispatch: '{"count": 2}'})
    misses = drive(TYPED, dispatchers={"exec": lambda _dispatch: {"number": 1}})
    assert [it.run["status"] for it in (fits, printed, misses)] == ["completed", "completed", "failed"]
    assert output(db, printed.run["id"]) == {"count": 2}
    assert units(db, misses.run["id"])[0]["failureReason"] == "validation_error"


def test_a_result_changed_after_it_was_returned_is_kept_as_it_was(
    drive: Callable[..., Any], db: Database
) -> None:
    shared: list[int] = []

    def work(dispatch: Dispatch) -> Any:
        shared.append(dispatch.item.item or 0)
        return shared

    result = drive(FAN, params={"items": [1, 2]}, dispatchers={"exec": work}, max_concurrency=1)
    assert output(db, result.run["id"], "work") == [[1], [1, 2]]


def test_an_agent_dispatcher_gets_the_prose_and_may_wrap_its_json(
    project: Path, drive: Callable[..., Any], db: Database
) -> None:
    (project / ".akm").mkdir()
    (project / ".akm/config.toml").write_text(
        '[defaults]\nengine = "mind"\n[engines.mind]\nkind = "agent"\ncommand = ["false"]\n'
    )
    asked = []

    def think(dispatch: Dispatch) -> str:
        asked.append(dispatch.item.node.instructions)
        return 'Well: {"answer": 42}'

    result = drive(PROSE, dispatchers={"agent": think})
    assert result.run["status"] == "completed"
    assert (output(db, result.run["id"], "think"), asked) == ({"answer": 42}, ["Think about it."])


def test_kinds_without_a_dispatcher_run_as_they_always_do(drive: Callable[..., Any], db: Database) -> None:
    result = drive(ECHO, dispatchers={"agent": lambda _dispatch: "never"})
    assert json.loads(output(db, result.run["id"])) == {"word": "hello"}


def test_a_timeout_stops_a_dispatcher_that_looks_at_its_abort(drive: Callable[..., Any]) -> None:
    def wait(dispatch: Dispatch) -> Any:
        assert dispatch.abort.wait(30)
        raise TimeoutError

    result = drive(ECHO, dispatchers={"exec": wait}, timeout_seconds=0.05)
    assert (result.run["status"], result.aborted_by, result.exit_status) == ("active", "timeout", 1)
