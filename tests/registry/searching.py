"""What the tests of searching share: indexes with defaults, registries that answer, and a clock to set."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from akm import clock
from akm.errors import TransientError
from akm.registry.client import Response, Validators
from akm.registry.source import Source
from akm.store.database import Database
from akm.store.opening import open_database

URL = "https://one.example/index.json"
NOON = clock.seconds("2026-12-02T12:00:00.000Z")


def an_entry(name: str = "Deploy tools", **more: Any) -> dict[str, Any]:
    slug = name.lower().replace(" ", "-")
    return {
        "id": f"github:team/{slug}",
        "name": name,
        "ref": f"team/{slug}",
        "source": "github",
    } | more


def an_asset(name: str = "rollout", **more: Any) -> dict[str, Any]:
    return {"type": "skill", "name": name} | more


def an_index(*entries: Any, **more: Any) -> str:
    return json.dumps(
        {"version": 3, "updatedAt": "2026-12-01T00:00:00.000Z", "stashes": list(entries)} | more
    )


def a_source(name: str = "one", **more: Any) -> Source:
    return Source(name, **({"url": f"https://{name}.example/index.json"} | more))


@dataclass
class Registries:
    """What stands in for the client: a text, or an error, for each URL. `asked` holds the URLs in order."""

    answers: dict[str, str | Exception | Callable[[], str]]
    etags: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    options: list[dict[str, Any]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self, url: str, *, validators: Validators | None = None, **options: Any) -> Response:
        with self.lock:
            self.asked.append(url)
            self.options.append(options)
        answer = self.answers.get(url, TransientError(f"{url} is down.", code="REGISTRY_UNREACHABLE"))
        if isinstance(answer, Exception):
            raise answer
        text = answer if isinstance(answer, str) else answer()
        etag = self.etags.get(url)
        if validators and etag and validators.etag == etag:
            return Response(304, "", validators)
        return Response(200, text, Validators(etag))


@dataclass
class Clock:
    """A time that passes only when a test says so."""

    seconds: float = NOON

    def __call__(self) -> str:
        return clock.stamp(self.seconds)

    def passes(self, *, seconds: float) -> None:
        self.seconds += seconds


def a_cache(path: Path) -> Callable[[], Database]:
    return lambda: open_database(path, synchronous="normal")
