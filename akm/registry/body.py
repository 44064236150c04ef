"""The body of an answer as text: within its limit, whole, and UTF-8.

Importing this imports requests.
"""

from __future__ import annotations

from requests import Response
from requests.exceptions import ChunkedEncodingError, ContentDecodingError

from akm.errors import ResponseError
from akm.http import body as capped
from akm.registry import failures


def read(answer: Response, name: str, *, max_bytes: int) -> str:
    """Return the decoded text of `answer`, without a byte order mark.

    Raises Again for a body that was cut off, TooMuch for one that is too large, ResponseError for one that
    is empty or no UTF-8, and what requests raises for the network.
    """
    try:
        data = capped.read(answer.iter_content(capped.CHUNK_BYTES), max_bytes)
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
