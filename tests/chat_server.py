"""A server on the loopback address that speaks chat completions by a script, down to the bytes."""

from __future__ import annotations

import json
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

Act = Callable[[socket.socket, "ChatServer"], None]


class Asked(NamedTuple):
    """One request as it came."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        return str(self.body["messages"][-1]["content"])


class ChatServer:
    """Answers each request by the next act of `script`; the last one is repeated."""

    def __init__(self, *script: Act, tls: Path | None = None) -> None:
        self.script = list(script)
        self._tls = None if tls is None else ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        if self._tls is not None:
            self._tls.load_cert_chain(str(tls))
        self.asked: list[Asked] = []
        #: Set when a request has come that is not answered, and when its asker has hung up.
        self.waiting, self.hung_up = threading.Event(), threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._port = self._listening.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._handling: list[threading.Thread] = []
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http{'s' if self._tls else ''}://127.0.0.1:{self._port}/v1"

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._thread.join(10)
        for one in self._handling:
            one.join(10)
        self._listening.close()

    def _serve(self) -> None:
        while True:
            try:
                line, _ = self._listening.accept()
            except OSError:
                return
            self._handling.append(threading.Thread(target=self._handle, args=(line,), daemon=True))
            self._handling[-1].start()

    def _handle(self, line: socket.socket) -> None:
        if self._tls is not None:
            try:
                line = self._tls.wrap_socket(line, server_side=True)
            except OSError:
                return  # Whoever does not trust the certificate hangs up.
        with line:
            asked = _request(line)
            if asked is None:
                return
            act = self.script[min(len(self.asked), len(self.script) - 1)]
            self.asked.append(asked)
            try:
                act(line, self)
            except OSError:
                self.hung_up.set()


def _request(line: socket.socket) -> Asked | None:
    data = b""
    while b"\r\n\r\n" not in data:
        more = line.recv(65536)
        if not more:
            return None
        data += more
    head, body = data.split(b"\r\n\r\n", 1)
    first, *rest = head.decode().split("\r\n")
    headers = {name.lower(): value for name, _, value in (one.partition(": ") for one in rest)}
    while len(body) < int(headers["content-length"]):
        body += line.recv(65536)
    return Asked(first.split()[1], headers, json.loads(body))


@contextmanager
def serving(*script: Act, tls: Path | None = None) -> Iterator[ChatServer]:
    """Run a server for the length of the block; `tls` is a file with its key and its certificate."""
    server = ChatServer(*script, tls=tls)
    try:
        yield server
    finally:
        server.close()


def certificate(folder: Path) -> Path:
    """Make a key and a certificate for the loopback address, in one file."""
    made = folder / "server.pem"
    options = (
        "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1"
    )
    try:
        subprocess.run(
            ["openssl", *options.split(), "-keyout", made, "-out", folder / "cert.pem"],
            check=True,
            capture_output=True,
        )
    except FileNotFoundError:
        pytest.skip("openssl is not installed")
    made.write_text(made.read_text() + (folder / "cert.pem").read_text())
    return made


def raw(data: bytes, *, reset: bool = False) -> Act:
    """Send exactly these bytes, then hang up."""

    def act(line: socket.socket, _server: ChatServer) -> None:
        line.sendall(data)
        if reset:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")

    return act


def answered(body: bytes | str | Any, status: int = 200, **headers: str) -> Act:
    """Send a whole response; what is no bytes or text is sent as JSON."""
    data = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
    named = {"Content-Type": "application/json", "Content-Length": str(len(data))}
    named |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    return raw(f"HTTP/1.1 {status} X\r\n{head}\r\n".encode() + data)


def completion(text: Any, finish: str = "stop", usage: Any = None, **message: Any) -> dict[str, Any]:
    """Build the body of an answer."""
    said = {"role": "assistant", "content": text} | message
    return {"id": "x", "choices": [{"index": 0, "message": said, "finish_reason": finish}], "usage": usage}


def says(text: Any, finish: str = "stop", *, tokens: tuple[int, int] | None = None, **message: Any) -> Act:
    """Answer with a text; `tokens` are those of the prompt and of the completion."""
    usage = tokens and {
        "prompt_tokens": tokens[0],
        "completion_tokens": tokens[1],
        "total_tokens": sum(tokens),
    }
    return answered(completion(text, finish, usage, **message))


def complains(status: int, message: str = "no", **more: str) -> Act:
    """Answer with an error in the protocol's shape."""
    return answered({"error": {"message": message, **more}}, status)


def streams(*events: Any, done: bool = True, hangs: bool = False) -> Act:
    """Answer with a chunked stream of events; `hangs`: the line stays open behind the last one."""
    texts = [f"data: {json.dumps(one)}\n\n" for one in events] + ["data: [DONE]\n\n"] * done
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(one.encode()), one.encode()) for one in texts)

    def act(line: socket.socket, server: ChatServer) -> None:
        line.sendall(head + chunks + (b"" if hangs else b"0\r\n\r\n"))
        if hangs:
            silence(line, server)

    return act


def silence(line: socket.socket, server: ChatServer) -> None:
    """Answer nothing until the asker hangs up."""
    server.waiting.set()
    while line.recv(1):
        pass
    server.hung_up.set()


def endless(head: bytes) -> Act:
    """Send the head of an answer whose body never comes."""

    def act(line: socket.socket, server: ChatServer) -> None:
        line.sendall(head)
        silence(line, server)

    return act


def drip(line: socket.socket, server: ChatServer) -> None:
    """Send headers and then byte after byte, without end, until the asker hangs up."""
    line.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
    line.settimeout(0.02)
    server.waiting.set()
    while True:
        line.sendall(b" ")
        try:
            if not line.recv(1):
                server.hung_up.set()
                return
        except TimeoutError:
            continue
