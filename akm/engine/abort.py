"""A request to stop that a signal handler can make and that any thread, or a selector, can wait for."""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable


class Abort:
    """Stop request with a reason. The first reason stays; setting it again does nothing.

    `fileno()` becomes readable when it is set, so a runner can select on it beside its pipes. An abort made
    with a parent is set when the parent is, and can be set alone.
    """

    def __init__(self, parent: Abort | None = None) -> None:
        # Re-entrant, because a signal handler may call set() in the middle of set().
        self._lock = threading.RLock()
        self._children: list[Abort] = []
        self._is_closed = False
        self.reason: str | None = None
        #: Asked now and then by whoever waits; returns a reason to stop, or None.
        self.watch: Callable[[], str | None] | None = None
        self._read, self._write = os.pipe()
        os.set_blocking(self._write, False)
        self._parent = parent
        if parent is not None:
            parent._adopt(self)

    def _adopt(self, child: Abort) -> None:
        with self._lock:
            self._children.append(child)
            reason = self.reason
        if reason is not None:
            child.set(reason)

    def set(self, reason: str) -> None:
        """Ask for a stop; `reason` is a word such as `SIGINT`, `timeout` or `budget`."""
        with self._lock:
            if self.reason is not None:
                return
            self.reason = reason
            children = list(self._children)
            # Under the lock: once closed, the descriptor's number may belong to any other file.
            if not self._is_closed:
                os.write(self._write, b"x")
        for child in children:
            child.set(reason)

    def look(self) -> None:
        """Ask the watch, and those of the parents, whether to stop."""
        if self._parent is not None:
            self._parent.look()
        reason = self.watch() if self.watch is not None and self.reason is None else None
        if reason is not None:
            self.set(reason)

    @property
    def is_set(self) -> bool:
        """Tell whether a stop was asked for."""
        return self.reason is not None

    def wait(self, seconds: float | None = None) -> bool:
        """Block until set or until `seconds` have passed; tells whether it is set."""
        poll = select.poll()
        poll.register(self._read, select.POLLIN)
        poll.poll(None if seconds is None else seconds * 1000)
        return self.is_set

    def fileno(self) -> int:
        """Return a descriptor that is readable once this is set."""
        return self._read

    def close(self) -> None:
        """Give the descriptors back and leave the parent."""
        if self._parent is not None:
            with self._parent._lock:
                self._parent._children = [child for child in self._parent._children if child is not self]
        with self._lock:
            self._is_closed = True
            os.close(self._read)
            os.close(self._write)
