"""Which addresses a registry's host has, and whether they may be talked to.

The answers given here are the ones that are connected to: a host is never looked up a second time.
"""

from __future__ import annotations

import ipaddress
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any

_IPv4 = ipaddress.IPv4Network
_IPv6 = ipaddress.IPv6Network

# What `is_global` of some supported Python calls global, although no server of the internet is there.
_NOT_PUBLIC_4 = (_IPv4("192.0.0.0/24"), _IPv4("192.88.99.0/24"))
# All that has been given out for hosts of the internet; private, local and reserved ranges lie outside.
_UNICAST_6 = _IPv6("2000::/3")
# 6to4 carries any IPv4 address inside and its relays are gone; documentation.
_NOT_PUBLIC_6 = (_IPv6("2002::/16"), _IPv6("3fff::/20"))
# How networks without IPv4 reach IPv4 hosts: their resolvers answer with these.
_NAT64 = _IPv6("64:ff9b::/96")


@dataclass(frozen=True, slots=True)
class Address:
    """One address of a host, as a socket takes it."""

    family: int
    sockaddr: tuple[Any, ...]

    @property
    def is_public(self) -> bool:
        """Whether it belongs to a host of the internet rather than to this machine or a network near it."""
        return is_public(str(self.sockaddr[0]))


def is_public(text: str) -> bool:
    """Tell whether an IP address belongs to a host of the internet; what is no IP address does not."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv4Address):
        return _is_public_4(address)
    if address.ipv4_mapped is not None:
        return _is_public_4(address.ipv4_mapped)
    if address in _NAT64:
        return _is_public_4(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return address in _UNICAST_6 and address.is_global and not any(address in net for net in _NOT_PUBLIC_6)


def _is_public_4(address: ipaddress.IPv4Address) -> bool:
    # Multicast counts as global in `ipaddress`.
    return address.is_global and not address.is_multicast and not any(address in net for net in _NOT_PUBLIC_4)


def look_up(
    host: str, port: int, *, seconds: float, resolve: Callable[..., list[Any]]
) -> tuple[Address, ...]:
    """Return every address of `host`, in the order of the resolver.

    Raises what `resolve` raises, and TimeoutError after `seconds`: a look-up cannot be broken off, so it
    goes on in a thread that nobody waits for.
    """
    answers: SimpleQueue[list[Any] | Exception] = SimpleQueue()

    def ask() -> None:
        try:
            answers.put(resolve(host, port, type=socket.SOCK_STREAM))
        except Exception as error:
            answers.put(error)

    threading.Thread(target=ask, name="akm-look-up", daemon=True).start()
    try:
        answer = answers.get(timeout=seconds)
    except Empty:
        raise TimeoutError("the look-up of the host took too long") from None
    if isinstance(answer, Exception):
        raise answer
    return tuple(dict.fromkeys(Address(family, tuple(sockaddr)) for family, *_, sockaddr in answer))


def connect(addresses: tuple[Address, ...], seconds: Callable[[], float]) -> socket.socket:
    """Connect to the first of `addresses` that answers; `seconds` is asked anew before each.

    Raises the last OSError when none does; `seconds` may raise TimeoutError to end it.
    """
    failure: OSError = OSError("the host has no address")
    for address in addresses:
        made = None
        try:
            made = socket.socket(address.family, socket.SOCK_STREAM)
            made.settimeout(seconds())
            made.connect(address.sockaddr)
            # The TLS handshake that may follow counts its timeout as a whole.
            made.settimeout(seconds())
            return made
        except OSError as error:
            failure = error
            if made is not None:
                made.close()
    raise failure
