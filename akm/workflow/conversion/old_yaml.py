"""Prose that earlier programs took as a YAML value, and YAML does not: putting it in quotes."""

from __future__ import annotations

import re

from akm.workflow.parsing.frontmatter import compose
from akm.workflow.parsing.yaml_faults import YamlFault

#: One line with key and value. An alias alone is no prose: it stands for something else.
_VALUE = re.compile(r"(\s*[A-Za-z_][\w-]*:[ \t]+)(?!\*\w+\s*$)(\S.*?)\s*")
_SHORT = {"\n": r"\n", "\t": r"\t", '"': r"\"", "\\": r"\\"}


def quote_prose(text: str) -> tuple[str, list[int]]:
    """Quote every value of one line that is no YAML by itself; return the text and the lines of them."""
    lines = text.split("\n")
    quoted = []
    for index, line in enumerate(lines):
        match = _VALUE.fullmatch(line)
        if match and not _is_yaml(match[2]):
            lines[index] = match[1] + in_quotes(match[2])
            quoted.append(index + 1)
    return "\n".join(lines), quoted


def _is_yaml(value: str) -> bool:
    try:
        compose(f"key: {value}")
    except YamlFault:
        return False
    return True


def in_quotes(text: str) -> str:
    """Write a text as YAML in double quotes."""
    return '"' + "".join(_escaped(char) for char in text) + '"'


def _escaped(char: str) -> str:
    if char in _SHORT:
        return _SHORT[char]
    return char if char.isprintable() else f"\\U{ord(char):08X}"
