"""The body of an answer as text: within its limit, whole, and UTF-8.

Importing this imports requests.
"""

from __future__ import annotations

from requests import Response
from requests.exceptions import ChunkedEncodingError, ContentDecodingError

from akm.errors import ResponseError
from akm.registry import failures
from akm.registry.pinned import TooMuch

_CHUNK_BYTES = 64 * 1024


def read(answer: Response, name: str, *, max_bytes: int) -> str:
    """Return the decoded text of `answer`, without a byte order mark.

    Raises Again for a body that was cut off, TooMuch for one that is too large, ResponseError for one that
    is empty or no UTF-8, and what requests raises for the network.
    """
    try:
        data = _bytes(answer, max_bytes)
    except ChunkedEncodingError as error:
        raise failures.of_cut_body(name) from error
    except ContentDecodingError as error:
        raise ResponseError(f"{name} sent an answer whose compression is broken.") from error
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ResponseError(f"{name} sent an answer that is not UTF-8 text.") from error
    if not text or text.isspace():
        raise ResponseError(f"{name} sent an empty answer.")
    return text


def _bytes(answer: Response, max_bytes: int) -> bytearray:
    data = bytearray()
    # What is counted has been decompressed already: a small answer may hide a large one.
    for chunk in answer.iter_content(_CHUNK_BYTES):
        data += chunk
        if len(data) > max_bytes:
            raise TooMuch
    return data
