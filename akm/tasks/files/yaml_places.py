"""Where in a YAML text a line is, as a dotted path. Used for messages, when the text cannot be taken."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from akm.workflow.wording import clip

Path = tuple[str, ...]


def nearest(text: str, line: int) -> str:
    """Name the innermost value that holds all that begins on a line, such as "`schedule[0].cron`"."""
    around: Path = ()
    found: list[Path] = []
    for at, path, after in _paths(text):
        if at > line:
            break
        if at == line:
            found.append(path)
        around = after
    place = "".join(_shared(found) if found else around).removeprefix(".")
    return f"`{place}`" if place else "the file"


def _shared(paths: list[Path]) -> Iterator[str]:
    for parts in zip(*paths, strict=False):
        if len(set(parts)) > 1:
            return
        yield parts[0]


@dataclass(slots=True)
class _Open:
    """A mapping or a list that is being read; `key` is the one whose value comes next."""

    path: Path
    is_mapping: bool
    count: int = 0
    key: str | None = None

    def step(self, event: Any) -> Path:
        """Return the path of the key, the value or the element that begins with an event."""
        if not self.is_mapping:
            self.count += 1
            return (*self.path, f"[{self.count - 1}]")
        key = self.key or f".{clip(str(getattr(event, 'value', '?')))}"
        self.key = None if self.key else key
        return (*self.path, key)

    @property
    def coming(self) -> Path:
        """Return the path of the value that comes next, or of what holds it when that is not known."""
        return (*self.path, self.key) if self.key else self.path


def _paths(text: str) -> Iterator[tuple[int, Path, Path]]:
    """Yield the line and the path of each key and scalar and of the end, and the path of what follows.

    It ends where the text cannot be read any further.
    """
    from yaml import CSafeLoader, YAMLError

    loader = CSafeLoader(text)
    events: Any = loader
    around: list[_Open] = []
    try:
        while (event := events.get_event()) is not None:
            name = type(event).__name__
            if name in ("MappingEndEvent", "SequenceEndEvent"):
                around.pop()
                continue
            path = around[-1].step(event) if around else ()
            if name in ("MappingStartEvent", "SequenceStartEvent"):
                # Not told: in block style they begin on the line of what they hold.
                around.append(_Open(path, is_mapping=name == "MappingStartEvent"))
            elif name in ("ScalarEvent", "AliasEvent", "DocumentEndEvent"):
                yield event.start_mark.line + 1, path, around[-1].coming if around else ()
    except YAMLError:
        return
    finally:
        loader.dispose()
