"""Answers: which are given, what each failure is called, and that no body goes past its limits."""

from __future__ import annotations

import gzip
import zlib

import pytest
from asking_servers import World, get
from serving import Line, Server

import akm
from akm.errors import AkmError, ConfigError, NotFoundError, ResponseError, TransientError
from akm.registry import client
from akm.registry.client import Validators


def test_an_answer_comes_with_its_validators(http_server: Server) -> None:
    url = http_server.reply(
        "/i.json", '{"a": "ü"}', ETag='"1"', Last_Modified="Wed, 02 Dec 2026 08:00:00 GMT"
    )
    answer = get(url)
    assert (answer.status, answer.text) == (200, '{"a": "ü"}')
    assert answer.validators == Validators('"1"', "Wed, 02 Dec 2026 08:00:00 GMT")


def test_an_answer_without_validators_gives_none(http_server: Server) -> None:
    assert get(http_server.reply("/", "{}")).validators == Validators(None, None)


def test_a_request_says_who_asks_and_nothing_else(
    http_server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    netrc = f"{tmp_path}/netrc"
    with open(netrc, "w", encoding="utf-8") as file:
        file.write("machine 127.0.0.1 login me password hunter2\n")
    monkeypatch.setenv("NETRC", netrc)
    get(http_server.reply("/", "{}"))
    assert http_server.asked[0].headers == {
        "host": f"127.0.0.1:{http_server.port}",
        "user-agent": f"akm/{akm.__version__}",
        "accept": "application/json, */*;q=0.5",
        "accept-encoding": "gzip, deflate",
    }


@pytest.mark.parametrize("name", ["http_proxy", "HTTP_PROXY", "ALL_PROXY"])
def test_no_proxy_of_the_environment_is_asked(
    http_server: Server, other_server: Server, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, other_server.url())
    assert get(http_server.reply("/", "{}")).text == "{}"
    assert other_server.asked == []


def test_validators_make_the_request_conditional_and_come_back_with_a_304(http_server: Server) -> None:
    kept = Validators('"1"', "Wed, 02 Dec 2026 08:00:00 GMT")
    answer = get(http_server.reply("/", status=304), validators=kept)
    assert (answer.status, answer.text, answer.validators) == (304, "", kept)
    asked = http_server.asked[0].headers
    assert (asked["if-none-match"], asked["if-modified-since"]) == (kept.etag, kept.last_modified)


def test_a_304_may_bring_a_new_validator(http_server: Server) -> None:
    url = http_server.reply("/", status=304, ETag='"2"')
    assert get(url, validators=Validators('"1"', "then")).validators == Validators('"2"', "then")


@pytest.mark.parametrize("etag", ['"1"\r\nX-Evil: 1', '"é"', ""])
def test_a_validator_that_no_header_can_hold_is_not_sent(http_server: Server, etag: str) -> None:
    get(http_server.reply("/", "{}"), validators=Validators(etag))
    assert not {"if-none-match", "x-evil"} & set(http_server.asked[0].headers)


STATUSES = [
    *[(status, NotFoundError, "REGISTRY_NOT_FOUND", 1) for status in (404, 410)],
    *[(status, TransientError, "REGISTRY_UNREACHABLE", 75) for status in (429, 500, 502, 503, 599)],
    *[
        (status, ResponseError, "REGISTRY_RESPONSE_INVALID", 1)
        for status in (201, 204, 206, 300, 304, 400, 401, 403, 418, 451)
    ],
]


@pytest.mark.parametrize(("status", "kind", "code", "exit_status"), STATUSES)
def test_each_status_has_its_error(
    http_server: Server, status: int, kind: type[AkmError], code: str, exit_status: int
) -> None:
    url = http_server.reply("/i.json", status=status)
    with pytest.raises(kind, match=f"answered with status {status}") as caught:
        get(url)
    assert (caught.value.code, caught.value.exit_status) == (code, exit_status)
    assert url in caught.value.message
    assert len(http_server.asked) == (3 if kind is TransientError else 1)


@pytest.mark.parametrize("status", [401, 403])
def test_who_is_not_let_in_is_told_that_there_is_no_authentication(http_server: Server, status: int) -> None:
    with pytest.raises(ResponseError) as caught:
        get(http_server.reply("/", status=status))
    assert "no authentication" in (caught.value.hint or "")


def test_a_byte_order_mark_is_no_part_of_the_text(http_server: Server) -> None:
    assert get(http_server.reply("/", b"\xef\xbb\xbf{}")).text == "{}"


def test_json_is_utf_8_whatever_the_header_says(http_server: Server) -> None:
    url = http_server.reply("/", '"ü"', Content_Type="application/json; charset=iso-8859-1")
    assert get(url).text == '"ü"'


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b'"\xff"', "is not UTF-8"),
        ('"ü"'.encode("utf-16"), "is not UTF-8"),
        (b"", "empty answer"),
        (b" \r\n", "empty answer"),
        (b"\xef\xbb\xbf", "empty answer"),
    ],
)
def test_a_body_that_is_no_text_is_no_answer(http_server: Server, body: bytes, why: str) -> None:
    with pytest.raises(ResponseError, match=why):
        get(http_server.reply("/", body))
    assert len(http_server.asked) == 1


def test_a_body_may_be_as_large_as_its_limit_and_no_larger(http_server: Server) -> None:
    url = http_server.reply("/", b"x" * 100_000)
    assert len(get(url, max_bytes=100_000).text) == 100_000
    with pytest.raises(ResponseError, match=r"sent more than 0\.099999 MB"):
        get(url, max_bytes=99_999)


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_the_limit_counts_what_was_decompressed(http_server: Server, encoding: str) -> None:
    small = (gzip.compress if encoding == "gzip" else zlib.compress)(b"x" * 5_000_000)
    assert len(small) < 10_000
    url = http_server.reply("/", small, Content_Encoding=encoding)
    assert len(get(url).text) == 5_000_000
    with pytest.raises(ResponseError, match="sent more than 1 MB"):
        get(url, max_bytes=1_000_000)


def test_a_broken_compression_is_said_to_be_one(http_server: Server) -> None:
    with pytest.raises(ResponseError, match="compression is broken"):
        get(http_server.reply("/", b"no gzip", Content_Encoding="gzip"))


_OK, _CHUNKED = b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
ENDLESS = {
    "a body": (_OK + b"\r\n", b"x" * 100_000),
    "chunks": (_CHUNKED, b"1\r\nx\r\n" * 10_000),
    "words about chunks": (_CHUNKED, b"1;" + b"a" * 60_000 + b"\r\nx\r\n"),
    "headers after the chunks": (_CHUNKED + b"1\r\nx\r\n0\r\n", b"a: b\r\n" * 10_000),
}


@pytest.mark.parametrize("what", ENDLESS)
def test_nothing_endless_is_read_to_its_end(http_server: Server, what: str) -> None:
    first, then = ENDLESS[what]

    def write(line: Line) -> None:
        line.send(first)
        while True:
            line.send(then)

    with pytest.raises(ResponseError, match="sent more than 1 MB"):
        get(http_server.reply_raw("/", write), max_bytes=1_000_000)


CUT = {
    "shorter than announced": b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{}",
    "no last chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
    "a chunk cut": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{}",
    "a chunk without length": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}",
}


@pytest.mark.parametrize("what", CUT)
def test_a_body_that_was_cut_off_is_tried_again_and_is_no_answer(http_server: Server, what: str) -> None:
    url = http_server.reply_raw("/", lambda line: line.send(CUT[what]))
    with pytest.raises(ResponseError, match="cut off"):
        get(url)
    assert len(http_server.asked) == 3
    http_server.reply("/", "{}")
    assert get(url).text == "{}"


@pytest.mark.parametrize(
    "data",
    [
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 200 + b"\r\n{}",
        b"HTTP/1.1 200 OK\r\na: " + b"b" * 70_000 + b"\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
    ],
)
def test_something_that_is_not_http_is_said_to_be_none(http_server: Server, data: bytes) -> None:
    with pytest.raises(TransientError, match="what it sends is not HTTP"):
        get(http_server.reply_raw("/", lambda line: line.send(data)))


def test_letters_outside_ascii_are_quoted(http_server: Server) -> None:
    http_server.reply("/%C3%BC?q=%C3%A4", "{}")
    assert get(http_server.url("/ü?q=ä")).text == "{}"


def test_a_connection_closed_without_an_answer_is_said_to_be_one(http_server: Server) -> None:
    with pytest.raises(TransientError, match="closed without an answer"):
        get(http_server.reply_raw("/", lambda _: None))


def test_a_host_nobody_listens_at_is_unreachable() -> None:
    with Server().running() as server:
        url = server.url("/i.json")
    with pytest.raises(TransientError, match="is not reachable: Connection refused") as caught:
        get(url)
    assert url in caught.value.message
    assert (caught.value.code, caught.value.exit_status) == ("REGISTRY_UNREACHABLE", 75)


def test_the_cause_is_named_whatever_else_was_being_handled() -> None:
    with Server().running() as server:
        url = server.url()
    try:
        raise KeyError("something else")
    except KeyError:
        with pytest.raises(TransientError, match="Connection refused"):
            get(url)


def test_a_host_that_does_not_exist_is_unreachable() -> None:
    with pytest.raises(TransientError, match="is not reachable: Name or service not known"):
        get("http://nowhere.test/", World())


@pytest.mark.parametrize("host", ["a" * 64, "xn--a", "*.example"])
def test_a_host_that_cannot_exist_is_refused(host: str) -> None:
    with pytest.raises((ConfigError, TransientError)) as caught:
        get(f"http://{host}/", World())
    assert host in caught.value.message


def test_a_url_that_may_not_be_asked_is_not_looked_up() -> None:
    world = World()
    for url in ("ftp://host/", "https://u:hunter2@host/", "nothing"):
        with pytest.raises(ConfigError) as caught:
            get(url, world)
        assert "hunter2" not in str(caught.value)
    assert world.looked_up == []


def test_importing_the_client_does_not_import_requests() -> None:
    import subprocess
    import sys

    code = f"import {client.__name__}, sys; print([n for n in sys.modules if n in ('requests', 'urllib3')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
