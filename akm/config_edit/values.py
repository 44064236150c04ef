"""Set texts, true and false in one table of a TOML text, so that comments and every other line stay.

Pure text: the result is parsed again and compared with what it should say; ValueError when it differs.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any

_ASSIGNMENT = re.compile(
    r"""(?P<before>\s*(?P<quote>["']?)(?P<name>[\w-]+)(?P=quote)\s*=\s*)(?:"(?:[^"\\]|\\.)*"|'[^']*'|true|false)"""
)


def put(text: str, key: tuple[str, str], values: Mapping[str, str | bool]) -> str:
    """Set `values` in the table `key`, which is there. Raises ValueError when the text cannot take it."""
    wanted = tomllib.loads(text)
    wanted[key[0]][key[1]].update(values)
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    start = next((index for index, line in enumerate(lines) if _parsed(line) == {key[0]: {key[1]: {}}}), None)
    if start is None:
        raise ValueError("the table has no line of its own")
    if not lines[start].endswith("\n"):
        lines[start] += newline
    left = dict(values)
    for index in range(start + 1, len(lines)):
        if lines[index].lstrip().startswith("["):
            break
        found = _ASSIGNMENT.match(lines[index])
        if found and found["name"] in left:
            value = _text(left.pop(found["name"]))
            lines[index] = found["before"] + value + lines[index][found.end() :]
    lines[start + 1 : start + 1] = [f"{name} = {_text(value)}{newline}" for name, value in left.items()]
    edited = "".join(lines)
    if tomllib.loads(edited) != wanted:
        raise ValueError("the edited text does not say what it should")
    return edited


def _parsed(line: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return None


def _text(value: str | bool) -> str:
    return json.dumps(value, ensure_ascii=False)
