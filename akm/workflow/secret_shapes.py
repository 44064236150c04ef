"""Which values look like credentials, by the name they go under or by their own shape.

Parameters are stored in clear, so such a one earns a warning; nothing is refused for its looks. What is
beyond doubt is not shown either, and replaced in what units say; a path or a name with a date in it is not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from akm.workflow.json_values import child_path

_NAMES = (
    "secret", "token", "password", "passwd", "apikey", "api_key", "api-key", "accesskey", "access_key",
    "privatekey", "private_key", "credential", "bearer", "auth_token", "authtoken", "client_secret",
)  # fmt: skip
HIDDEN = "[REDACTED]"
_PREFIX = re.compile(r"sk-|rk-|gh[pousr]_|github_pat_|xox.-|AKIA|ASIA|AIza|ya29\.|-----BEGIN")
#: A file's path or an address, which is long and mixed and no secret.
_PLACE = re.compile(r"/|\.{1,2}/|~/|[A-Za-z]:\\|[A-Za-z][A-Za-z0-9+.-]*://[^/@]*(/|\Z)")
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
    return _found(params, _looks_random)


def certain(params: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Walk over those that are named as one, or have the shape of a token and of nothing else."""
    return _found(params, _is_token)


def _found(params: Mapping[str, Any], looks: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
    for name, value in params.items():
        yield from _within(name, value, child_path("params", name), looks, named=False)


def hidden(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters as they may be shown: every text that is surely a credential is replaced."""
    secret = {path for path, _ in certain(params)}
    return {name: _hidden(value, child_path("params", name), secret) for name, value in params.items()}


def _hidden(value: Any, path: str, secret: set[str]) -> Any:
    if path in secret:
        return HIDDEN
    if isinstance(value, Mapping):
        return {key: _hidden(child, child_path(path, key), secret) for key, child in value.items()}
    if isinstance(value, list):
        return [_hidden(child, child_path(path, position), secret) for position, child in enumerate(value)]
    return value


def _within(
    name: str, value: Any, path: str, looks: Callable[[str], bool], *, named: bool
) -> Iterator[tuple[str, str]]:
    named = named or names_a_secret(name)
    if isinstance(value, str):
        if value and (named or looks(value)):
            yield path, value
    elif isinstance(value, Mapping):
        for key, child in value.items():
            yield from _within(key, child, child_path(path, key), looks, named=named)
    elif isinstance(value, (list, tuple)):
        for position, child in enumerate(value):
            yield from _within("", child, child_path(path, position), looks, named=named)


def names_a_secret(name: str) -> bool:
    """Tell whether a name is one that credentials go under."""
    lowered = name.lower()
    return any(word in lowered for word in _NAMES)


def _looks_random(value: str) -> bool:
    if _is_token(value):
        return True
    if len(value) < _SHORTEST_MIXED or _PLACE.match(value) or any(map(str.isspace, value)):
        return False
    return sum(pattern.search(value) is not None for pattern in _CLASSES) >= 3


def _is_token(value: str) -> bool:
    if len(value) < _SHORTEST_WITH_PREFIX:
        return False
    if value.startswith("-----BEGIN"):
        return True
    if _PLACE.match(value) or any(map(str.isspace, value)):
        return False
    if _PREFIX.match(value):
        return True
    return len(value) >= _SHORTEST_ENCODED and _ENCODED.match(value) is not None
