"""Workflow files written from values, so that a test shows only the keys it is about."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def a_file(*steps: dict[str, Any], body: dict[str, str] | None = None, **top: Any) -> str:
    """Write a workflow file; `body` is the prose of single steps, `top` holds params, budget and so on."""
    front = {"type": "workflow", **top, "steps": list(steps)}
    # JSON is YAML, one key a line.
    lines = [f"{key}: {json.dumps(value)}" for key, value in front.items()]
    prose = [f"## {step['id']}\n\n{(body or {}).get(step['id'], 'Do it.')}\n" for step in steps]
    return "\n".join(["---", *lines, "---", "", *prose])


def a_step(step_id: str, *argv: str, inputs: tuple[str, ...] = (), **unit: Any) -> dict[str, Any]:
    """Describe a step that runs one command; `unit` holds the other keys of the unit."""
    step: dict[str, Any] = {"id": step_id, "unit": {"exec": {"command": list(argv or ("true",))}, **unit}}
    return step | ({"inputs": list(inputs)} if inputs else {})


def a_map(
    step_id: str, *argv: str, over: str = "params.items", concurrency: int | None = None, **unit: Any
) -> dict[str, Any]:
    """Describe a step that runs one command per item."""
    mapped: dict[str, Any] = {"over": over, "unit": {"exec": {"command": list(argv or ("true",))}, **unit}}
    return {"id": step_id, "map": mapped | ({} if concurrency is None else {"concurrency": concurrency})}


def sh(script: str) -> tuple[str, ...]:
    """Return an argv that runs a shell script."""
    return ("sh", "-c", script)


def items(*values: Any) -> dict[str, Any]:
    """Declare the list `items`, with these values unless others are given."""
    return {"items": {"type": "array", "default": list(values)}}


def write(project: Path, name: str, text: str) -> Path:
    """Put a workflow file into a project."""
    path = project / "workflows" / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
