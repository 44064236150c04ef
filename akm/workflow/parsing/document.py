"""A workflow file as its author wrote it, parsed and checked field by field.

Nothing is resolved here: an absent field stays absent, because a default belongs to freezing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Schema = Mapping[str, Any]
#: Milliseconds, `"none"` for explicitly unbounded, or None when absent (which inherits).
Timeout = int | Literal["none"] | None
OnError = Literal["fail", "continue"]


@dataclass(frozen=True, slots=True)
class Exec:
    """An argv to start directly; there is no shell."""

    command: tuple[str, ...]
    cwd: str | None = None
    pass_env: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Retry:
    """Dispatch again, up to `max` more times, while the failure reason is in `on`."""

    max: int
    on: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unit:
    """The `unit` bag of a step or of a map: what one dispatch does."""

    exec: Exec | None = None
    workflow: str | None = None
    bindings: Mapping[str, Any] = field(default_factory=dict)
    engine: str | None = None
    model: str | None = None
    llm: Mapping[str, Any] | None = None
    timeout: Timeout = None
    retry: Retry | None = None
    on_error: OnError | None = None
    output: Schema | None = None
    env: tuple[str, ...] = ()
    isolation: Literal["none", "worktree"] = "none"
    line: int = 0


@dataclass(frozen=True, slots=True)
class Map:
    """Fan out `unit` over the list that `over` refers to."""

    over: str
    unit: Unit
    concurrency: int | None = None
    reducer: Literal["collect", "vote"] = "collect"


@dataclass(frozen=True, slots=True)
class Route:
    """Choose one later step by the text of a value. `when` holds (match, step id) pairs in file order."""

    input: str
    when: tuple[tuple[str, str], ...]
    default: str | None = None


@dataclass(frozen=True, slots=True)
class Gate:
    """The check after a step. `criteria` is empty or holds the whole rubric as its one entry.

    `approve` asks a person instead of the judge, and `value` is the schema of what that person may give.
    """

    criteria: tuple[str, ...] = ()
    max_loops: int = 1
    approve: bool = False
    value: Schema | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One step in spine order. Exactly one of `unit`, `map` and `route` is set.

    `start` and `end` are the 1-based file lines of the body section, 0 when there is none.
    """

    id: str
    instructions: str
    gate: Gate
    unit: Unit | None = None
    map: Map | None = None
    route: Route | None = None
    inputs: tuple[str, ...] = ()
    output: Schema | None = None
    line: int = 0
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Defaults:
    """The `defaults` block: what a unit inherits when it says nothing itself."""

    engine: str | None = None
    model: str | None = None
    timeout: Timeout = None
    on_error: OnError | None = None
    llm: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Budget:
    """Ceilings of a whole run; None means unlimited. `max_cost` is money, as `[prices]` gives it."""

    max_units: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """A whole workflow file without errors. `params` maps a name to its JSON Schema (`default` included)."""

    title: str
    steps: tuple[Step, ...]
    description: str | None = None
    params: Mapping[str, Schema] | None = None
    defaults: Defaults = field(default_factory=Defaults)
    budget: Budget = field(default_factory=Budget)
    preamble: str = ""
    source_hash: str = ""
