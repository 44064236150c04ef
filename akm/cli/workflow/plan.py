"""`akm workflow plan`: what a run would do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from akm.cli import options, output
from akm.cli.tables import Table
from akm.spelling import counted


def plan(target: options.Workflow) -> None:
    """Show what a run of a workflow would do, step by step. Nothing is written or executed."""
    from akm.cli.workflow import surroundings
    from akm.engine.files import preview

    shown = preview.plan(surroundings.here(), target)
    for warning in shown["warnings"]:
        output.warn(warning)
    output.show(shown, render=_lines, items="steps")


def _lines(result: dict[str, Any]) -> Iterator[str | Table]:
    yield f"workflow  {result['ref']}"
    yield f"file      {result['sourcePath']}"
    yield f"plan      {result['planHash'][:12]} (format {result['irVersion']})"
    for name, schema in result.get("params", {}).items():
        yield f"param     {name}: {_type(schema)}{_default(schema)}"
    for name, limit in result.get("budget", {}).items():
        yield f"budget    {name} {limit}"
    yield ""
    rows = [
        (
            step["stepId"],
            step["kind"],
            _does(step),
            step.get("concurrency", "-"),
            ", ".join(step["inputs"]) or "-",
            _gate(step["gate"]),
        )
        for step in result["steps"]
    ]
    yield Table(("step", "kind", "does", "width", "inputs", "gate"), rows)
    yield from (f"note: {notice}" for notice in result["notices"])


def _does(step: dict[str, Any]) -> str:
    if "command" in step:
        return f"{step['command'][0]} ({counted(len(step['command']) - 1, 'argument')})"
    if step["targetKind"] == "command":
        return f"prose for {step['engine'] or 'an engine (none is configured)'}"
    return str(step["expansion"].get("childRef", step["targetKind"]))


def _gate(gate: dict[str, Any]) -> str:
    if gate["approve"]:
        return "a person approves"
    if not gate["criteria"]:
        return "-"
    loops = f", {gate['maxLoops']} loops" if gate["maxLoops"] > 1 else ""
    return f"{gate['judgeEngine'] or 'nobody can judge'}{loops}"


def _type(schema: dict[str, Any]) -> str:
    kind = schema.get("type", "any")
    return kind if isinstance(kind, str) else " or ".join(kind)


def _default(schema: dict[str, Any]) -> str:
    if "default" not in schema:
        return ""
    from akm.workflow.hashing import canonical

    return f", default {canonical(schema['default'])}"
