"""What is kept of a pipe's output while all of it is read: its beginning or its end, and its size."""

from __future__ import annotations

from collections.abc import Callable

#: Bytes kept of an output that becomes a result.
RETAINED = 8 * 1024 * 1024
#: Bytes kept of an output that only ever shows its end.
RETAINED_TAIL = 64 * 1024


class Head:
    """The first `limit` bytes of a stream, cut between two characters, and the number of all bytes."""

    __slots__ = ("data", "is_complete", "limit", "written")

    def __init__(self, limit: int = RETAINED) -> None:
        self.data = bytearray()
        self.limit = limit
        self.written = 0
        #: Whether the stream was read to its end.
        self.is_complete = False

    def take(self, chunk: bytes) -> None:
        """Count a chunk and keep as much of it as there is room for."""
        if self.written == len(self.data):
            room = self.limit - self.written
            if len(chunk) <= room:
                self.data += chunk
            else:
                self.data += chunk[:room]
                del self.data[_whole_length(self.data) :]
        self.written += len(chunk)

    @property
    def discarded(self) -> int:
        """Count the bytes that were read and not kept."""
        return self.written - len(self.data)


class Tail:
    """The last bytes of a stream, at least `limit` of them if there were as many."""

    __slots__ = ("data", "is_complete", "limit", "written")

    def __init__(self, limit: int = RETAINED_TAIL) -> None:
        self.data = bytearray()
        self.limit = limit
        self.written = 0
        self.is_complete = False

    def take(self, chunk: bytes) -> None:
        """Count a chunk, keep it, and let go of what is far from the end."""
        self.data += chunk
        self.written += len(chunk)
        if len(self.data) > 8 * self.limit:
            del self.data[: -self.limit]

    def text(self, characters: int, redact: Callable[[str], str] = str) -> str:
        """Return the last `characters` of it as text; when something is missing before them, `…` leads.

        A cut text starts at the beginning of a line where one is near, because half a line says little.
        `redact` is applied before the cut, because half a secret would not be recognised as one.
        """
        text = redact(self.data.decode("utf-8", "replace").rstrip())
        if len(text) <= characters and len(self.data) == self.written:
            return text
        text = text[-characters:]
        _, newline, rest = text.partition("\n")
        return "…" + (rest if newline and len(rest) >= characters // 2 else text)


def _whole_length(data: bytearray) -> int:
    """Return the length of `data` without a UTF-8 sequence that is cut off at its end."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte & 0xC0 != 0x80:
            needed = 1 if byte < 0xC0 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return len(data) - back if needed > back else len(data)
    return len(data)
