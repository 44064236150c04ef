"""Change one list of texts in a TOML text, so that comments and every other line stay as they are.

Pure text: the result is parsed again and compared with what it should say; ValueError when it differs.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence

_HEADER = re.compile(r"\s*\[")
#: A comment, or one of the four kinds of strings.
_TEXT = re.compile(
    r"""#[^\n]*|\"{3}(?:[^\\]|\\.)*?\"{3}|'{3}.*?'{3}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'""", re.DOTALL
)


def put(text: str, table: str, name: str, values: Sequence[str]) -> str:
    """Set `name` in the table `table` to `values`. Raises ValueError when the text cannot take it."""
    wanted = tomllib.loads(text)
    wanted.setdefault(table, {})[name] = list(values)
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    start = _header(lines, table)
    if start is None:
        before = text.rstrip()
        gap = newline * 2 if before else ""
        edited = f"{before}{gap}[{table}]{newline}{_one_line(name, values)}{newline}"
    else:
        if not lines[start].endswith("\n"):
            lines[start] += newline
        first, end = _assignment(lines, start + 1, name)
        lines[first:end] = _renewed(lines[first:end], name, values, newline)
        edited = "".join(lines)
    if tomllib.loads(edited) != wanted:
        raise ValueError("the edited text does not say what it should")
    return edited


def replace(text: str, table: str, name: str, new: Mapping[str, str]) -> str:
    """Write `new[entry]` for every entry of the list that `new` has, where it stands.

    Raises ValueError when the list is written in a way that cannot be changed alone, or is none.
    """
    wanted = tomllib.loads(text)
    entries = wanted[table][name]
    if not isinstance(entries, list):
        raise ValueError("there is no list")
    wanted[table][name] = [new.get(entry, entry) for entry in entries]
    lines = text.splitlines(keepends=True)
    start = _header(lines, table)
    first, end = (0, len(lines)) if start is None else _assignment(lines, start + 1, name)
    lines[first:end] = [_TEXT.sub(lambda found: _replaced(found[0], new), "".join(lines[first:end]))]
    edited = "".join(lines)
    if tomllib.loads(edited) != wanted:
        raise ValueError("the edited text does not say what it should")
    return edited


def _replaced(token: str, new: Mapping[str, str]) -> str:
    if token.startswith("#"):
        return token
    value = new.get(tomllib.loads(f"x = {token}")["x"])
    if value is None:
        return token
    return f"'{value}'" if token[0] == "'" and "'" not in value else json.dumps(value, ensure_ascii=False)


def _header(lines: list[str], table: str) -> int | None:
    header = re.compile(rf"\s*\[\s*{re.escape(table)}\s*\]\s*(#.*)?$")
    return next((index for index, line in enumerate(lines) if header.match(line.rstrip("\r\n"))), None)


def _assignment(lines: list[str], start: int, name: str) -> tuple[int, int]:
    """Find the lines of the assignment; an empty span right below the header when there is none."""
    assigned = re.compile(rf"\s*(\"?){re.escape(name)}\1\s*=")
    for first in range(start, len(lines)):
        if _HEADER.match(lines[first]):
            break
        if assigned.match(lines[first]):
            for end in range(first + 1, len(lines) + 1):
                if _is_toml("".join(lines[first:end])):
                    return first, end
            raise ValueError("the list does not end")
    return start, start


def _renewed(old: list[str], name: str, values: Sequence[str], newline: str) -> list[str]:
    if len(old) < 2:
        comment = re.search(r"\][ \t]*(#.*)$", old[0].rstrip("\r\n")) if old else None
        return [_one_line(name, values) + (f"  {comment[1]}" if comment else "") + newline]
    waiting, kept = list(values), [old[0]]
    for line in old[1:-1]:
        entry = _entry(line)
        if entry in waiting:
            waiting.remove(entry)
        elif entry is not None:
            continue
        kept.append(line if entry is None or line.split("#")[0].rstrip().endswith(",") else _with_comma(line))
    kept.extend(f"    {json.dumps(value, ensure_ascii=False)},{newline}" for value in waiting)
    return [*kept, old[-1]]


def _entry(line: str) -> str | None:
    """Return the one text that a line of the list holds; None for a comment or a blank line."""
    try:
        found = tomllib.loads(f"x = [{line.rstrip()}\n]")["x"]
    except tomllib.TOMLDecodeError as error:
        raise ValueError("a line of the list is not one entry") from error
    if len(found) > 1:
        raise ValueError("a line of the list holds several entries")
    return str(found[0]) if found else None


def _with_comma(line: str) -> str:
    return re.sub(r"""^(\s*(?:"[^"]*"|'[^']*'))""", r"\1,", line)


def _one_line(name: str, values: Sequence[str]) -> str:
    return f"{name} = [{', '.join(json.dumps(value, ensure_ascii=False) for value in values)}]"


def _is_toml(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True
