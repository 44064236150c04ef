"""What fetches and parsers of registries return, and what a search gets from them: values without a doing."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final, Generic, Literal, TypeVar

from akm.registry.client import Validators

T = TypeVar("T")


class Unusable(Enum):
    """The type of `UNUSABLE`."""

    UNUSABLE = "unusable"


class NotModified(Enum):
    """The type of `NOT_MODIFIED`."""

    NOT_MODIFIED = "not modified"


#: What a parser returns for a body that is no use. Everything else is, also None and an empty list.
UNUSABLE: Final = Unusable.UNUSABLE
#: What a fetch returns when the server says that the answer with these validators still holds.
NOT_MODIFIED: Final = NotModified.NOT_MODIFIED


@dataclass(frozen=True, slots=True)
class Fetched(Generic[T]):
    """A good answer of the network, and the text that gives its value again when it is parsed."""

    value: T
    cache_json: str
    validators: Validators


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """A value and where it is from.

    `fresh`: the network gave or confirmed it just now; `age_seconds` is None. `cached`: kept, and young
    enough. `stale`: kept, too old, and served with a `warning` because the fetch failed.
    """

    value: T
    outcome: Literal["fresh", "cached", "stale"]
    age_seconds: float | None
    warning: str | None
    fetched_at: str
