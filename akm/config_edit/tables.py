"""Add, rename or remove one table of a TOML text, so that every comment and other line stays as it is.

Pure text: each result is parsed again and compared with what it should say; ValueError when it differs.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from akm.spelling import dotted

#: One part of a key, whichever way it is quoted.
_PART = re.compile(r"""[ \t]*("(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+)[ \t]*\.?""")


def add(text: str, key: tuple[str, str], values: Mapping[str, str | bool]) -> str:
    """Append the table `key` with `values`. Raises ValueError when the text cannot take it."""
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


def rename(text: str, key: tuple[str, str], new: str) -> str:
    """Let the table `key` have the last part `new`, wherever it is named; its place and comments stay.

    Raises KeyError when there is no such table, ValueError when it is written in braces with its parent.
    """
    wanted = tomllib.loads(text)
    tables = wanted[key[0]]
    wanted[key[0]] = {new if name == key[1] else name: values for name, values in tables.items()}
    if len(wanted[key[0]]) != len(tables) or key[1] not in tables:
        raise KeyError(key[1])
    edited = []
    header: tuple[str, ...] = ()
    for statement in _statements(text):
        is_header = _header(statement) is not None
        above = () if is_header else header
        path = above + (_path(statement) or ())
        part = len(key) - 1 - len(above)
        is_named = path[: len(key)] == key and part >= 0
        edited.append(_with_part(statement, part, dotted((new,))) if is_named else statement)
        header = path if is_header else header
    return _checked("".join(edited), wanted)


def _statements(text: str) -> Iterator[str]:
    """Cut a text into headers, assignments with all of their lines, and lines that are neither."""
    waiting = ""
    for line in text.splitlines(keepends=True):
        waiting += line
        try:
            tomllib.loads(waiting)
        except tomllib.TOMLDecodeError:
            continue
        yield waiting
        waiting = ""
    yield waiting


def _with_part(statement: str, part: int, name: str) -> str:
    """Write `name` for one part of the key with which a statement begins."""
    position = len(statement) - len(statement.lstrip(" \t["))
    for _before in range(part):
        position = _next_part(statement, position).end()
    start, end = _next_part(statement, position).span(1)
    return statement[:start] + name + statement[end:]


def _next_part(statement: str, position: int) -> re.Match[str]:
    found = _PART.match(statement, position)
    if found is None:
        raise ValueError("the table is written with its parent in braces")
    return found


def _header(line: str) -> tuple[str, ...] | None:
    return _path(line) if line.lstrip().startswith("[") else None


def _path(statement: str) -> tuple[str, ...] | None:
    """Return the key that a statement is about, with the first key of each table in it; None for no TOML."""
    try:
        node: Any = tomllib.loads(statement)
    except tomllib.TOMLDecodeError:
        return None
    path: list[str] = []
    while isinstance(node, list | dict) and node:
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
