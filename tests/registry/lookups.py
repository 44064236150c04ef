"""A registry that says what it is told to, and a parser whose verdicts are written in the body."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from builders import AT, rows

from akm import config
from akm.registry import cache
from akm.registry.answer import UNUSABLE, Answer, Fetched, NotModified, Unusable
from akm.registry.cached_fetch import fetch_cached_json
from akm.registry.client import Validators
from akm.services import registry_cache
from akm.store.database import Database

KEY = "https://registry.example/index.json"
TTL_MS = 60_000
RAISES, NOTHING = "raises", "nothing"
OLD, NEW = Validators('"old"', "Wed, 02 Dec 2026 08:00:00 GMT"), Validators('"new"')
Reply = Fetched[Any] | NotModified | Exception


class Damaged(Exception):
    """The parser's complaint."""


def body(fresh: Any = "kept", stale: Any = "kept, stale") -> str:
    """Write a body that is parsed as this while it is young, and as that when it will have to do."""
    return json.dumps({"fresh": fresh, "stale": stale})


def parse(text: str, is_stale: bool) -> Any | Unusable:
    value = json.loads(text)["stale" if is_stale else "fresh"]
    if value == RAISES:
        raise Damaged
    return UNUSABLE if value == NOTHING else value


def fetched(value: Any = "fetched", validators: Validators = NEW) -> Fetched[Any]:
    return Fetched(value, body(value), validators)


def keep(db: Database, at: str, text: str, validators: Validators = OLD) -> None:
    registry_cache.put(
        db, KEY, at=at, index_json=text, etag=validators.etag, last_modified=validators.last_modified
    )


def kept(path: Path) -> list[dict[str, Any]]:
    connection = sqlite3.connect(path)
    try:
        return rows(connection, "SELECT * FROM registry_index_cache")
    finally:
        connection.close()


@dataclass
class Lookup:
    """One look-up on the ledger at `path`; `replies` are given to its fetches in turn."""

    path: Path
    replies: list[Reply]
    asked: list[Validators | None] = field(default_factory=list)
    during: Callable[[], object] = lambda: None
    ttl_ms: float = TTL_MS
    is_open: bool = False
    was_open: list[bool] = field(default_factory=list)

    def __call__(self) -> Answer[Any]:
        return fetch_cached_json(
            self.open_cache,
            KEY,
            ttl_ms=self.ttl_ms,
            parse_cache=parse,
            fetch_fresh=self.fetch,
            now=lambda: AT,
        )

    @contextmanager
    def open_cache(self) -> Iterator[Database | None]:
        with cache.opened(config.Database(self.path, "normal")) as db:
            self.is_open = True
            try:
                yield db
            finally:
                self.is_open = False

    def fetch(self, validators: Validators | None) -> Fetched[Any] | NotModified:
        self.was_open.append(self.is_open)
        self.asked.append(validators)
        self.during()
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply
