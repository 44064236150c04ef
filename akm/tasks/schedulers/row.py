"""One row of the schedule: which task it fires, whose it is, and the command line of its fire."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from akm.tasks import schedule
from akm.tasks.files.task import Schedule, Task

#: What cron takes of one line, its line break included.
LONGEST_LINE = 1_000
_NATIVE = re.compile(r"(?P<ref>.+?)(?:\+(?P<number>[0-9]+))?@(?P<installation>[0-9a-f]{8})\Z")
_NEGATIVE_NUMBER = re.compile(r"-[0-9]")


@dataclass(frozen=True, slots=True)
class Installation:
    """The akm whose rows these are: its mark, how it is started, and where what its rows print goes.

    `environment` is what the command needs to find the same directories again.
    """

    mark: str
    launcher: tuple[str, ...]
    logs: Path
    environment: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Row:
    """A row that should be: the expression as cron reads it, and the command as a shell reads it."""

    native_id: str
    ref: str
    path: Path
    expression: str
    command: str

    @property
    def line(self) -> str:
        """Return the line of the crontab."""
        return line(self.expression, self.command)


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose a row is, as its native id tells."""

    ref: str
    installation: str

    @property
    def bundle(self) -> str:
        """Return the name of the bundle that the task is in."""
        return self.ref.partition("//")[0]


def owner(native_id: str) -> Owner | None:
    """Tell whose row this is; None for a row that no akm of this kind wrote."""
    found = _NATIVE.match(native_id)
    return Owner(found["ref"], found["installation"]) if found and "//" in found["ref"] else None


def rows(task: Task, installation: Installation) -> list[Row]:
    """Compile the rows of a task, one for each of its schedules."""
    return [_row(task, trigger, number, installation) for number, trigger in enumerate(task.schedules, 1)]


def line(expression: str, command: str) -> str:
    """Write a crontab's line. Cron would take a bare `%` for a line break."""
    return f"{expression} {command}".replace("%", "\\%")


def _row(task: Task, trigger: Schedule, number: int, installation: Installation) -> Row:
    name = task.ref if number == 1 else f"{task.ref}+{number}"
    log = installation.logs / task.bundle / f"{task.id}{'' if number == 1 else f'+{number}'}.log"
    fire = [*installation.launcher, "task", "run", task.id, "--bundle", task.bundle, "--scheduled"]
    fire += flags(trigger.inputs)
    variables = [f"{key}={shlex.quote(value)}" for key, value in sorted(installation.environment.items())]
    command = " ".join([*variables, shlex.join(fire), ">", shlex.quote(str(log)), "2>&1"])
    return Row(f"{name}@{installation.mark}", task.ref, task.path, schedule.check(trigger.cron), command)


def flags(inputs: Mapping[str, Any]) -> Sequence[str]:
    """Write literal inputs as the flags of `akm task run`, sorted by name."""
    words: list[str] = []
    for name in sorted(inputs):
        value = inputs[name]
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if text.startswith("-") and not _NEGATIVE_NUMBER.match(text):
            words.append(f"--{name}={text}")  # As a word of its own it would be taken for a flag.
        else:
            words += [f"--{name}", text]
    return words
