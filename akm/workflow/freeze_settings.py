"""What freezing needs to know about the installation: engines, defaults, widths and where the file lives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Engine:
    """A configured engine: an agent command that reads a prompt, or a model behind an HTTP endpoint.

    `timeout_ms` None means that the kind's default holds. `settings` (llm) holds base_url and the like, and
    the names of credentials, never their values.
    """

    name: str
    kind: Literal["agent", "llm"]
    preset: str = "generic"
    command: tuple[str, ...] = ()
    prompt: Literal["stdin", "argument"] = "stdin"
    timeout_ms: int | None = None
    pass_env: tuple[str, ...] = ()
    model: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FreezeSettings:
    """Everything outside the file that decides how it freezes.

    `models` maps an alias to a model per engine name, `env` describes env assets by ref, names only. `root`
    is the base directory of units, `source_path` the file relative to it. With `strict` (for a run) a missing
    engine or judge is an error; otherwise (for a preview) it is a warning. With `gates` "approve" a person
    judges every gate.
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
    gates: Literal["judge", "approve"] = "judge"
