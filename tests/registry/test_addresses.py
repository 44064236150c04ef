"""Addresses: which belong to the internet, and that a look-up is bounded and asked once."""

from __future__ import annotations

import socket
import threading
from typing import Any

import pytest

from akm.registry import addresses
from akm.registry.addresses import Address

PUBLIC = [
    *("1.1.1.1", "8.8.8.8", "140.82.121.3", "185.199.108.133", "172.15.255.255", "172.32.0.0", "192.0.1.1"),
    *("100.63.255.255", "100.128.0.0", "11.0.0.0", "223.255.255.255"),
    *("2606:4700:4700::1111", "2a00:1450:4001:810::200e", "::ffff:1.1.1.1", "64:ff9b::1.1.1.1"),
]
NOT_PUBLIC = {
    "this machine": ["127.0.0.1", "127.255.255.254", "::1"],
    "unspecified": ["0.0.0.0", "0.1.2.3", "::"],
    "private": ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fd12:3456::1"],
    "link-local": ["169.254.169.254", "fe80::1", "fe80::1%eth0"],
    "site-local": ["fec0::1"],
    "shared by a carrier": ["100.64.0.1", "100.127.255.255"],
    "multicast": ["224.0.0.1", "239.255.255.250", "233.252.0.1", "ff02::1", "ff0e::1"],
    "reserved": ["240.0.0.1", "255.255.255.255", "192.0.0.1", "192.0.0.8", "192.88.99.1", "4000::1"],
    "documentation": ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"],
    "benchmarks": ["198.18.0.1", "198.19.255.255"],
    "IPv4 mapped": ["::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:0.0.0.0"],
    "IPv4 compatible": ["::127.0.0.1", "::10.0.0.1"],
    "NAT64": ["64:ff9b::127.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b::169.254.169.254", "64:ff9b:1::1.1.1.1"],
    "6to4": ["2002:7f00:1::", "2002:a00:1::", "2002:101:101::"],
    "Teredo": ["2001:0:1234::1"],
    "discard": ["100::1"],
    "no address": ["", "localhost", "1.2.3", "0x7f000001"],
}


@pytest.mark.parametrize("text", PUBLIC)
def test_hosts_of_the_internet_are_public(text: str) -> None:
    assert addresses.is_public(text)


@pytest.mark.parametrize(
    ("kind", "text"), [(kind, text) for kind, some in NOT_PUBLIC.items() for text in some]
)
def test_nothing_else_is_public(kind: str, text: str) -> None:
    assert not addresses.is_public(text), kind


@pytest.mark.parametrize("host", ["127.1", "0x7f000001", "2130706433", "0177.0.0.1", "::1", "::ffff:7f00:1"])
def test_no_spelling_of_this_machine_gets_through(host: str) -> None:
    found = addresses.look_up(host, 80, seconds=10, resolve=socket.getaddrinfo)
    assert found
    assert not any(one.is_public for one in found)


def test_a_look_up_gives_every_answer_once_in_order() -> None:
    def resolve(*_: Any, **__: Any) -> list[Any]:
        rows = [(socket.AF_INET6, "::1"), (socket.AF_INET, "1.1.1.1"), (socket.AF_INET6, "::1")]
        return [(family, socket.SOCK_STREAM, 6, "", (ip, 80)) for family, ip in rows]

    assert addresses.look_up("host.test", 80, seconds=10, resolve=resolve) == (
        Address(socket.AF_INET6, ("::1", 80)),
        Address(socket.AF_INET, ("1.1.1.1", 80)),
    )


def test_a_look_up_that_never_ends_is_not_waited_for() -> None:
    ending = threading.Event()
    with pytest.raises(TimeoutError):
        addresses.look_up("host.test", 80, seconds=0.01, resolve=lambda *_, **__: [ending.wait(60)])
    ending.set()


def test_the_next_address_is_tried_when_one_does_not_answer() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening, socket.socket() as silent:
        # Bound and not listening: connections are refused.
        silent.bind(("127.0.0.2", 0))
        dead = Address(socket.AF_INET, silent.getsockname())
        alive = Address(socket.AF_INET, listening.getsockname())
        with addresses.connect((dead, alive), lambda: 10) as made:
            assert made.getpeername() == listening.getsockname()
        with pytest.raises(ConnectionRefusedError):
            addresses.connect((dead,), lambda: 10)


def test_no_address_is_tried_after_the_deadline() -> None:
    def passed() -> float:
        raise TimeoutError

    with socket.create_server(("127.0.0.1", 0)) as listening:
        with pytest.raises(TimeoutError):
            addresses.connect((Address(socket.AF_INET, listening.getsockname()),), passed)
        listening.setblocking(False)
        with pytest.raises(BlockingIOError):
            listening.accept()
