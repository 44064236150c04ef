"""What a child reads: a file that is whole before the child starts.

Through a pipe, a child whose driver dies in the middle would take the first half of a prompt for all of it.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO


@contextmanager
def holding(data: bytes | None) -> Iterator[IO[bytes] | int]:
    """Yield what `Popen` takes as `stdin`: it reads as `data`, and as empty for None. Raises OSError."""
    if data is None:
        yield subprocess.DEVNULL
        return
    with _nameless() as file:
        file.write(data)
        file.seek(0)
        yield file


def _nameless() -> IO[bytes]:
    try:
        # In memory: a prompt has no business on a disk.
        return os.fdopen(os.memfd_create("stdin"), "w+b")
    except (AttributeError, OSError):
        return tempfile.TemporaryFile()
