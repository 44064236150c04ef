"""Signals to a unit's process group, and whether any of it lives. When to stop it is decided elsewhere."""

from __future__ import annotations

import os
import signal


def terminate(group: int) -> None:
    """Ask every process of the group to end."""
    _send(group, signal.SIGTERM)


def kill(group: int) -> None:
    """End every process of the group that the system lets us end."""
    _send(group, signal.SIGKILL)


def is_alive(group: int) -> bool:
    """Tell whether a process of the group is left, the leader having been reaped before."""
    return _send(group, 0) and _has_living_member(group)


def _send(group: int, number: int) -> bool:
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    except PermissionError:
        # Something lives there under another user (sudo): not ours to signal, but not gone either.
        return True
    return True


def _has_living_member(group: int) -> bool:
    # A dead process that nobody reaps still takes signals, and in a container often nobody does.
    try:
        numbers = [name for name in os.listdir("/proc") if name.isdigit()]
    except FileNotFoundError:
        return True
    return not numbers or any(_lives_in(group, number) for number in numbers)


def _lives_in(group: int, number: str) -> bool:
    try:
        with open(f"/proc/{number}/stat", "rb", buffering=0) as file:
            state, _, member_of = file.read(1024).rpartition(b")")[2].split()[:3]
    except (OSError, ValueError):
        return False
    return int(member_of) == group and state not in (b"Z", b"X")
