"""References such as `params.items` and `steps.build.output.files[0]`: reading them and following them.

A reference stands for one whole value; there are no functions, no item variables and no templates. Which
reference is legal where, and whether a step stands earlier, is checked by whoever compiles the file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from akm.spelling import counted, visible

_IDENTIFIER = r"[A-Za-z_][A-Za-z0-9_-]*"
_PARAM = re.compile(rf"params\.({_IDENTIFIER})")
_STEP = re.compile(rf"steps\.({_IDENTIFIER})\.output((?:\.{_IDENTIFIER}|\[[0-9]{{1,9}}\])*)")
_APPROVAL = re.compile(rf"steps\.({_IDENTIFIER})\.approval((?:\.{_IDENTIFIER}|\[[0-9]{{1,9}}\])*)")
_SEGMENT = re.compile(rf"\.({_IDENTIFIER})|\[([0-9]+)\]")
_LONGEST_SHOWN = 120


class ReferenceUnresolved(ValueError):
    """A reference is well formed, and what it points at is not there."""


@dataclass(frozen=True, slots=True)
class Reference:
    """One parsed reference. `path` walks into a step's output, or into the value that approved it."""

    kind: Literal["params", "steps", "approvals"]
    name: str
    path: tuple[str | int, ...] = ()

    @property
    def text(self) -> str:
        """Write the reference as an author would."""
        return self._prefix(len(self.path))

    @property
    def _base(self) -> str:
        if self.kind == "params":
            return f"params.{self.name}"
        return f"steps.{self.name}.{'output' if self.kind == 'steps' else 'approval'}"

    def _prefix(self, length: int) -> str:
        return self._base + "".join(
            f"[{segment}]" if isinstance(segment, int) else f".{segment}" for segment in self.path[:length]
        )


def parse(text: str) -> Reference:
    """Read a reference; blanks around it do not count. Raises ValueError with one sentence."""
    stripped = text.strip(" \t\r\n")
    if match := _PARAM.fullmatch(stripped):
        return Reference("params", match[1])
    if match := _STEP.fullmatch(stripped):
        return Reference("steps", match[1], _path(match[2]))
    if match := _APPROVAL.fullmatch(stripped):
        return Reference("approvals", match[1], _path(match[2]))
    shown = visible(stripped if len(stripped) <= _LONGEST_SHOWN else stripped[:_LONGEST_SHOWN] + "…")
    raise ValueError(
        f'"{shown}" is not a reference: write params.<name> or steps.<id>.output, the latter optionally '
        "followed by .<property> or [<position>]."
    )


def _path(text: str) -> tuple[str | int, ...]:
    return tuple(int(digits) if digits else name for name, digits in _SEGMENT.findall(text))


def resolve(ref: Reference, params: Mapping[str, Any], outputs: Mapping[str, Any]) -> Any:
    """Follow a reference; `outputs` maps a step id to its output and `<id>.approval` to its approval's value.

    Raises ReferenceUnresolved, which names the walked prefix, when anything on the way is missing or when
    the value at its end is null.
    """
    source = params if ref.kind == "params" else outputs
    name = f"{ref.name}.approval" if ref.kind == "approvals" else ref.name
    if name not in source:
        raise ReferenceUnresolved(_absent(ref))
    value = source[name]
    for position, segment in enumerate(ref.path):
        value = _descend(value, segment, ref, position)
    if value is None:
        raise ReferenceUnresolved(f"{ref.text} is null; a reference must lead to a value.")
    return value


def _absent(ref: Reference) -> str:
    if ref.kind == "params":
        return f"{ref.text} has no value: the run was started without this parameter."
    if ref.kind == "approvals":
        return f"{ref._prefix(0)} does not exist: the step was not approved with a value."
    return f"{ref._prefix(0)} does not exist: the step has no output; it was skipped, or printed nothing."


def _descend(value: Any, segment: str | int, ref: Reference, position: int) -> Any:
    walked = ref._prefix(position)
    if isinstance(segment, int):
        if not isinstance(value, (list, tuple)):
            raise ReferenceUnresolved(f"{walked} is {_kind(value)}, not an array: [{segment}] leads nowhere.")
        if segment >= len(value):
            raise ReferenceUnresolved(
                f"{walked} has {counted(len(value), 'item')}: [{segment}] is out of range."
            )
        return value[segment]
    if not isinstance(value, Mapping):
        raise ReferenceUnresolved(f"{walked} is {_kind(value)}, not an object: .{segment} leads nowhere.")
    if segment not in value:
        raise ReferenceUnresolved(f'{walked} has no property "{segment}".')
    return value[segment]


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    names = {str: "text", int: "a number", float: "a number", list: "an array", tuple: "an array"}
    return names.get(type(value), "an object")
