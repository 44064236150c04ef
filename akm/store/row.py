"""What a row of a query is at run time: a named tuple that costs next to nothing to define.

`typing.NamedTuple`, which type checkers see in its place, compiles a constructor for each class: a tenth of a
millisecond, for each of some forty classes, at every start of the command.
"""

from __future__ import annotations

from operator import itemgetter
from typing import Any, Self


class _Named(type):
    """Turns the annotations of a class into the names of a tuple's values, in order."""

    _fields: tuple[str, ...]

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> _Named:
        fields = tuple(body.get("__annotations__", ()))
        named = {field: property(itemgetter(position)) for position, field in enumerate(fields)}
        # Without slots every row would have a dictionary.
        return super().__new__(cls, name, bases, {"__slots__": (), **body, **named, "_fields": fields})


class Row(tuple[Any, ...], metaclass=_Named):
    """A tuple whose values have the names that a subclass annotates."""

    def __new__(cls, *values: Any, **named: Any) -> Self:
        """Build a row of exactly one value for each name. Raises TypeError otherwise."""
        rest = cls._fields[len(values) :]
        if len(values) > len(cls._fields) or named.keys() != set(rest):
            raise TypeError(f"{cls.__name__} takes the values {', '.join(cls._fields)}")
        return tuple.__new__(cls, (*values, *(named[name] for name in rest)))

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
        return f"{type(self).__name__}({shown})"

    def _asdict(self) -> dict[str, Any]:
        return dict(zip(type(self)._fields, self, strict=True))

    def _replace(self, **changed: Any) -> Self:
        return type(self)(**self._asdict() | changed)
