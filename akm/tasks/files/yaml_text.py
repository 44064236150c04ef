"""From the bytes of a task file to a tree of values with lines, within bounds. What they mean is not here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from akm.errors import NotFoundError, UsageError
from akm.tasks.files import faults, yaml_places
from akm.workflow import json_values
from akm.workflow.parsing import frontmatter
from akm.workflow.parsing.frontmatter import Node
from akm.workflow.parsing.yaml_faults import YamlFault

MAX_BYTES = 1024 * 1024
MAX_NODES = 10_000
MAX_ITEMS = 1024
MAX_KEYS = 256
MAX_TEXT_BYTES = 256 * 1024


def load(path: Path) -> bytes:
    """Read the bytes of a task file. Raises NotFoundError `FILE_NOT_FOUND`, or UsageError."""
    try:
        if not path.is_file() and path.exists():
            raise UsageError(f"{path} is no regular file: a task is one file with a name ending in .yml.")
        return path.read_bytes()
    except FileNotFoundError:
        raise NotFoundError(f"There is no file {path}.", code="FILE_NOT_FOUND") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error


def tree(raw: bytes, path: Path) -> Node:
    """Build the tree of one YAML document; `path` is for messages. Raises UsageError."""
    if len(raw) > MAX_BYTES:
        raise faults.invalid(path, None, f"the file is larger than {MAX_BYTES // 1024} KiB; make it smaller.")
    try:
        text = raw.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise faults.invalid(path, line, "the file is not UTF-8 text here; save it as UTF-8.") from None
    try:
        node = frontmatter.compose(text)
        _refuse_marks(text)
        _check(node)
    except YamlFault as fault:
        place = yaml_places.nearest(text, fault.line)
        raise faults.invalid(path, fault.line, f"{place} is not usable: {fault.reason}.") from fault
    return node if node.value else Node(1, node.value)


def _refuse_marks(text: str) -> None:
    """Refuse anchors, and the tags that say no more than that a text is text."""
    if "&" not in text and "!" not in text:
        return
    from yaml import CSafeLoader

    loader = CSafeLoader(text)
    try:
        events: Any = loader
        while (event := events.get_event()) is not None:
            line = event.start_mark.line + 1
            if anchor := getattr(event, "anchor", None):
                raise YamlFault(line, f"`&{anchor}` is an anchor, and anchors are not used; remove it")
            if tag := getattr(event, "tag", None):
                raise YamlFault(
                    line, f"`{tag}` is a tag, and tags are not used; put a text in quotes instead"
                )
    finally:
        loader.dispose()


def _check(root: Node) -> None:
    for number, node in enumerate(_walk(root), start=1):
        if number > MAX_NODES:
            raise YamlFault(node.line, f"it holds more than {MAX_NODES} values; make it smaller")
        match node.value:
            case tuple() as items if len(items) > MAX_ITEMS:
                raise YamlFault(node.line, f"this list has more than {MAX_ITEMS} elements; shorten it")
            case dict() as entries:
                if len(entries) > MAX_KEYS:
                    raise YamlFault(node.line, f"this mapping has more than {MAX_KEYS} keys; make it smaller")
                for key, child in entries.items():
                    _check_text(key, child.line)
            case str() as text:
                _check_text(text, node.line)


def _check_text(text: str, line: int) -> None:
    if json_values.has_surrogate(text):
        raise YamlFault(line, "a text is not well-formed Unicode; write it without half surrogates")
    if len(text) > MAX_TEXT_BYTES or len(text.encode()) > MAX_TEXT_BYTES:
        raise YamlFault(line, f"a text is larger than {MAX_TEXT_BYTES // 1024} KiB; shorten it")


def _walk(node: Node) -> Iterator[Node]:
    yield node
    if isinstance(node.value, dict | tuple):
        for child in node.value.values() if isinstance(node.value, dict) else node.value:
            yield from _walk(child)
