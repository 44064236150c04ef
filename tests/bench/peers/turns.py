"""One side of the comparison as a process: `NAME NUMBER` comes in on a line, a line goes out when done.

It needs nothing beyond the standard library, because the peers' environment has nothing of akm's.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Mapping

_HERE = (None, "", "127.0.0.1", "::1", "localhost", b"localhost")
#: Audit events of the network, and which argument names the other side.
_ASKED = {"socket.connect": 1, "socket.sendto": 1, "socket.getaddrinfo": 0}


def serve(acts: Mapping[str, Callable[[int], object]]) -> None:
    """Do what is asked for until standard input ends. A first line says that it can be asked."""
    answers = os.fdopen(os.dup(1), "w")
    # What a library prints is for people.
    os.dup2(2, 1)
    gc.freeze()
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        name, number = line.split()
        acts[name](int(number))
        print("done", file=answers, flush=True)


def stay_here() -> None:
    """Refuse whatever this process would send to another machine, such as a library's own reports."""
    sys.addaudithook(refuse_strangers)


def refuse_strangers(event: str, arguments: tuple[object, ...]) -> None:
    """Raise ConnectionRefusedError when an audit event is about another machine."""
    place = _ASKED.get(event)
    asked = None if place is None else arguments[place]
    host = asked[0] if isinstance(asked, tuple) else asked
    # A text that came as an address is a socket in the file system.
    is_path = event != "socket.getaddrinfo" and not isinstance(asked, tuple)
    if place is not None and not is_path and host not in _HERE:
        raise ConnectionRefusedError(f"the benchmark stays on this machine: {host}")
