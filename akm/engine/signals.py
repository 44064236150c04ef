"""Signals that ask the driver to stop, turned into an abort. A second one takes its default action."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from akm.engine.abort import Abort

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def stopping(abort: Abort) -> Iterator[None]:
    """Set `abort` with the signal's name on the first stop signal inside the block.

    Outside the main thread nothing is installed: there signals cannot arrive.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(number: int, _frame: FrameType | None) -> None:
        # One shot: whoever asks twice means it.
        signal.signal(number, signal.SIG_DFL)
        abort.set(signal.Signals(number).name)

    # Inherited as ignored, it would let the kernel reap our children and every unit would seem to exit 0.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    before = {number: signal.getsignal(number) for number in STOPPING}
    try:
        for number, previous in before.items():
            # nohup and cron start us with some signals ignored; that is their wish.
            if previous is not signal.SIG_IGN:
                signal.signal(number, handle)
        yield
    finally:
        for number, previous in before.items():
            if previous is not signal.SIG_IGN:
                signal.signal(number, previous)
