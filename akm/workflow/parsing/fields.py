"""A value of the frontmatter on its way to being checked: where it stands, and how to read it.

Every reader returns None after noting what is wrong, so a grammar reads on and finds the next fault.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from sys import float_info
from typing import Any

from akm.workflow.parsing.frontmatter import Node, plain
from akm.workflow.parsing.report import DEFAULT_CODE, Report
from akm.workflow.wording import as_text, clip, naming


@dataclass(frozen=True, slots=True)
class Field:
    """One value with its path, as in "Step `tag`: `unit.exec.cwd`". `owner` is empty outside a step."""

    node: Node
    report: Report
    path: str = ""
    owner: str = ""

    @property
    def label(self) -> str:
        """Name the place as a message begins with it."""
        parts = [self.owner, f"`{self.path}`" if self.path else ""]
        return ": ".join(part for part in parts if part) or "The frontmatter"

    @property
    def line(self) -> int:
        """Return the 1-based file line of the value, or of its key."""
        return self.node.line

    @property
    def plain(self) -> Any:
        """Return the value without line numbers."""
        return plain(self.node)

    @property
    def kind(self) -> str:
        """Say what the value is, as a message puts it."""
        match self.node.value:
            case None:
                return "is empty"
            case bool():
                return "is true or false"
            case int() | float():
                return "is a number"
            case str():
                return "is text"
            case dict():
                return "is a mapping"
        return "is a list"

    def fail(self, problem: str, *, suggestion: str | None = None, code: str = DEFAULT_CODE) -> None:
        """Note an error; `problem` completes the sentence that the label begins."""
        self.report.error(self.line, f"{self.label} {problem}.", suggestion=suggestion, code=code)

    def find(self, *keys: str) -> Field | None:
        """Step down several keys without noting anything; None when one of them is not there."""
        field = self
        for key in keys:
            if not isinstance(field.node.value, dict) or key not in field.node.value:
                return None
            field = field.child(key, field.node.value[key])
        return field

    def child(self, key: str, node: Node) -> Field:
        """Step down to a key of this mapping."""
        key = clip(key)
        return Field(node, self.report, f"{self.path}.{key}" if self.path else key, self.owner)

    def entries(self) -> dict[str, Field] | None:
        """Read a mapping with keys of the author's choice."""
        if not isinstance(self.node.value, dict):
            self.fail(f"must be a mapping of keys to values, but {self.kind}")
            return None
        return {key: self.child(key, node) for key, node in self.node.value.items()}

    def mapping(
        self, allowed: Collection[str], misplaced: Mapping[str, str] | None = None
    ) -> dict[str, Field] | None:
        """Read a mapping with a closed set of keys. `misplaced` says about a foreign key where it belongs."""
        entries = self.entries()
        if entries is None:
            return None
        for key in (key for key in entries if key not in allowed):
            self._unknown(key, entries[key].line, allowed, (misplaced or {}).get(key))
        return {key: entries[key] for key in entries if key in allowed}

    def _unknown(self, key: str, line: int, allowed: Collection[str], advice: str | None) -> None:
        suggestion = advice or self.report.nearest(key, allowed)
        message = f"{self.label} has an unknown key `{clip(key)}`; allowed are {naming(allowed)}."
        self.report.error(line, message, suggestion=suggestion)

    def items(self) -> list[Field] | None:
        """Read a list, each element with its index in its path."""
        if not isinstance(self.node.value, tuple):
            self.fail(f"must be a list, but {self.kind}")
            return None
        return [
            Field(node, self.report, f"{self.path}[{index}]", self.owner)
            for index, node in enumerate(self.node.value)
        ]

    def text(self) -> str | None:
        """Read a text that is not blank, trimmed."""
        value = self.node.value
        if not isinstance(value, str):
            quoted = f'"{as_text(value)}"' if isinstance(value, bool | int | float) else None
            hint = "; put it in quotes" if quoted else ""
            self.fail(f"must be text, but {self.kind}{hint}", suggestion=quoted)
            return None
        if not value.strip():
            self.fail("must not be blank")
            return None
        return value.strip()

    def boolean(self) -> bool | None:
        """Read `true` or `false`."""
        if isinstance(self.node.value, bool):
            return self.node.value
        self.fail(f"must be true or false, but {self.kind}")
        return None

    def integer(self, minimum: int) -> int | None:
        """Read a whole number that is `minimum` or more."""
        value = self.node.value
        if isinstance(value, int) and not isinstance(value, bool) and value >= minimum:
            return value
        shown = f"is {as_text(value)}" if isinstance(value, int | float) else self.kind
        self.fail(f"must be a whole number of {minimum} or more, but {shown}")
        return None

    def amount(self) -> float | None:
        """Read a number that is more than 0, and not infinite."""
        value = self.node.value
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= float_info.max:
            return float(value)
        shown = f"is {as_text(value)}" if isinstance(value, int | float) else self.kind
        self.fail(f"must be a number above 0, but {shown}")
        return None

    def choice(self, options: Collection[str]) -> str | None:
        """Read one of a few words."""
        value = self.node.value
        if isinstance(value, str) and value in options:
            return value
        suggestion = self.report.nearest(value, options) if isinstance(value, str) else None
        self.fail(f"must be one of {naming(options)}", suggestion=suggestion)
        return None
