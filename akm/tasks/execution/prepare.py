"""From a task to what is dispatched: all that can be wrong is found here, before anything is written."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from akm.engine import sources, workplace
from akm.engine.runners.environment import ALLOWLIST
from akm.engine.workplace import Workplace
from akm.tasks import places
from akm.tasks.execution import engines, programs
from akm.tasks.files import interpreters, unused
from akm.tasks.files.task import Command, Script, Shell, Task
from akm.tasks.files.task import Workflow as WorkflowTarget

EVENT_SOURCE = "AKM_EVENT_SOURCE"
#: How each shell is told to run a text; the ones that take `-c` are not listed.
_SHELLS = {
    "pwsh": ("-NoProfile", "-NonInteractive", "-Command"),
    "powershell": ("-NoProfile", "-NonInteractive", "-Command"),
    "cmd": ("/d", "/s", "/c"),
}
_LEADING_AKM = re.compile(r"\A(\s*)akm(?=\s|\Z)")


@dataclass(frozen=True, slots=True)
class Program:
    """A process to be. `kind` is shell, script or command; `engine` is the name of a command's engine.

    `file` is the program that was found for the first of `argv`. `warnings` say what will have no effect.
    """

    kind: str
    argv: tuple[str, ...]
    file: str
    cwd: Path
    env: Mapping[str, str] = field(repr=False)
    timeout_ms: int | None = None
    stdin: bytes | None = field(repr=False, default=None)
    engine: str | None = None
    warnings: tuple[str, ...] = ()

    @property
    def ref(self) -> None:
        """Return None: only a workflow's ref is kept in the history."""


@dataclass(frozen=True, slots=True)
class Flow:
    """A workflow to be driven. `ref` is fully qualified; `work` is its bundle's, wherever one stands."""

    ref: str
    work: Workplace
    parameters: Mapping[str, Any] = field(repr=False)
    env: Mapping[str, str] = field(repr=False)
    warnings: tuple[str, ...] = ()
    kind: str = "workflow"
    engine: str | None = None


Prepared = Program | Flow


def prepare(
    task: Task,
    work: Workplace,
    inputs: Mapping[str, Any],
    *,
    environment: Mapping[str, str],
    launcher: Sequence[str],
) -> Prepared:
    """Resolve a task's target. Raises what is wrong with the task, its files or the configuration."""
    target = task.target
    env = {EVENT_SOURCE: "task", **environment, **task.env}
    if isinstance(target, WorkflowTarget):
        return _flow(task, target, work, inputs, env)
    if isinstance(target, Command):
        return _command(task, target, work, environment)
    if isinstance(target, Shell):
        return _shell(task, target, launcher, env)
    return _script(task, target, work, env)


def shell_argv(target: Shell, launcher: Sequence[str]) -> tuple[str, ...]:
    """Return the argv that runs a shell's text; a leading bare `akm` is this very installation."""
    shell = target.shell or "sh"
    text = _LEADING_AKM.sub(lambda found: found[1] + shlex.join(launcher), target.text)
    return (shell, *_SHELLS.get(shell, ("-c",)), text)


def _shell(task: Task, target: Shell, launcher: Sequence[str], env: Mapping[str, str]) -> Program:
    argv = shell_argv(target, launcher)
    cwd = places.directory(task, target.working_directory)
    _, file = programs.find(f"Task {task.id}", argv[:1], cwd=cwd, path=env.get("PATH"))
    return Program("shell", argv, file, cwd, env, task.timeout_ms, warnings=unused.sentences(task))


def _script(task: Task, target: Script, work: Workplace, env: Mapping[str, str]) -> Program:
    script = places.asset(task, target.ref, work.bundles)
    first, *options = interpreters.interpreter(script)
    cwd = places.directory(task, None)
    who = f"The script {script.name} of task {task.id}"
    name, file = programs.find(who, interpreters.names(first), cwd=cwd, path=env.get("PATH"))
    argv = (name, *options, str(script))
    return Program("script", argv, file, cwd, env, task.timeout_ms, warnings=unused.sentences(task))


def _flow(
    task: Task, target: WorkflowTarget, work: Workplace, inputs: Mapping[str, Any], env: Mapping[str, str]
) -> Flow:
    # Its bundle's scope and not the caller's: cron starts elsewhere than a person, and both mean one run.
    there = workplace.here(task.root, layers=work.layers)
    ref = target.ref if "//" in target.ref else f"{task.bundle}//{target.ref}"
    return Flow(sources.find(there, ref).ref, there, dict(inputs), env, unused.sentences(task))


def _command(task: Task, target: Command, work: Workplace, environment: Mapping[str, str]) -> Program:
    engine, text = engines.chosen(task, work), engines.text(task, target, work)
    # As a unit's agent: prose from a file gets no credential that nobody named.
    passed = {key: environment[key] for key in (*ALLOWLIST, *engine.pass_env) if key in environment}
    env = {EVENT_SOURCE: "task", **passed, **task.env}
    cwd = places.directory(task, None)
    who = f"The engine {engine.name} of task {task.id}"
    _, file = programs.find(who, engine.argv[:1], cwd=cwd, path=env.get("PATH"))
    return Program(
        "command",
        (*engine.argv, text) if engine.takes_argument else engine.argv,
        file,
        cwd,
        env,
        engine.timeout_ms,
        None if engine.takes_argument else text.encode("utf-8", "replace"),
        engine.name,
        (*unused.sentences(task), *engine.warnings),
    )
