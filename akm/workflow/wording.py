"""How messages about a workflow file spell names and values."""

from __future__ import annotations

from collections.abc import Collection

from akm.spelling import visible

_SHOWN_CHARACTERS = 80
#: What to do with the text of any YAML workflow.
TO_MARKDOWN = (
    "write one Markdown file with `type: workflow` and `steps: [{ id: ... }]` in its frontmatter, "
    "turn each command into `unit: { exec: { command: [...] } }`, and put instructions below `## <id>`"
)


def naming(names: Collection[str]) -> str:
    """List names in a sentence."""
    return ", ".join(f"`{name}`" for name in names)


def clip(text: str) -> str:
    """Keep a quotation from the file short and on one line, and show in it what cannot be seen."""
    text = visible(" ".join(text.split()))
    return text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "…"


def as_text(value: bool | int | float) -> str:
    """Write a scalar as JSON would, a whole float without its fraction."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)
