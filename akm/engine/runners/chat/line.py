"""The connection of one exchange, which another thread can cut. Importing this imports requests."""

from __future__ import annotations

import errno
import socket
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool


class Line:
    """The sockets of one exchange. Once cut, nothing is sent or received over them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []
        self._is_cut = False

    def opened(self, made: Any) -> None:
        """Remember a connected socket. Raises OSError when the line was cut meanwhile."""
        with self._lock:
            self._sockets.append(made)
            if self._is_cut:
                raise OSError(errno.ECONNABORTED, "Connection aborted")

    def cut(self) -> None:
        """End whatever another thread waits for here."""
        with self._lock:
            self._is_cut = True
            for one in self._sockets:
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass  # It has ended by itself.


class _Tracked(HTTPConnection):
    def __init__(self, *args: Any, line: Line, **options: Any) -> None:
        super().__init__(*args, **options)
        self._line = line

    def connect(self) -> None:
        super().connect()
        self._line.opened(self.sock)


class _TrackedTls(_Tracked, HTTPSConnection):
    pass


class Adapter(HTTPAdapter):
    """Sends one request over a line. It follows nothing and repeats nothing."""

    def __init__(self, line: Line) -> None:
        # The base class makes its pools at once.
        self._line = line
        super().__init__(pool_connections=1, pool_maxsize=1)

    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        """Make the pools, each with connections that know the line."""
        super().init_poolmanager(*args, **options)
        manager: Any = self.poolmanager
        manager.pool_classes_by_scheme = {
            "http": self._pools(HTTPConnectionPool, _Tracked),
            "https": self._pools(HTTPSConnectionPool, _TrackedTls),
        }

    def _pools(self, pool: Callable[..., Any], connection: type[_Tracked]) -> Callable[..., Any]:
        def made(*args: Any, **options: Any) -> Any:
            one = pool(*args, **options)
            one.ConnectionCls = partial(connection, line=self._line)
            return one

        return made
