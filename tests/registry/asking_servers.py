"""A client for tests: a clock that nobody waits for, and a resolver that knows the names of a test."""

from __future__ import annotations

import socket
from dataclasses import dataclass, field
from typing import Any

from akm.registry import client
from akm.registry.client import Limits, Response, Surroundings, Validators


@dataclass
class World:
    """The machine as one `get` sees it. Sleeping moves the clock; `slept` says for how long each time.

    `hosts` gives the addresses of each name, one list for each look-up, the last one again and again.
    """

    hosts: dict[str, list[list[str]]] = field(default_factory=dict)
    ca_bundle: str | None = None
    random: float = 1.0
    now: float = 1000.0
    step: float = 0.0
    slept: list[float] = field(default_factory=list)
    looked_up: list[str] = field(default_factory=list)

    def resolve(self, host: str, port: int, **options: Any) -> list[Any]:
        self.looked_up.append(host)
        if host not in self.hosts:
            return socket.getaddrinfo(host, port, flags=socket.AI_NUMERICHOST, **options)
        answers = self.hosts[host]
        now = answers.pop(0) if len(answers) > 1 else answers[0]
        return [one for ip in now for one in socket.getaddrinfo(ip, port, **options)]

    def monotonic(self) -> float:
        self.now += self.step
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def surroundings(self) -> Surroundings:

        return Surroundings(
            self.resolve,
            self.monotonic,
            lambda: 1_800_000_000.0,
            self.sleep,
            lambda: self.random,
            self.ca_bundle,
        )


def get(
    url: str,
    world: World | None = None,
    *,
    validators: Validators | None = None,
    allow_private: bool = True,
    **limits: Any,
) -> Response:
    """Get `url` from a server of the test; `limits` are fields of `Limits`."""
    return client.get(
        url,
        validators=validators,
        allow_private=allow_private,
        limits=Limits(**limits),
        surroundings=(world or World()).surroundings(),
    )
