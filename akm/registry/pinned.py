"""The adapter through which requests reaches addresses that were checked, and only those.

To HTTP and TLS the host keeps its name: the Host header, SNI and the certificate's check are untouched.
Importing this imports requests.
"""

from __future__ import annotations

import io
import socket
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from http.client import HTTPResponse
from typing import Any

from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import ConnectTimeoutError, NewConnectionError

from akm.http.body import TooMuch
from akm.http.deadline import Deadline
from akm.registry import addresses


@dataclass(frozen=True, slots=True)
class Route:
    """Where one exchange goes and what it may take. `max_bytes` counts what comes over the line."""

    addresses: tuple[addresses.Address, ...]
    deadline: Deadline
    connect_seconds: float
    read_seconds: float
    max_bytes: int

    def connect(self) -> socket.socket:
        """Connect to one of the addresses. Raises OSError, of which TimeoutError is one."""
        made = addresses.connect(self.addresses, partial(self.deadline.at_most, self.connect_seconds))
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return made


class _Metered(io.RawIOBase):
    """What a socket reads, each time within the deadline, and not without end.

    The library sets a timeout for one read, and a byte before each timeout would keep it for ever; and it
    reads lines of chunked bodies of any length into memory.
    """

    def __init__(self, raw: io.RawIOBase, line: socket.socket, route: Route) -> None:
        self._raw, self._line, self._route = raw, line, route
        self._came = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._line.settimeout(self._route.deadline.at_most(self._route.read_seconds))
        count: int | None = self._raw.readinto(buffer)
        self._came += count or 0
        if self._came > self._route.max_bytes:
            raise TooMuch
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Pinned(HTTPConnection):
    def __init__(self, *args: Any, route: Route, **options: Any) -> None:
        super().__init__(*args, **options)
        self._route = route
        self.response_class: Any = self._metered

    def _new_conn(self) -> socket.socket:
        try:
            return self._route.connect()
        except TimeoutError as error:
            raise ConnectTimeoutError(self, "no connection in time") from error
        except OSError as error:
            raise NewConnectionError(self, "no connection") from error

    def _metered(self, line: socket.socket, *args: Any, **options: Any) -> HTTPResponse:
        answer = HTTPResponse(line, *args, **options)
        raw: Any = answer.fp.detach()
        answer.fp = io.BufferedReader(_Metered(raw, line, self._route))
        return answer


class _PinnedTls(_Pinned, HTTPSConnection):
    pass


class Adapter(HTTPAdapter):
    """Sends requests along one route. Close it after its answer has been read."""

    def __init__(self, route: Route) -> None:
        # The base class makes its pools at once.
        self._route = route
        super().__init__(pool_connections=1, pool_maxsize=1)

    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        """Make the pools, each with connections that know the route."""
        super().init_poolmanager(*args, **options)
        manager: Any = self.poolmanager
        manager.pool_classes_by_scheme = {
            "http": self._pools(HTTPConnectionPool, _Pinned),
            "https": self._pools(HTTPSConnectionPool, _PinnedTls),
        }

    def _pools(self, pool: Callable[..., Any], connection: type[_Pinned]) -> Callable[..., Any]:
        def made(*args: Any, **options: Any) -> Any:
            one = pool(*args, **options)
            one.ConnectionCls = partial(connection, route=self._route)
            return one

        return made
