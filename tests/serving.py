"""Web servers on the loopback interface that answer what a test tells them to, over HTTP and over TLS."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

#: The name that the certificate of the TLS server is made out to.
TLS_HOST = "registry.test"


@dataclass(frozen=True)
class Asked:
    """One request that a server got."""

    path: str
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Reply:
    """One answer. `raw` goes over the line as it is, without status and headers of ours."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: Callable[[Line], None] | None = None


class Line:
    """A connection to a client, for answers that no proper server gives."""

    def __init__(self, handler: BaseHTTPRequestHandler, ending: threading.Event) -> None:
        self._handler, self._ending = handler, ending

    def send(self, data: bytes) -> None:
        self._handler.wfile.write(data)
        self._handler.wfile.flush()

    def drip(self, data: bytes) -> None:
        """Send `data` again and again, in no hurry, until the client has gone."""
        while not self._ending.wait(0.001):
            self.send(data)

    def stall(self) -> None:
        """Send nothing until the test has ended."""
        self._ending.wait(60)


class Server:
    """A web server of one test. The last reply of a path is given again and again."""

    def __init__(self, address: str = "127.0.0.1", port: int = 0, tls: ssl.SSLContext | None = None) -> None:
        self.asked: list[Asked] = []
        self._replies: dict[str, list[Reply]] = {}
        self._ending = threading.Event()
        self._http = _Quiet((address, port), self._handler())
        self._scheme = "https" if tls else "http"
        if tls is not None:
            # The handshake is made in the thread of its connection, so that a bad one stops nobody.
            self._http.socket = tls.wrap_socket(
                self._http.socket, server_side=True, do_handshake_on_connect=False
            )

    @property
    def port(self) -> int:
        return int(self._http.server_address[1])

    def url(self, path: str = "/", *, host: str | None = None) -> str:
        """Return the URL of `path`; `host` is the name to ask by, the address when None."""
        return f"{self._scheme}://{host or self._http.server_address[0]}:{self.port}{path}"

    def reply(self, path: str, body: str | bytes = b"", status: int = 200, **headers: str) -> str:
        """Add a reply to `path` and return its URL; `Retry_After="3"` is written as a header of that name."""
        data = body.encode() if isinstance(body, str) else body
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self._add(path, Reply(data, status, named))

    def reply_raw(self, path: str, write: Callable[[Line], None]) -> str:
        """Add a reply to `path` that `write` puts on the line itself, and return its URL."""
        return self._add(path, Reply(raw=write))

    def _add(self, path: str, reply: Reply) -> str:
        self._replies.setdefault(path, []).append(reply)
        return self.url(path)

    @contextmanager
    def running(self) -> Iterator[Server]:
        """Answer until the block is left."""
        thread = threading.Thread(target=self._http.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield self
        finally:
            self._ending.set()
            self._http.shutdown()
            thread.join()
            self._http.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                server.asked.append(Asked(self.path, {k.lower(): v for k, v in self.headers.items()}))
                replies = server._replies.get(self.path) or [Reply(status=404)]
                reply = replies.pop(0) if len(replies) > 1 else replies[0]
                try:
                    if reply.raw is not None:
                        reply.raw(Line(self, server._ending))
                    else:
                        self._write(reply)
                except OSError:
                    pass  # The client has gone, which is what many tests are about.

            def _write(self, reply: Reply) -> None:
                self.send_response(reply.status)
                for name, value in {"Content-Length": str(len(reply.body)), **reply.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(reply.body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        return Handler


class _Quiet(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # A handshake that the client broke off.


@dataclass(frozen=True)
class TlsServer:
    """A server that proves to be `registry.test`, and the certificate to trust for that."""

    server: Server
    ca_bundle: str
    names: list[str | None]

    def url(self, path: str = "/", *, host: str = TLS_HOST) -> str:
        """Return the URL of `path` on `host`, which has to be resolved to the loopback address."""
        return self.server.url(path, host=host)


def certificate(folder: Path) -> tuple[Path, Path]:
    """Make a certificate for `registry.test` that signs itself: its file and its key's."""
    import subprocess

    made, key = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-nodes", "-days", "2", "-subj", f"/CN={TLS_HOST}"),
            *("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"),
            *("-addext", f"subjectAltName=DNS:{TLS_HOST}"),
            *("-addext", "keyUsage=critical,digitalSignature,keyCertSign"),
            *("-keyout", str(key), "-out", str(made)),
        ],
        check=True,
        capture_output=True,
    )
    return made, key


@contextmanager
def tls(made: Path, key: Path) -> Iterator[TlsServer]:
    """Run a TLS server with that certificate; `names` holds the host names that clients asked for."""
    names: list[str | None] = []
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made, key)
    context.sni_callback = lambda _line, name, _context: names.append(name)  # type: ignore[assignment]
    with Server(tls=context).running() as server:
        yield TlsServer(server, str(made), names)
