"""Which URLs may name a registry, and how a URL is written for people: never with credentials.

Nothing is resolved or requested here.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from akm.errors import ConfigError

INVALID_LABEL = "(invalid registry URL)"
DEFAULT_PORTS = {"http": 80, "https": 443}
_START = re.compile(r"https?://", re.I)
# Browsers end the authority at a backslash too; at white space nobody does, and a password may hold some.
_AUTHORITY_END = re.compile(r"[\\/?#]")
_NEVER_IN_A_URL = re.compile(r"[\x00-\x20\x7f\\]")


def redacted(text: str) -> str:
    """Return `text` with the user information removed from every http and https URL in it."""
    # From right to left, so that a URL inside another one is clean before the outer one is looked at.
    for start in reversed([found.end() for found in _START.finditer(text)]):
        end = _authority_end(text, start)
        text = text[:start] + text[start:end].rpartition("@")[2] + text[end:]
    return text


def shown(url: str) -> str:
    """Return `url` as messages write it: its own spelling without user information.

    What is no http or https URL gives a fixed label; it may be a secret that got into the wrong place.
    """
    clean = redacted(url)
    if _fault(clean) is None:
        return clean
    was_cleaned = clean != url and _START.match(url) is not None
    return clean if was_cleaned else INVALID_LABEL


def check(url: str) -> str:
    """Return `url` when it may be requested.

    Raises ConfigError with REGISTRY_URL_INVALID for another scheme, for user information and for what
    does not parse.
    """
    fault = _credentials(url) or _fault(url)
    if fault is not None:
        hint = "Give the http or https URL of the registry, without a user name and a password."
        raise ConfigError(f"{shown(url)} {fault}.", code="REGISTRY_URL_INVALID", hint=hint)
    return url


def origin(url: str) -> tuple[str, str, int]:
    """Return scheme, host and port of a checked URL: what is the same server to us."""
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port or DEFAULT_PORTS[parts.scheme]


def _authority_end(text: str, start: int) -> int:
    found = _AUTHORITY_END.search(text, start)
    return found.start() if found else len(text)


def _credentials(url: str) -> str | None:
    start = _START.match(url)
    if start is None or "@" not in url[start.end() : _authority_end(url, start.end())]:
        return None
    return "was given with credentials, and no registry is asked with any"


def _fault(url: str) -> str | None:
    """Say why `url` is no http or https URL; None when it is one."""
    if _NEVER_IN_A_URL.search(url):
        return "holds white space, a control character or a backslash"
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "does not parse as a URL"
    if parts.scheme not in DEFAULT_PORTS:
        return "is no http or https URL"
    if not parts.hostname or port == 0:
        return "names no host" if not parts.hostname else "names port 0"
    return None
