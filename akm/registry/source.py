"""One registry that may be asked. Which there are is `sources`'s."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from akm.registry import urls

DEFAULT_TTL_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class Source:
    """A registry: its name, where it is, and who reads its answers.

    `allow_private` lets its URL lead into a private network. `ttl_seconds` is how long an answer is kept
    before the registry is asked again, for providers that have no time of their own. `origin` says where
    the entry came from: a file, a variable or `default`.
    """

    name: str
    url: str
    provider: str = "static-index"
    enabled: bool = True
    allow_private: bool = False
    ttl_seconds: int = DEFAULT_TTL_SECONDS
    origin: str = "default"

    def as_json(self) -> dict[str, Any]:
        """Return the registry's JSON, its URL without credentials."""
        return {
            "name": self.name,
            "url": urls.shown(self.url),
            "provider": self.provider,
            "enabled": self.enabled,
            "allowPrivate": self.allow_private,
            "origin": self.origin,
        }
