"""The frontmatter of a file in the heading grammar made today's, by edits of its text: the rest stays.

Prose parameters become schemas, and a key that has no place any more becomes a comment. `steps` is not here.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from akm.workflow.conversion import convert_names
from akm.workflow.conversion.old_yaml import in_quotes, quote_prose
from akm.workflow.parsing.fields import Field
from akm.workflow.parsing.frontmatter import Node, compose
from akm.workflow.parsing.grammar.envelope import CHECKS
from akm.workflow.parsing.old_grammar import CODE
from akm.workflow.parsing.report import Report
from akm.workflow.parsing.yaml_faults import YamlFault
from akm.workflow.wording import as_text, clip, naming

_KEPT = {*CHECKS, "defaults", "budget"}


class Edit(NamedTuple):
    """The text between two positions and what stands there instead."""

    start: int
    end: int
    text: str


def rewritten(text: str, report: Report) -> tuple[str, str]:
    """Return the YAML text without line breaks around it, and the indentation of its keys.

    `text` has the file's line numbers, as `Source.frontmatter` has. What is faulty is noted.
    """
    text, root = _understood(text, report)
    if root is None:
        return text, ""
    marked = _marked(text)
    if not isinstance(root.value, dict) or (marked is not None and marked.flow_style):
        report.error(root.line, "The frontmatter must be lines `key: value`, without braces.", code=CODE)
        return text, ""
    entries = root.value
    pairs = marked.value if marked is not None else []
    indent = " " * (pairs[0][0].start_mark.column if pairs else 0)
    edits: list[Edit] = []
    for key, value in pairs:
        edits += _entry(entries[key.value], key, value, text, report)
    kept = _edited(text, edits).strip("\n")
    return (kept if "type" in entries else f"{indent}type: workflow\n{kept}".rstrip("\n")), indent


def _understood(text: str, report: Report) -> tuple[str, Node | None]:
    """Read the YAML, with prose put in quotes where only that makes it readable."""
    try:
        try:
            return text, compose(text)
        except YamlFault:
            quoted, lines = quote_prose(text)
            root = compose(quoted)
    except YamlFault as fault:
        report.error(max(fault.line, 1), f"The frontmatter cannot be read: {fault.reason}.", code=CODE)
        return text, None
    for line in lines:
        report.warn(line, "The value is in quotes now, because it is no YAML without them.", code=CODE)
    return quoted, root


def _marked(text: str) -> Any:
    """Compose the text once more, into nodes that know where they begin and end; None when it is empty."""
    import yaml

    return yaml.compose(text, Loader=yaml.CSafeLoader)


def _entry(entry: Node, key: Any, value: Any, text: str, report: Report) -> list[Edit]:
    name = key.value
    if name == "params":
        return _params(entry, value, text, report)
    if name in CHECKS:
        CHECKS[name](Field(entry, report, name))
    elif name == "steps":
        message = "`steps` is of today's grammar, and the body is not: remove the key, then convert."
        report.error(entry.line, message, code=CODE)
    elif name not in _KEPT:
        message = f"`{clip(name)}` has no place in today's grammar and is a comment now."
        report.warn(entry.line, message, code=CODE)
        return [_comment(text, key.start_mark.index, value.end_mark.index)]
    return []


def _comment(text: str, start: int, end: int) -> Edit:
    old = text[start:end].rstrip()
    return Edit(start, start + len(old), "# " + old.replace("\n", "\n# "))


def _params(entry: Node, block: Any, text: str, report: Report) -> list[Edit]:
    if entry.value is None:
        return [_instead(block, text, "{}")]
    if not isinstance(entry.value, dict):
        report.error(entry.line, "`params` must be a mapping of names to their prose.", code=CODE)
        return []
    names = convert_names.params(list(entry.value))
    edits: list[Edit] = []
    prose: list[str] = []
    for key, value in block.value:
        old, declared = key.value, entry.value[key.value]
        if names[old] != old:
            message = (
                f"The parameter `{clip(old)}` is called `{names[old]}` now; texts still say `{clip(old)}`."
            )
            report.warn(declared.line, message, code=CODE)
            edits.append(_instead(key, text, names[old]))
        if isinstance(declared.value, tuple):
            message = f"`params.{clip(old)}` must be the parameter's description, but is a list."
            report.error(declared.line, message, code=CODE)
        elif not isinstance(declared.value, dict):
            prose.append(names[old])
            edits.append(_instead(value, text, _schema(declared.value)))
    if prose:
        message = f"Declared as optional text now: {naming(prose)}; give a better type where one fits."
        report.warn(entry.line, message, code=CODE)
    return edits


def _schema(prose: str | int | float | bool | None) -> str:
    said = "" if prose is None else prose if isinstance(prose, str) else as_text(prose)
    return (
        f"{{ type: string, description: {in_quotes(said.strip())} }}" if said.strip() else "{ type: string }"
    )


def _instead(node: Any, text: str, new: str) -> Edit:
    """Replace a node, and neither the line breaks after a block nor the blank before a value."""
    start, end = node.start_mark.index, node.end_mark.index
    old = text[start:end].rstrip()
    blank = "" if text[start - 1].isspace() or text[start - 1] in "{," else " "
    return Edit(start, start + len(old), blank + new)


def _edited(text: str, edits: list[Edit]) -> str:
    for edit in reversed(edits):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text
