"""Time: what is tried again and after how long, and that nothing outlasts the deadline."""

from __future__ import annotations

import socket
from email.utils import formatdate

import pytest
from asking_servers import World, get
from serving import TLS_HOST, Line, Server, TlsServer

from akm.errors import ResponseError, TransientError


def test_what_fails_for_the_moment_is_tried_again(http_server: Server) -> None:
    world = World()
    http_server.reply("/", status=503)
    http_server.reply("/", status=429)
    assert get(http_server.reply("/", "{}"), world).text == "{}"
    assert world.slept == [0.5, 1.0]


def test_the_waits_double_and_are_spread(http_server: Server) -> None:
    world = World(random=0.0)
    with pytest.raises(TransientError):
        get(http_server.reply("/", status=500), world, retries=4, deadline_seconds=1000)
    assert world.slept == [0.25, 0.5, 1.0, 2.0]


def test_no_wait_is_longer_than_half_a_minute(http_server: Server) -> None:
    world = World()
    with pytest.raises(TransientError):
        get(http_server.reply("/", status=500), world, retries=8, deadline_seconds=1000)
    assert world.slept == [0.5, 1, 2, 4, 8, 16, 30, 30]


def test_no_retries_means_one_attempt(http_server: Server) -> None:
    with pytest.raises(TransientError):
        get(http_server.reply("/", status=500), retries=0)
    assert len(http_server.asked) == 1


@pytest.mark.parametrize(
    ("asked", "wait"),
    [
        ("3", 3.0),
        ("0", 0.0),
        (" 7 ", 7.0),
        ("31", 30.0),
        ("9" * 5000, 30.0),
        (formatdate(1_800_000_012, usegmt=True), 12.0),
        (formatdate(1_700_000_000, usegmt=True), 0.0),
        ("Fri Jan 15 08:00:05 2027", 5.0),
        ("soon", 0.5),
        ("-1", 0.5),
        ("٣", 0.5),
        ("Wed, 99 Foo 9999", 0.5),
        ("", 0.5),
    ],
)
def test_a_server_may_say_when_to_come_back(http_server: Server, asked: str, wait: float) -> None:
    world = World()
    http_server.reply("/", status=503, Retry_After=asked.encode().decode("latin-1"))
    get(http_server.reply("/", "{}"), world, deadline_seconds=1000)
    assert world.slept == [wait]


def test_no_wait_goes_past_the_deadline(http_server: Server) -> None:
    world = World()
    with pytest.raises(TransientError, match="status 503"):
        get(http_server.reply("/", status=503, Retry_After="30"), world)
    assert world.slept == []


def test_all_attempts_share_one_deadline(http_server: Server) -> None:
    world = World()
    with pytest.raises(TransientError, match="status 503"):
        get(http_server.reply("/", status=503, Retry_After="20"), world)
    assert (world.slept, len(http_server.asked)) == ([20.0], 2)


def test_a_server_that_says_nothing_is_not_waited_for(http_server: Server) -> None:
    url = http_server.reply_raw("/i.json", Line.stall)
    with pytest.raises(TransientError) as caught:
        get(url, read_seconds=0.05, retries=1)
    assert caught.value.message == f"{url} sent nothing for 0.05 seconds."
    assert len(http_server.asked) == 2


def test_a_body_that_stops_in_the_middle_is_not_waited_for(http_server: Server) -> None:
    def write(line: Line) -> None:
        line.send(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{")
        line.stall()

    with pytest.raises(TransientError, match=r"sent nothing for 0\.05 seconds"):
        get(http_server.reply_raw("/", write), read_seconds=0.05, retries=0)


DRIPS = {
    "its first line": (b"", b"H"),
    "headers": (b"HTTP/1.1 200 OK\r\nX-Long: ", b"x"),
    "the headers of a redirect": (b"HTTP/1.1 302 Found\r\nLocation: /", b"x"),
    "a body": (b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", b"x"),
    "a body without length": (b"HTTP/1.1 200 OK\r\n\r\n", b"x"),
    "chunks": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
    "interim answers": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
}


@pytest.mark.parametrize("what", DRIPS)
def test_a_server_that_drips_does_not_outlast_the_deadline(http_server: Server, what: str) -> None:
    first, then = DRIPS[what]

    def write(line: Line) -> None:
        line.send(first)
        line.drip(then)

    # Each look at the clock costs a second, so the deadline comes after some thirty reads.
    with pytest.raises(TransientError) as caught:
        get(url := http_server.reply_raw("/i.json", write), World(step=1.0))
    assert caught.value.message == f"{url} took longer than 30 seconds."
    assert len(http_server.asked) == 1


def test_tls_is_no_way_around_the_deadline(tls_server: TlsServer) -> None:
    def write(line: Line) -> None:
        line.send(b"HTTP/1.1 200 OK\r\n\r\n")
        line.drip(b"x")

    tls_server.server.reply_raw("/", write)
    world = World({TLS_HOST: [["127.0.0.1"]]}, tls_server.ca_bundle, step=1.0)
    with pytest.raises(TransientError, match="took longer than 30 seconds"):
        get(tls_server.url(), world)


def test_a_server_that_makes_no_handshake_is_not_waited_for() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        pytest.raises(TransientError, match="sent nothing"),
    ):
        get(f"https://127.0.0.1:{silent.getsockname()[1]}/", connect_seconds=0.05, retries=0)


def test_a_look_up_counts_against_the_deadline() -> None:
    with pytest.raises(TransientError, match="took longer than 30 seconds"):
        get("http://host.test/", World(step=31.0))


def test_a_cut_body_after_the_last_attempt_is_no_answer(http_server: Server) -> None:
    world = World()
    url = http_server.reply("/", "{}", Content_Length="9")
    with pytest.raises(ResponseError, match="cut off"):
        get(url, world, retries=1)
    assert world.slept == [0.5]
