"""What freezing needs to know about the installation: engines, defaults, widths and where the file lives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from akm.workflow.parsing.document import Timeout

if TYPE_CHECKING:
    from akm.workflow.plan import Plan

from akm.workflow.prices import Price

#: Who judges a step with a rubric: the configured engine, or a person.
Gates = Literal["judge", "approve"]


@dataclass(frozen=True, slots=True)
class Engine:
    """A configured engine: an agent command that reads a prompt, or a model behind an HTTP endpoint.

    An agent's `command` stands for the program of its preset, empty for the preset's own; `prompt` None is as
    the preset says. `timeout_ms` None means that the kind's default holds, "none" that there is no limit.
    `settings` (llm) holds base_url and the like, and the names of credentials, never their values.
    """

    name: str
    kind: Literal["agent", "llm"]
    preset: str = "generic"
    command: tuple[str, ...] = ()
    prompt: Literal["stdin", "argument"] | None = None
    timeout_ms: Timeout = None
    pass_env: tuple[str, ...] = ()
    model: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)


class Child(NamedTuple):
    """A workflow that another one runs: its canonical ref and its own frozen plan."""

    ref: str
    plan: Plan
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FreezeSettings:
    """Everything outside the file that decides how it freezes.

    `models` maps an alias to a model per engine name, `prices` a model to its price, `env` describes env
    assets by ref, names only. `root` is the base directory of units, `source_path` the file relative to it.
    With `strict` (for a run) a missing engine or judge is an error; else (for a preview) it is a warning.
    With `gates` "approve" a person judges every gate. `child` finds and freezes a workflow that a step runs.
    `commit` is what worktrees are made of; None when the repository of `root` has none.
    """

    engines: Mapping[str, Engine]
    root: Path
    source_path: str
    strict: bool
    cores: int
    default_engine: str | None = None
    judge_engine: str | None = None
    default_map_concurrency: int = 4
    max_concurrency: int | None = None
    models: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    env: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    gates: Gates = "judge"
    child: Callable[[str], Child] | None = None
    prices: Mapping[str, Price] = field(default_factory=dict)
    commit: str | None = None
