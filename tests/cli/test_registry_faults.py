"""What a registry can do wrong, as the person at `akm registry search` is told, and that it is not kept."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from registry_places import INDEX, cached, configure, hurry
from serving import Line, Server

from akm.registry import addresses

HOST = "registry.test"


@pytest.fixture
def server(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server that `registry.test` means as well; what it had to say before is kept already."""
    assert home.is_dir()
    hurry(monkeypatch, resolve=_resolve)
    with Server().running() as started:
        yield started


def _resolve(host: str, port: int, **options: Any) -> list[Any]:
    return socket.getaddrinfo("127.0.0.1" if host == HOST else host, port, **options)


def failure(run: Any, home: Path) -> str:
    """Search with the one registry there is, which fails, and return the one line about it."""
    before = cached(home)
    done = run("registry", "search", "deploy")
    assert done.status == 1
    (line,) = [line for line in done.err.splitlines() if "registry x" in line]
    (outcome,) = [one for one in done.result["registries"] if one["registry"] == "x"]
    # Always a remedy, as part of the line.
    assert line.endswith(outcome["hint"])
    assert "Traceback" not in done.err
    assert "hunter2" not in done.err + done.out
    assert cached(home) == before
    return str(line)


def version_1() -> str:
    return json.dumps({"version": 1, "updatedAt": "2026-01-01T00:00:00Z", "kits": []})


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("<!doctype html><title>Sign in</title>", "is not JSON"),
        ("", "sent an empty answer"),
        (version_1(), "kits"),
        ("[]", "/index.json"),
        (b'{"version": 3, "stashes": "\xff"}', "not UTF-8"),
    ],
)
def test_an_answer_that_is_no_index_is_told_with_its_url(
    run: Any, home: Path, server: Server, body: str | bytes, said: str
) -> None:
    url = server.reply("/index.json", body)
    configure(home, x=url)
    line = failure(run, home)
    assert url in line
    assert said in line


def test_an_entry_without_an_id_is_left_out_and_told(run: Any, home: Path, server: Server) -> None:
    index = json.loads(INDEX)
    del index["stashes"][1]["id"]
    configure(home, x=server.reply("/i", json.dumps(index)))
    done = run("registry", "search", "deploy")
    assert (done.status, len(done.result["hits"])) == (0, 1)
    assert "1 entry of the index is left out, without a usable id, name, ref or source." in done.err


def test_an_index_of_more_than_50_megabytes_is_not_read_to_its_end(
    run: Any, home: Path, server: Server
) -> None:
    def endless(line: Line) -> None:
        line.send(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n")
        for _megabyte in range(200):
            line.send(b" " * 1_000_000)

    configure(home, x=server.reply_raw("/big", endless))
    assert f"{server.url('/big')} sent more than 50 MB." in failure(run, home)


def test_redirects_in_a_circle_are_left(run: Any, home: Path, server: Server) -> None:
    server.reply("/a", status=302, Location="/b")
    server.reply("/b", status=302, Location="/a")
    configure(home, x=server.url("/a"))
    assert f"{server.url('/a')} redirects in a circle" in failure(run, home)


def test_a_redirect_into_a_private_network_is_not_followed(
    run: Any, home: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(addresses, "is_public", lambda address: address == "127.0.0.1")
    with Server("127.0.0.2").running() as inside:
        server.reply("/a", status=302, Location=inside.reply("/secret", INDEX))
        configure(home, allow_private=False, x=server.url("/a", host=HOST))
        line = failure(run, home)
        assert inside.asked == []
    assert (
        f"{server.url('/a', host=HOST)} (redirected to {inside.url('/secret')}) leads to this machine" in line
    )
    assert "allow_private = true" in line


@pytest.mark.parametrize("host", ["localhost", HOST, "127.0.0.1"])
def test_a_name_for_this_machine_is_refused_with_the_remedy(
    run: Any, home: Path, server: Server, host: str
) -> None:
    server.reply("/i", INDEX)
    configure(home, allow_private=False, x=server.url("/i", host=host))
    line = failure(run, home)
    assert f"{server.url('/i', host=host)} leads to this machine or into a private network." in line
    assert "allow_private = true" in line
    assert server.asked == []


def test_a_project_cannot_have_this_machine_asked(run: Any, home: Path, server: Server) -> None:
    server.reply("/i", INDEX)
    configure(home)
    project = home / "project/.akm/config.toml"
    project.parent.mkdir()
    project.write_text(f'[registries.x]\nurl = "{server.url("/i")}"\nallow_private = true\n')
    done = run("registry", "search", "deploy")
    assert (done.status, server.asked) == (1, [])
    assert f"{project}: registries.x.allow_private is ignored" in done.err


def test_a_url_with_a_password_is_never_asked_nor_told(run: Any, home: Path, server: Server) -> None:
    secret = server.url("/i").replace("http://", "http://me:hunter2@")
    configure(home, x=secret)
    done = run("registry", "search", "deploy")
    assert (done.status, server.asked) == (78, [])
    assert f"registries.x is ignored: {server.url('/i')} was given with credentials" in done.err
    assert "without a user name and a password" in done.err
    assert "hunter2" not in done.err + done.out


@pytest.mark.parametrize(
    "damage", [lambda file: file.write_text("no database" * 99), lambda file: file.mkdir()]
)
def test_a_cache_that_is_no_use_means_a_live_answer(
    run: Any, home: Path, server: Server, damage: Callable[[Path], object]
) -> None:
    (home / "data").mkdir()
    damage(home / "data/state.db")
    configure(home, x=server.reply("/i", INDEX))
    for _time in range(2):
        done = run("registry", "search", "deploy")
        assert (done.status, done.result["registries"][0]["status"]) == (0, "fresh")
