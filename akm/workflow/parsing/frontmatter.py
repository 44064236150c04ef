"""From YAML text to a tree of values with line numbers. Which of them are legal is decided elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from akm.workflow.parsing.scalars import Scalar, plain_value
from akm.workflow.parsing.yaml_faults import YamlFault, explain, first_control_character

MAX_DEPTH = 64
MAX_NODES = 100_000
_TEXT_TAGS = frozenset({"!", "tag:yaml.org,2002:str"})


@dataclass(frozen=True, slots=True)
class Node:
    """One value: a mapping, a list (as a tuple) or a scalar. A value in a mapping has its key's line."""

    line: int
    value: dict[str, Node] | tuple[Node, ...] | Scalar


def plain(node: Node) -> Any:
    """Return the value without line numbers, made of dicts, lists and JSON scalars."""
    if isinstance(node.value, dict):
        return {key: plain(child) for key, child in node.value.items()}
    if isinstance(node.value, tuple):
        return [plain(child) for child in node.value]
    return node.value


def compose(text: str) -> Node:
    """Build the tree of one YAML document; raises YamlFault at the first fault."""
    if (fault := first_control_character(text)) is not None:
        raise fault
    from yaml import CSafeLoader, YAMLError

    loader = CSafeLoader(text)
    try:
        return _Composer(_events(loader)).document()
    except YAMLError as error:
        raise explain(error, text) from error
    finally:
        loader.dispose()


def _events(loader: Any) -> Iterator[Any]:
    while (event := loader.get_event()) is not None:
        yield event


class _Composer:
    """Turn a stream of YAML events into nodes, within bounds and without aliases."""

    def __init__(self, events: Iterator[Any]) -> None:
        self._events = events
        self._nodes = 0

    def document(self) -> Node:
        node = Node(2, {})
        documents = 0
        for event in self._events:
            name = type(event).__name__
            if name == "DocumentStartEvent":
                documents += 1
                if documents > 1:
                    raise YamlFault(_line(event), "it holds more than one YAML document; keep one")
                node = self._node(next(self._events), 0)
        return node

    def _node(self, event: Any, depth: int, line: int | None = None) -> Node:
        line = line or _line(event)
        self._guard(event, depth, line)
        match type(event).__name__:
            case "MappingStartEvent":
                return Node(line, self._mapping(depth))
            case "SequenceStartEvent":
                return Node(line, self._sequence(depth))
        return Node(line, _scalar(event, line))

    def _guard(self, event: Any, depth: int, line: int) -> None:
        self._nodes += 1
        if depth > MAX_DEPTH:
            raise YamlFault(line, f"values are nested deeper than {MAX_DEPTH} levels; flatten them")
        if self._nodes > MAX_NODES:
            raise YamlFault(line, f"it holds more than {MAX_NODES} values; make it smaller")
        if type(event).__name__ == "AliasEvent":
            raise YamlFault(line, f"`*{event.anchor}` is an alias, which hides content; write the value out")
        if event.tag is not None and event.tag not in _TEXT_TAGS:
            raise YamlFault(line, f"`{event.tag}` is a tag, and tags are not used; write the plain value")

    def _sequence(self, depth: int) -> tuple[Node, ...]:
        children = []
        while type(event := next(self._events)).__name__ != "SequenceEndEvent":
            children.append(self._node(event, depth + 1))
        return tuple(children)

    def _mapping(self, depth: int) -> dict[str, Node]:
        children: dict[str, Node] = {}
        while type(event := next(self._events)).__name__ != "MappingEndEvent":
            key, line = self._key(event, depth), _line(event)
            if key in children:
                first = children[key].line
                raise YamlFault(line, f"the key `{key}` stands twice, first on line {first}; keep one")
            children[key] = self._node(next(self._events), depth + 1, line)
        return children

    def _key(self, event: Any, depth: int) -> str:
        node = self._node(event, depth + 1)
        if isinstance(node.value, dict | tuple):
            raise YamlFault(node.line, "a key is a mapping or a list; put a text with `{` or `[` in quotes")
        if not isinstance(node.value, str):
            raise YamlFault(node.line, "a key is not text; put it in quotes")
        if node.value == "<<" and event.implicit[0]:
            raise YamlFault(node.line, "`<<` is a merge key, which hides content; write the keys out")
        return node.value


def _scalar(event: Any, line: int) -> Scalar:
    # implicit[0] is set for an unquoted scalar without a tag only; anything quoted is text.
    if not event.implicit[0]:
        return str(event.value)
    try:
        return plain_value(event.value)
    except ValueError as error:
        raise YamlFault(line, str(error)) from error


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1
