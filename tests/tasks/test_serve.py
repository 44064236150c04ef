"""Firing tasks without cron, with a clock and children of the test's own."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from akm import clock
from akm.errors import ConfigError, TransientError
from akm.tasks.files.task import Schedule, Shell, Task
from akm.tasks.firing import due, serve
from akm.tasks.firing.due import Due
from akm.tasks.firing.serve import Hands, Server

NOON = clock.seconds("2026-12-02T12:00:00.000Z")
MINUTE, HOUR, DAY = 60, 3600, 86_400


@pytest.fixture(autouse=True)
def _in_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    between = due.between
    monkeypatch.setattr(
        serve.due, "between", lambda tasks, since, until: between(tasks, since, until, zone=UTC)
    )


@dataclass
class Fake:
    """A child that ends when the test says so."""

    due: Due
    status: int | None = None
    signals: list[str] = field(default_factory=list)

    def poll(self) -> int | None:
        return self.status

    def terminate(self) -> None:
        self.signals.append("terminate")

    def kill(self) -> None:
        self.signals.append("kill")


@dataclass
class World:
    """What a server reads and does, remembered."""

    tasks: list[Task]
    children: list[Fake] = field(default_factory=list)
    missed: list[tuple[str, str]] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    last: str | None = None

    def server(self, seen: float = NOON, **more: Any) -> Server:
        def start(one: Due) -> Fake:
            self.children.append(Fake(one))
            return self.children[-1]

        def missed(one: Due, at: str) -> None:
            self.missed.append((clock.stamp(one.fire.timestamp()), at))

        hands = Hands(lambda: self.tasks, start, lambda _task: self.last, missed, self.events.append)
        return Server(hands, seen, **more)


def a_task(*crons: str, name: str = "t") -> Task:
    root = Path("/nowhere")
    schedules = tuple(Schedule(cron) for cron in crons)
    return Task(name, "team", root / f"tasks/{name}.yml", root, Shell("true"), schedules=schedules)


def test_a_task_fires_once_when_it_is_due() -> None:
    world = World([a_task("5 12 * * *")])
    server = world.server()
    for minute in range(1, 8):
        server.tick(NOON + minute * MINUTE)
        for child in world.children:
            child.status = 0
    assert len(world.children) == 1
    assert world.events[0]["due"] == "2026-12-02T12:05:00.000Z"
    assert [event["event"] for event in world.events] == ["started", "ended"]


def test_never_two_of_one_task_at_once() -> None:
    world = World([a_task("* * * * *")])
    server = world.server()
    for minute in (1, 2, 3):
        server.tick(NOON + minute * MINUTE)
    assert len(world.children) == 1
    assert world.events[-1]["event"] == "skipped"
    world.children[0].status = 0
    server.reap()
    assert len(world.children) == 2


def test_two_schedules_of_one_task_run_one_after_the_other() -> None:
    world = World([a_task("1 12 * * *", "1 * * * *")])
    server = world.server()
    server.tick(NOON + MINUTE)
    assert len(world.children) == 1
    world.children[0].status = 0
    server.reap()
    assert {child.due.number for child in world.children} == {1, 2}


def test_after_a_sleep_what_was_missed_is_written_down_once_per_task() -> None:
    world = World([a_task("* * * * *"), a_task("30 12 * * *", name="other")])
    server = world.server()
    server.tick(NOON + 8 * HOUR + 30)
    # The first is due this very minute; the other one is long past.
    assert [child.due.task.id for child in world.children] == ["t"]
    at = "2026-12-02T20:00:30.000Z"
    assert world.missed == [("2026-12-02T19:58:00.000Z", at), ("2026-12-02T12:30:00.000Z", at)]
    server.tick(NOON + 8 * HOUR + 40)
    assert len(world.missed) == 2


def test_a_fire_on_time_hides_none_that_was_missed_before_it() -> None:
    world = World([a_task("0 * * * *")])
    world.server().tick(NOON + 3 * HOUR)
    assert world.missed == [("2026-12-02T14:00:00.000Z", "2026-12-02T15:00:00.000Z")]
    (missed, started) = world.events
    assert (missed["event"], missed["count"], missed["since"]) == ("missed", 2, "2026-12-02T13:00:00.000Z")
    assert (started["event"], started["due"]) == ("started", "2026-12-02T15:00:00.000Z")


def test_a_fire_on_time_catches_up_with_what_was_missed() -> None:
    world = World([a_task("0 * * * *")])
    server = world.server(catch_up=True)
    server.tick(NOON + 3 * HOUR)
    assert (len(world.children), world.missed, server._waiting) == (1, [], [])


def test_catching_up_fires_each_missed_task_once() -> None:
    world = World([a_task("30 * * * *", "15 * * * *")])
    server = world.server(catch_up=True)
    server.tick(NOON + 8 * HOUR)
    assert [child.due.fire.minute for child in world.children] == [30]
    assert world.missed == []
    world.children[0].status = 0
    server.tick(NOON + 8 * HOUR + MINUTE)
    assert len(world.children) == 1


def test_what_something_else_ran_meanwhile_was_not_missed() -> None:
    world = World([a_task("30 12 * * *")], last="2026-12-02T12:30:01.000Z")
    world.server(catch_up=True).tick(NOON + 8 * HOUR)
    assert (world.children, world.missed) == ([], [])


def test_a_clock_that_is_corrected_back_fires_nothing_twice() -> None:
    world = World([a_task("5 12 * * *")])
    server = world.server()
    server.tick(NOON + 6 * MINUTE)
    world.children[0].status = 0
    server.tick(NOON + 3 * MINUTE)
    server.tick(NOON + 6 * MINUTE + 1)
    assert len(world.children) == 1


def test_a_clock_that_was_set_back_by_hours_is_believed() -> None:
    world = World([a_task("5 12 * * *")])
    server = world.server(NOON + DAY)
    server.tick(NOON)
    assert world.events[-1]["event"] == "clock-set-back"
    server.tick(NOON + 5 * MINUTE)
    assert len(world.children) == 1


def test_stopping_asks_every_child_and_lets_nothing_wait() -> None:
    world = World([a_task("1 12 * * *", "1 * * * *"), a_task("1 12 * * *", name="other")])
    server = world.server()
    server.tick(NOON + MINUTE)
    server.stop()
    assert [child.signals for child in world.children] == [["terminate"], ["terminate"]]
    for child in world.children:
        child.status = 143
    server.reap()
    assert not server.is_busy


def test_a_child_that_cannot_be_started_stops_nothing() -> None:
    world = World([a_task("1 12 * * *"), a_task("1 12 * * *", name="other")])

    def start(_one: Due) -> Fake:
        raise FileNotFoundError(2, "No such file or directory")

    server = world.server()
    hands = Hands(
        server.hands.tasks, start, server.hands.last_start, server.hands.missed, world.events.append
    )
    Server(hands, NOON).tick(NOON + MINUTE)
    assert [event["event"] for event in world.events] == ["failed", "failed"]


def test_what_waits_when_serving_ends_is_told() -> None:
    world = World([a_task("* * * * *")])
    server = world.server()
    server.tick(NOON + MINUTE)
    server.tick(NOON + 2 * MINUTE)
    server.stop()
    assert (world.events[-1]["event"], world.events[-1]["due"]) == ("skipped", "2026-12-02T12:02:00.000Z")


def test_a_configuration_that_breaks_stops_no_server() -> None:
    world = World([a_task("* * * * *")])
    answers: list[Any] = [world.tasks, ConfigError("config.toml: no."), ConfigError("config.toml: no.")]

    def tasks() -> list[Task]:
        answer = answers.pop(0)
        if isinstance(answer, ConfigError):
            raise answer
        return answer  # type: ignore[no-any-return]

    server = world.server()
    server.hands = replace(server.hands, tasks=tasks)
    server.tick(NOON + MINUTE)
    world.children[0].status = 0
    server.tick(NOON + 2 * MINUTE)
    assert len(world.children) == 2
    assert {"event": "failed", "why": "config.toml: no."} in world.events
    with pytest.raises(ConfigError):
        Server(server.hands, NOON).tick(NOON + MINUTE)


def test_a_history_that_cannot_be_used_stops_no_server() -> None:
    world = World([a_task("30 12 * * *")])

    def held(*_given: Any) -> Any:
        raise TransientError("The database is held.")

    for catch_up in (False, True):
        server = world.server(catch_up=catch_up)
        server.hands = replace(server.hands, last_start=held, missed=held)
        server.tick(NOON + 8 * HOUR)
        expected = "started" if catch_up else "failed"
        assert world.events[-1]["event"] == expected
