"""The values of a transfer: what is asked for, what came, how far it may go, what it asks of the machine."""

from __future__ import annotations

import random
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from akm.http.deadline import Deadline


@dataclass(frozen=True, slots=True)
class Validators:
    """What makes the next request conditional; None where the last good answer gave none."""

    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True, slots=True)
class Response:
    """A usable answer: `status` 200 with its text, or 304 with an empty one."""

    status: int
    text: str
    validators: Validators


@dataclass(frozen=True, slots=True)
class Limits:
    """How far one `get` goes. `deadline_seconds` holds for all its attempts, redirects and waits together.

    `max_bytes` counts the decoded body. `retries` come on top of the first attempt.
    """

    connect_seconds: float = 10
    read_seconds: float = 10
    deadline_seconds: float = 30
    max_bytes: int = 50_000_000
    retries: int = 2
    max_redirects: int = 5


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What `get` asks of the machine. `resolve` takes and gives what `socket.getaddrinfo` does.

    `ca_bundle` is a file or a directory of certificates; None means the one that REQUESTS_CA_BUNDLE or
    CURL_CA_BUNDLE names, else the one that comes with requests.
    """

    resolve: Callable[..., list[Any]] = socket.getaddrinfo
    monotonic: Callable[[], float] = time.monotonic
    wall_clock: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    random: Callable[[], float] = random.random
    ca_bundle: str | None = None


@dataclass(frozen=True, slots=True)
class Terms:
    """What holds for every attempt and every redirect of one `get`."""

    allow_private: bool
    limits: Limits
    surroundings: Surroundings
    deadline: Deadline
