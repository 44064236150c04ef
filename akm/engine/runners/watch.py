"""Descriptors that one thread waits for, and what to do when one is ready."""

from __future__ import annotations

import select
from collections.abc import Callable


class Watch:
    """A poll whose descriptors each have a handler. It holds no descriptor of its own."""

    __slots__ = ("_handlers", "_poll")

    def __init__(self) -> None:
        # Bare, because a selector's keys and look-ups cost a short-lived child a tenth of its time.
        self._poll = select.poll()
        self._handlers: dict[int, Callable[[], None]] = {}

    def add(self, descriptor: int, handle: Callable[[], None]) -> None:
        """Call `handle` whenever there is something to read, at the end, and on errors."""
        self._poll.register(descriptor, select.POLLIN)
        self._handlers[descriptor] = handle

    def remove(self, descriptor: int) -> None:
        """Forget a descriptor, before it is closed."""
        self._poll.unregister(descriptor)
        del self._handlers[descriptor]

    def look(self, wait_ms: int | None) -> bool:
        """Handle what is ready after at most `wait_ms` (None: for ever); False when nothing was."""
        events = self._poll.poll(wait_ms)
        for descriptor, _ in events:
            # An earlier event of the same look may have removed it.
            handle = self._handlers.get(descriptor)
            if handle is not None:
                handle()
        return bool(events)
