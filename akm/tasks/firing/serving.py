"""The process that serves: what it starts, its memory of how far it came, its loop until a signal."""

from __future__ import annotations

import json
import math
import subprocess
from collections.abc import Callable
from pathlib import Path
from time import monotonic

from akm import clock, paths
from akm.engine.abort import Abort
from akm.errors import AkmError, ConfigError
from akm.tasks import catalog, memory
from akm.tasks.execution import launcher
from akm.tasks.files.task import Task
from akm.tasks.firing import activation
from akm.tasks.firing.due import Due
from akm.tasks.firing.serve import Server
from akm.tasks.schedulers.row import flags

#: What the children of a stopped server have to end: their own patience with what they run, and some more.
STOP_SECONDS = 15.0
_LOOK_SECONDS = 0.05


def enabled_tasks(complain: Callable[[str], None]) -> list[Task]:
    """Read the tasks that are switched on and have a schedule; complains of each that cannot be read."""
    known = activation.bundles()
    found = []
    for ref in activation.enabled(complain) or ():
        file = activation.file(ref, known)
        if file is None:
            complain(f"{ref} is enabled, but its bundle is not configured in the user's file.")
            continue
        try:
            found.append(catalog.read(file))
        except AkmError as error:
            complain(f"{ref} is enabled and cannot be run: {error.message}")
    return [task for task in found if task.schedules]


def start(one: Due) -> subprocess.Popen[bytes]:
    """Start `akm task run` for a fire. Raises OSError."""
    task = one.task
    own = ("task", "run", task.id, "--bundle", task.bundle, "--scheduled", "--skip-if-running")
    return subprocess.Popen(
        [*launcher.argv(), *own, *flags(one.trigger.inputs)],
        cwd=task.root,
        stdin=subprocess.DEVNULL,
        # How it went is in the history; what it warns of stays visible.
        stdout=subprocess.DEVNULL,
        # A terminal's interrupt reaches the server, which hands it on.
        start_new_session=True,
    )


def beginning(now: float, *, once: bool) -> float:
    """Return from when on fires count: where the last server ended, else now, or this minute for `once`."""
    try:
        return min(now, clock.seconds(json.loads(_memory().read_text(encoding="utf-8"))["seenUntil"]))
    except (OSError, ValueError, KeyError, TypeError):
        return math.floor(now / 60) * 60 - 0.001 if once else now


def remember(seen: float) -> None:
    """Write down how far the server came. Raises ConfigError when that is impossible."""
    memory.keep(_memory(), {"seenUntil": clock.stamp(seen)})


def loop(server: Server, abort: Abort, *, now: Callable[[], float], once: bool) -> None:
    """Serve until `abort` is set; with `once` only until what is due now has ended."""
    remember(server.seen)
    while not abort.is_set:
        server.tick(now())
        _keep_on(server)
        if once:
            break
        _wait_for_minute(server, abort, now)
    while once and server.is_busy and not abort.wait(_LOOK_SECONDS):
        server.reap()
    _stop(server)


def _keep_on(server: Server) -> None:
    """Remember how far the server came; a disk that is full for a while stops no server."""
    try:
        remember(server.seen)
    except ConfigError as error:
        server.hands.tell({"event": "failed", "why": error.message})


def _wait_for_minute(server: Server, abort: Abort, now: Callable[[], float]) -> None:
    """Wait for the next whole minute; what waits for a child is started as soon as that has ended."""
    until = math.floor(now() / 60) * 60 + 60
    while (left := until - now()) > 0 and not abort.wait(min(left, 1.0) if server.is_busy else min(left, 60)):
        if server.is_busy:
            server.reap()
        if left > 60:
            return  # The clock was set back meanwhile.


def _stop(server: Server) -> None:
    server.stop()
    deadline = monotonic() + STOP_SECONDS
    with_patience = Abort()
    try:
        while server.is_busy and monotonic() < deadline:
            with_patience.wait(_LOOK_SECONDS)
            server.reap()
    finally:
        with_patience.close()
    server.kill()


def _memory() -> Path:
    return paths.state_dir() / "tasks" / "serve.json"
