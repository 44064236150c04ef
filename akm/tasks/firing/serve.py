"""Firing tasks from a process of akm's own: what is due is started as a child, never two of one task at once.

Time, tasks and children are passed in; where they come from is not here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from akm import clock
from akm.errors import AkmError
from akm.tasks.files.task import Task
from akm.tasks.firing import due
from akm.tasks.firing.due import Due

#: Cron's own measure: a clock that goes back further was set, one that goes back less was corrected.
STEP_BACK_SECONDS = 3 * 3600
#: How far back missed fires are looked for.
LOOK_BACK_SECONDS = 7 * 86_400


class Child(Protocol):
    """A run of a task as a process of its own, such as `subprocess.Popen`."""

    def poll(self) -> int | None:
        """Return the exit status; None while it lives."""

    def terminate(self) -> None:
        """Ask it to end."""

    def kill(self) -> None:
        """End it."""


@dataclass(frozen=True, slots=True)
class Hands:
    """What a server reads and does.

    `last_start(task)` is when the history says that the task was started last. `missed(due, at)` writes down
    a fire that did not happen. `tell` hears each event as a JSON object.
    """

    tasks: Callable[[], list[Task]]
    start: Callable[[Due], Child]
    last_start: Callable[[Task], str | None]
    missed: Callable[[Due, str], None]
    tell: Callable[[dict[str, Any]], None]


@dataclass(slots=True)
class Server:
    """Fires tasks. `seen` is the moment up to which every fire is dealt with, in seconds since 1970."""

    hands: Hands
    seen: float
    catch_up: bool = False
    _children: dict[str, Child] = field(default_factory=dict)
    _waiting: list[Due] = field(default_factory=list)
    _known: list[Task] | None = None

    def tick(self, now: float) -> None:
        """Deal with everything that is due up to `now`."""
        self.reap()
        if now < self.seen:
            self._notice_step_back(now)
            return
        since, self.seen = max(self.seen, now - LOOK_BACK_SECONDS), now
        found = due.between(self._tasks(), since, now)[::-1]
        on_time = [one for one in found if not one.is_late]
        # What fires now anyway has caught up with that.
        dealt_with = {one.task.ref for one in on_time} if self.catch_up else set()
        for one in found:
            if one.is_late and one.task.ref not in dealt_with and not self._has_run(one):
                dealt_with.add(one.task.ref)
                self._fire_late(one, now)
        for one in on_time:
            self._fire(one)

    def reap(self) -> None:
        """Notice which children have ended, and start what waited for them."""
        for ref, child in list(self._children.items()):
            status = child.poll()
            if status is not None:
                del self._children[ref]
                self.hands.tell({"event": "ended", "ref": ref, "exitCode": status})
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            self._fire(one)

    @property
    def is_busy(self) -> bool:
        """Tell whether a child lives or a fire waits for one."""
        return bool(self._children or self._waiting)

    def stop(self) -> None:
        """Ask every child to end, and let nothing that waits begin."""
        for child in self._children.values():
            child.terminate()
        for one in self._waiting:
            self._tell(one, "skipped", why="it waited for the run before it, and serving ends")
        self._waiting.clear()

    def kill(self) -> None:
        """End every child that is left."""
        for child in self._children.values():
            child.kill()

    def _fire(self, one: Due) -> None:
        if one.task.ref not in self._children:
            try:
                self._children[one.task.ref] = self.hands.start(one)
            except OSError as error:
                self._tell(one, "failed", why=f"it cannot be started: {error.strerror}")
                return
            self._tell(one, "started")
        elif any((one.task.ref, one.number) == (other.task.ref, other.number) for other in self._waiting):
            self._tell(one, "skipped", why="the fire before it is still waiting")
        else:
            self._waiting.append(one)

    def _fire_late(self, one: Due, now: float) -> None:
        if self.catch_up:
            self._fire(one)
            return
        since = clock.stamp(one.first.timestamp())
        try:
            self.hands.missed(one, clock.stamp(now))
        except AkmError as error:
            self._tell(
                one, "failed", why=f"it was missed, and the history could not be told: {error.message}"
            )
            return
        self._tell(one, "missed", count=one.count, since=since, why="nothing was running to fire it")

    def _tasks(self) -> list[Task]:
        """Read the tasks; while the configuration is broken, as in the middle of an edit, those of before."""
        try:
            self._known = self.hands.tasks()
        except AkmError as error:
            if self._known is None:
                raise
            self.hands.tell({"event": "failed", "why": error.message})
        return self._known

    def _has_run(self, one: Due) -> bool:
        try:
            last = self.hands.last_start(one.task)
        except AkmError:
            return False  # Rather once too often than never.
        return last is not None and last >= clock.stamp(one.fire.timestamp())

    def _notice_step_back(self, now: float) -> None:
        if self.seen - now > STEP_BACK_SECONDS:
            self.seen = now
            self.hands.tell({"event": "clock-set-back", "to": clock.stamp(now)})

    def _tell(self, one: Due, event: str, **more: Any) -> None:
        self.hands.tell(
            {"event": event, "ref": one.task.ref, "due": clock.stamp(one.fire.timestamp()), **more}
        )
