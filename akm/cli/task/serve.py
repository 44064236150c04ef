"""`akm task serve`: fire the enabled tasks when they are due, without cron, until a signal comes."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING, Annotated, Any

import typer

from akm.cli import output

if TYPE_CHECKING:
    from akm.tasks.firing.serve import Hands

CatchUp = Annotated[
    bool, typer.Option("--catch-up", help="Fire once what was missed, as while the machine slept.")
]
Once = Annotated[bool, typer.Option("--once", help="Fire what is due now, wait for it, and end.")]


def serve(catch_up: CatchUp = False, once: Once = False) -> int:
    """Fire enabled tasks as their schedules say, each in a process of its own, until a signal comes."""
    from akm.engine.abort import Abort
    from akm.engine.signals import stopping
    from akm.tasks.execution import outcome
    from akm.tasks.firing import serving
    from akm.tasks.firing.serve import Server
    from akm.tasks.schedulers import lock

    with lock.serving(), closing(Abort()) as abort, stopping(abort):
        hands = _hands()
        if not once:
            _greet(hands)
        server = Server(hands, serving.beginning(time.time(), once=once), catch_up)
        serving.loop(server, abort, now=time.time, once=once)
        return outcome.of_signal(abort.reason) or 0


def _greet(hands: Hands) -> None:
    from akm.tasks.firing import firing_state

    count = len(hands.tasks())
    output.tell(f"Serving {count} task{'' if count == 1 else 's'} until a signal comes.")
    if not count:
        output.warn(
            "No task is enabled yet; enable one with `akm task enable REF`, it is noticed within a minute."
        )
    rivals = firing_state.look().rivals()
    if rivals is not None:
        output.warn(rivals)


def _hands() -> Hands:
    from akm.cli import ledger
    from akm.tasks.execution import running
    from akm.tasks.files.task import Task
    from akm.tasks.firing import missed, serving
    from akm.tasks.firing.due import Due
    from akm.tasks.firing.serve import Hands

    said: set[str] = set()

    def complain(text: str) -> None:
        if text not in said:
            said.add(text)
            output.warn(text)

    def last_start(task: Task) -> str | None:
        with ledger.opened() as db:
            return running.last_start(db, task)

    def record(one: Due, at: str) -> None:
        output.warn(f"{one.task.ref} was missed {one.count} time(s), last at {one.fire:%Y-%m-%d %H:%M}.")
        with ledger.opened() as db:
            missed.record(db, one, at=at)

    return Hands(lambda: serving.enabled_tasks(complain), serving.start, last_start, record, _tell)


def _tell(event: dict[str, Any]) -> None:
    output.stream(event, _line)
    output.finish()


def _line(event: dict[str, Any]) -> str:
    more = [f"exit {event['exitCode']}"] if "exitCode" in event else []
    more += [str(event[key]) for key in ("why", "due", "to") if key in event]
    return f"{event['event']} {event.get('ref', '')} ({', '.join(more)})"
