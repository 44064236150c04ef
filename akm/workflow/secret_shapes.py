"""Which values look like credentials, by the name they go under or by their own shape.

Parameters are stored and shown in clear, so such a one earns a warning; nothing is refused for its looks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from akm.workflow.json_values import child_path

_NAMES = (
    "secret", "token", "password", "passwd", "apikey", "api_key", "api-key", "accesskey", "access_key",
    "privatekey", "private_key", "credential", "bearer", "auth_token", "authtoken", "client_secret",
)  # fmt: skip
_PREFIX = re.compile(r"sk-|rk-|gh[pousr]_|github_pat_|xox.-|AKIA|ASIA|AIza|ya29\.|-----BEGIN")
_ENCODED = re.compile(r"[A-Za-z0-9+/=_-]+\Z")
_CLASSES = tuple(map(re.compile, ("[a-z]", "[A-Z]", "[0-9]", "[^a-zA-Z0-9]")))
_SHORTEST_WITH_PREFIX = 20
_SHORTEST_MIXED = 24
_SHORTEST_ENCODED = 32


def is_secret(name: str, value: str) -> bool:
    """Tell whether a text looks like a credential, given the name it goes under."""
    return bool(value) and (names_a_secret(name) or _looks_random(value))


def found(params: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Walk over every text in `params` that looks like a credential, as (path, value)."""
    for name, value in params.items():
        yield from _within(name, value, child_path("params", name), named=False)


def _within(name: str, value: Any, path: str, *, named: bool) -> Iterator[tuple[str, str]]:
    named = named or names_a_secret(name)
    if isinstance(value, str):
        if value and (named or _looks_random(value)):
            yield path, value
    elif isinstance(value, Mapping):
        for key, child in value.items():
            yield from _within(key, child, child_path(path, key), named=named)
    elif isinstance(value, (list, tuple)):
        for position, child in enumerate(value):
            yield from _within("", child, child_path(path, position), named=named)


def names_a_secret(name: str) -> bool:
    """Tell whether a name is one that credentials go under."""
    lowered = name.lower()
    return any(word in lowered for word in _NAMES)


def _looks_random(value: str) -> bool:
    if len(value) < _SHORTEST_WITH_PREFIX:
        return False
    if value.startswith("-----BEGIN"):
        return True
    if any(character.isspace() for character in value):
        return False
    if _PREFIX.match(value):
        return True
    classes = sum(pattern.search(value) is not None for pattern in _CLASSES)
    if len(value) >= _SHORTEST_MIXED and classes >= 3:
        return True
    return len(value) >= _SHORTEST_ENCODED and _ENCODED.match(value) is not None
