"""Add or remove one table of a TOML text, line by line, so that every comment and other line stays as it is.

Pure text: each result is parsed again and compared with what it should say; ValueError when it differs.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from typing import Any

from akm.spelling import dotted


def add(text: str, key: tuple[str, str], values: Mapping[str, str]) -> str:
    """Append the table `key` with text `values`. Raises ValueError when the text cannot take it."""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = [
        f"[{dotted(key)}]",
        *(f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in values.items()),
    ]
    start = text.rstrip()
    edited = (start + newline * 2 if start else "") + newline.join(lines) + newline
    wanted = tomllib.loads(text)
    wanted.setdefault(key[0], {})[key[1]] = dict(values)
    return _checked(edited, wanted)


def remove(text: str, key: tuple[str, str]) -> str:
    """Drop the table `key` and the tables below it. Raises ValueError when it is not written as a table."""
    lines = text.splitlines(keepends=True)
    kept: list[str] = []
    held_back: list[str] = []
    is_inside = False
    for line in lines:
        header = _header(line)
        if header is not None:
            was_inside, is_inside = is_inside, header[: len(key)] == key
            # Comments right above the next header belong to that header.
            kept.extend(held_back if was_inside and not is_inside else [])
            held_back = []
        if not is_inside:
            kept.append(line)
        elif not line.strip() or line.lstrip().startswith("#"):
            held_back.append(line)
        else:
            held_back = []
    kept.extend(held_back)
    wanted = tomllib.loads(text)
    del wanted[key[0]][key[1]]
    return _checked("".join(kept), wanted)


def _header(line: str) -> tuple[str, ...] | None:
    if not line.lstrip().startswith("["):
        return None
    try:
        node: Any = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return None
    path: list[str] = []
    while isinstance(node, list) or (isinstance(node, dict) and node):
        if isinstance(node, list):
            node = node[0]
            continue
        name = next(iter(node))
        path.append(name)
        node = node[name]
    return tuple(path)


def _checked(edited: str, wanted: Mapping[str, Any]) -> str:
    if _pruned(tomllib.loads(edited)) != _pruned(wanted):
        raise ValueError("the edited text does not say what it should")
    return edited


def _pruned(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value != {}}
