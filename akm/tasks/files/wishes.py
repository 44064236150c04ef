"""What a new task is to be, as its command line says it, and as its file does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from akm.errors import UsageError
from akm.tasks.files import params


@dataclass(frozen=True, slots=True)
class Wish:
    """What a new task is to do: exactly one of `workflow`, `prompt` and `command`, and when.

    `engine` and `model` are for a prompt; `params` become inputs with these defaults.
    """

    schedule: str
    workflow: str | None = None
    prompt: str | None = None
    command: str | None = None
    name: str | None = None
    description: str | None = None
    when_to_use: str | None = None
    tags: Sequence[str] = ()
    params: Mapping[str, Any] = field(default_factory=dict)
    engine: str | None = None
    model: str | None = None
    timeout_ms: int | None = None


def document(wish: Wish) -> dict[str, Any]:
    """Return what is to stand in the file. Raises UsageError unless there is exactly one target."""
    values = {
        "version": 4,
        "name": wish.name,
        "description": wish.description,
        "when_to_use": wish.when_to_use,
        "tags": [*wish.tags] or None,
        "inputs": params.declared(wish.params) or None,
        **_target(wish),
        "engine": wish.engine,
        "model": wish.model,
        "timeout": wish.timeout_ms,
        "schedule": wish.schedule,
    }
    return {key: value for key, value in values.items() if value is not None}


def _target(wish: Wish) -> dict[str, Any]:
    given = [target for target in (wish.workflow, wish.prompt, wish.command) if target is not None]
    if len(given) != 1:
        raise UsageError(
            "Give exactly one of --workflow, --prompt and --command.",
            code=None if given else "MISSING_REQUIRED_ARGUMENT",
        )
    if wish.prompt is not None:
        return {"uses": "akm/command", "with": {"content": wish.prompt}}
    if wish.engine is not None or wish.model is not None:
        raise UsageError("Give --engine and --model only with --prompt: nothing else is handed to an engine.")
    return {"run": wish.command} if wish.workflow is None else {"uses": wish.workflow}
