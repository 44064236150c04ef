"""A registry that is down, a cache that is no use, and both: a real server, a real file, the real client."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from builders import AT, later
from lookups import kept

from akm import config
from akm.errors import ResponseError, TransientError
from akm.registry import cache, client
from akm.registry.answer import NOT_MODIFIED, Answer, Fetched, NotModified
from akm.registry.cached_fetch import fetch_cached_json
from akm.registry.client import Limits, Validators

ONCE = Limits(retries=0)


class Server(HTTPServer):
    """Serves one index with an ETag, or fails with `status`; `conditions` lists what it was asked with."""

    status = 200
    text = '["an index"]'

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.conditions: list[str | None] = []
        # A registry's own credentials are refused at once, but those in its query are part of every message.
        self.url = f"http://127.0.0.1:{self.server_port}/index.json?via=https://user:secret@proxy.example/"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        condition = self.headers["If-None-Match"]
        self.server.conditions.append(condition)
        status = 304 if self.server.status == 200 and condition == '"1"' else self.server.status
        text = self.server.text.encode() if status == 200 else b""
        self.send_response(status)
        self.send_header("ETag", '"1"')
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_words: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as started:
        thread = threading.Thread(target=started.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield started
        started.shutdown()
        thread.join()


def stop(server: Server) -> None:
    """Let nobody listen any more."""
    server.shutdown()
    server.server_close()


def look_up(path: Path, url: str, at: str = AT) -> Answer[Any]:
    def fetch(validators: Validators | None) -> Fetched[Any] | NotModified:
        response = client.get(url, validators=validators, allow_private=True, limits=ONCE)
        if response.status == 304:
            return NOT_MODIFIED
        try:
            value = json.loads(response.text)
        except ValueError:
            raise ResponseError("That is no JSON.") from None
        return Fetched(value, json.dumps(value), response.validators)

    return fetch_cached_json(
        partial(cache.opened, config.Database(path, "normal")),
        url,
        ttl_ms=3_600_000,
        parse_cache=lambda text, _is_stale: json.loads(text),
        fetch_fresh=fetch,
        now=lambda: at,
    )


def test_nothing_kept_and_down_is_an_error_with_the_url_and_no_credentials(
    db_path: Path, server: Server
) -> None:
    stop(server)
    with pytest.raises(TransientError) as raised:
        look_up(db_path, server.url)
    assert (raised.value.code, raised.value.exit_status) == ("REGISTRY_UNREACHABLE", 75)
    assert f"http://127.0.0.1:{server.server_port}/index.json" in raised.value.message
    assert "secret" not in raised.value.message


def test_a_young_answer_and_down_is_a_silent_hit(db_path: Path, server: Server) -> None:
    assert look_up(db_path, server.url).outcome == "fresh"
    stop(server)
    answer = look_up(db_path, server.url, later(3600))
    assert (answer.value, answer.outcome, answer.warning) == (["an index"], "cached", None)
    assert answer.age_seconds == 3600


def test_an_expired_answer_and_down_is_served_with_a_warning_and_its_age(
    db_path: Path, server: Server
) -> None:
    look_up(db_path, server.url)
    before = kept(db_path)
    stop(server)
    answer = look_up(db_path, server.url, later(7200))
    assert (answer.value, answer.outcome, answer.age_seconds) == (["an index"], "stale", 7200)
    assert answer.warning is not None
    assert f"http://127.0.0.1:{server.server_port}/index.json" in answer.warning
    assert answer.warning.endswith("past its refresh interval (fetched 2 hours ago)")
    assert "secret" not in answer.warning
    assert kept(db_path) == before


@pytest.mark.parametrize("status", [500, 503, 403, 404])
def test_an_expired_answer_survives_what_a_server_says(db_path: Path, server: Server, status: int) -> None:
    look_up(db_path, server.url)
    before = kept(db_path)
    server.status = status
    assert look_up(db_path, server.url, later(7200)).outcome == "stale"
    assert kept(db_path) == before


@pytest.mark.parametrize("text", ["", '["an ind', "<html>"])
def test_a_bad_body_is_neither_served_nor_kept(db_path: Path, server: Server, text: str) -> None:
    server.text = text
    with pytest.raises(ResponseError):
        look_up(db_path, server.url)
    assert kept(db_path) == []


def test_an_unreadable_cache_means_a_live_fetch(tmp_path: Path, server: Server) -> None:
    path = tmp_path / "state.db"
    path.write_text("Dear diary, this is no database." * 40)
    for _time in range(2):
        assert look_up(path, server.url).value == ["an index"]
    assert server.conditions == [None, None]


def test_an_expired_answer_that_still_holds_is_not_sent_again(db_path: Path, server: Server) -> None:
    look_up(db_path, server.url)
    (before,) = kept(db_path)
    answer = look_up(db_path, server.url, later(7200))
    assert (answer.value, answer.outcome, answer.fetched_at) == (["an index"], "fresh", later(7200))
    assert server.conditions == [None, '"1"']
    assert kept(db_path) == [before | {"fetched_at": later(7200)}]
