"""The bytes of an answer within their limit. What they mean is read elsewhere."""

from __future__ import annotations

from collections.abc import Iterable

CHUNK_BYTES = 64 * 1024


class TooMuch(Exception):
    """A body is larger than the one who asked can use."""


def read(chunks: Iterable[bytes], max_bytes: int, *, end: bytes | None = None) -> bytearray:
    """Join the decoded `chunks`. Raises TooMuch, and whatever the chunks raise.

    With `end`, nothing more is read once that has come, so that a server which keeps the line open after
    it holds nobody up.
    """
    data = bytearray()
    # What is counted has been decompressed already: a small answer may hide a large one.
    for chunk in chunks:
        searched_from = max(0, len(data) - len(end or b""))
        data += chunk
        if len(data) > max_bytes:
            raise TooMuch
        if end is not None and data.find(end, searched_from) >= 0:
            break
    return data
