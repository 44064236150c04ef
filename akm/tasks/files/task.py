"""A task file of version 4 as checked values. Nothing here reads a file, a clock or a database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from akm.ref_grammar import PROJECT

#: Six hours: what a task gets that says nothing itself.
DEFAULT_TIMEOUT_MS = 6 * 60 * 60 * 1000


@dataclass(frozen=True, slots=True)
class Shell:
    """`run:` text for a shell. `shell` None is the host's `sh`; the directory is relative to the bundle."""

    text: str
    shell: str | None = None
    working_directory: str | None = None
    kind: Literal["shell"] = "shell"


@dataclass(frozen=True, slots=True)
class Script:
    """`uses: scripts/...`: a file of the bundle and the interpreter its ending stands for."""

    ref: str
    kind: Literal["script"] = "script"


@dataclass(frozen=True, slots=True)
class Workflow:
    """`uses: workflows/...`: a durable run, with the inputs as parameters."""

    ref: str
    kind: Literal["workflow"] = "workflow"


@dataclass(frozen=True, slots=True)
class Command:
    """`uses: akm/command`: prose for an engine, either `content` itself or a `commands/...` ref."""

    content: str | None = None
    ref: str | None = None
    arguments: str | None = None
    kind: Literal["command"] = "command"


Target = Shell | Script | Workflow | Command


@dataclass(frozen=True, slots=True)
class Input:
    """A declared input: its JSON Schema without `default` and `required`, and those two."""

    schema: Mapping[str, Any]
    default: Any = None
    has_default: bool = False
    is_required: bool = False


@dataclass(frozen=True, slots=True)
class Schedule:
    """One trigger: a five-field expression or an alias, and literal inputs for its fires."""

    cron: str
    inputs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Task:
    """One task file. `timeout_ms` None is explicitly unbounded; absent in the file gives the default.

    `ref` is the fully qualified `bundle//tasks/id`. `root` is the bundle's folder. Refs of targets are
    qualified. `not_applied` names the keys whose form was checked and that change nothing. Without
    `says_timeout` the file has none, and an engine's own goes before the default.
    """

    id: str
    bundle: str
    path: Path
    root: Path
    target: Target
    name: str | None = None
    description: str | None = None
    when_to_use: str | None = None
    tags: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    inputs: Mapping[str, Input] = field(default_factory=dict)
    schedules: tuple[Schedule, ...] = ()
    agent: str | None = None
    engine: str | None = None
    model: str | None = None
    timeout_ms: int | None = DEFAULT_TIMEOUT_MS
    says_timeout: bool = False
    redact: tuple[str, ...] = ()
    max_steps: int | None = None
    max_retries: int | None = None
    output: Mapping[str, Any] | None = None
    not_applied: tuple[str, ...] = ()

    @property
    def ref(self) -> str:
        """Return the fully qualified ref."""
        return f"{self.bundle}//tasks/{self.id}"

    @property
    def settings(self) -> dict[str, Any]:
        """Return, by their keys in the file, the settings that only some kinds of targets read."""
        return {
            "agent": self.agent,
            "engine": self.engine,
            "model": self.model,
            "maxSteps": self.max_steps,
            "maxRetries": self.max_retries,
            "output": self.output,
        }

    @property
    def owner(self) -> str:
        """Return what tells tasks of one id apart: the bundle's name, or the folder of the project.

        Every project is called `project`, and no bundle has a name with a slash.
        """
        return str(self.root) if self.bundle == PROJECT else self.bundle
