"""The text of a crontab: its marked blocks, taken apart and put together. Other lines stay byte for byte.

Pure text: reading and writing the crontab itself is `akm.tasks.schedulers.cron`'s.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from akm.errors import ConfigError

DISABLED = "# akm:disabled "
_TASK = re.compile(r"# akm:task (\S+) (BEGIN|END)[ \t\r]*\Z")
_ENVIRONMENT = re.compile(r"# akm:env (BEGIN|END)[ \t\r]*\Z")


@dataclass(frozen=True, slots=True)
class Block:
    """One row between its marks. `native_id` names it; `line` is the row without its line break."""

    native_id: str
    line: str
    text: str

    @property
    def is_enabled(self) -> bool:
        """Tell whether cron sees the row."""
        return not self.line.startswith(DISABLED)


@dataclass(frozen=True, slots=True)
class Environment:
    """The section of variables that the rows below it run with."""

    text: str


Part = str | Block | Environment


def parse(text: str) -> list[Part]:
    """Take a crontab apart into foreign lines, blocks and the section of variables, in order.

    Raises ConfigError `CRONTAB_MALFORMED` naming the line where a mark is not as it should be.
    """
    lines = re.findall(r"[^\n]*\n|[^\n]+\Z", text)
    parts: list[Part] = []
    at = 0
    while at < len(lines):
        part, length = _part(lines, at)
        parts.append(part)
        at += length
    _check_unique(parts)
    return parts


def blocks(text: str) -> list[Block]:
    """List the marked blocks of a crontab. Raises ConfigError `CRONTAB_MALFORMED`."""
    return [part for part in parse(text) if isinstance(part, Block)]


def edit(
    text: str,
    *,
    remove: Collection[str] = (),
    put: Mapping[str, str],
    path: str,
    ours: Collection[str] = (),
) -> str:
    """Return the crontab without the blocks `remove` and with the rows `put`, by native id.

    A block that exists is changed where it stands, a new one comes last. The section of variables holds
    `path`, is above the first block, and goes with the last one. It is left as it is when a block stays that
    is neither among `put` nor one of `ours`. Raises ConfigError `CRONTAB_MALFORMED`, ValueError for a line
    break.
    """
    waiting = dict(put)
    kept: list[Part] = []
    for part in parse(text):
        if not isinstance(part, Block):
            kept.append(part)
        elif part.native_id in waiting:
            kept.append(_block(part.native_id, waiting.pop(part.native_id), part))
        elif part.native_id not in remove:
            kept.append(part)
    if waiting and kept and not _text(kept[-1]).endswith("\n"):
        kept.append("\n")
    kept.extend(_block(native_id, line) for native_id, line in waiting.items())
    return "".join(_text(part) for part in _with_environment(kept, {*put, *ours}, path))


def _part(lines: list[str], at: int) -> tuple[Part, int]:
    line = lines[at].removesuffix("\n")
    if _ENVIRONMENT.match(line):
        return _section(lines, at)
    if task := _TASK.match(line):
        inside = [entry.removesuffix("\n") for entry in lines[at + 1 : at + 3]]
        end = _TASK.match(inside[1]) if len(inside) == 2 else None
        if task[2] != "BEGIN" or end is None or end.groups() != (task[1], "END") or _is_mark(inside[0]):
            raise _malformed(at, "a block is its BEGIN, one line, and its END")
        return Block(task[1], inside[0], "".join(lines[at : at + 3])), 3
    if _is_mark(line):
        raise _malformed(at, "the mark is not complete")
    return lines[at], 1


def _section(lines: list[str], at: int) -> tuple[Environment, int]:
    for end in range(at + 1, len(lines)):
        mark = _ENVIRONMENT.match(lines[end].removesuffix("\n"))
        if mark and mark[1] == "END" and "BEGIN" in lines[at]:
            return Environment("".join(lines[at : end + 1])), end + 1 - at
        if mark or _is_mark(lines[end]):
            break
    raise _malformed(at, "the section of variables is its BEGIN, its lines, and its END")


def _is_mark(line: str) -> bool:
    return line.startswith(("# akm:task ", "# akm:env "))


def _check_unique(parts: list[Part]) -> None:
    ids = [part.native_id for part in parts if isinstance(part, Block)]
    double = next((native_id for native_id in ids if ids.count(native_id) > 1), None)
    if double or sum(isinstance(part, Environment) for part in parts) > 1:
        what = f"two blocks are called {double}" if double else "there are two sections of variables"
        raise ConfigError(
            f"The crontab is not as akm left it: {what}; nothing was changed.",
            code="CRONTAB_MALFORMED",
            hint="Remove one of them with `crontab -e`, then run the same command again.",
        )


def _malformed(at: int, rule: str) -> ConfigError:
    return ConfigError(
        f"The crontab is not as akm left it: at line {at + 1}, {rule}; nothing was changed.",
        code="CRONTAB_MALFORMED",
        hint="Mend or remove that block with `crontab -e`, then run the same command again.",
    )


def _block(native_id: str, line: str, old: Block | None = None) -> Block:
    if "\n" in line or "\0" in line:
        raise ValueError("a row of a crontab is one line")
    if old is not None and old.line == line:
        return old
    return Block(native_id, line, f"# akm:task {native_id} BEGIN\n{line}\n# akm:task {native_id} END\n")


def _with_environment(parts: list[Part], ours: Collection[str], path: str) -> list[Part]:
    first = next((index for index, part in enumerate(parts) if isinstance(part, Block)), None)
    others: list[Part] = [part for part in parts if not isinstance(part, Environment)]
    if first is None:
        return others
    had = next((index for index, part in enumerate(parts) if isinstance(part, Environment)), None)
    is_shared = any(isinstance(part, Block) and part.native_id not in ours for part in parts)
    section = Environment(f"# akm:env BEGIN\nPATH={path}\n# akm:env END\n")
    if had is not None and had < first:
        return parts if is_shared else [*parts[:had], section, *parts[had + 1 :]]
    first = next(index for index, part in enumerate(others) if isinstance(part, Block))
    return [*others[:first], section, *others[first:]]


def _text(part: Part) -> str:
    return part if isinstance(part, str) else part.text
