"""What lies behind an error of the HTTP libraries, in words that hold nothing of what was sent.

Importing this imports requests.
"""

from __future__ import annotations

import http.client

from requests.exceptions import RequestException
from urllib3.exceptions import HTTPError


def root(error: BaseException) -> BaseException:
    """Return the first cause that is no error of the libraries, or the innermost that is one."""
    # No further than the libraries' own errors: what lies behind the first cause may be no part of it.
    while isinstance(error, RequestException | HTTPError):
        inner = error.__cause__ or error.__context__
        if inner is None:
            break
        error = inner
    return error


def words(cause: BaseException) -> str:
    """Say what a root cause means, as a clause."""
    if isinstance(cause, http.client.RemoteDisconnected):
        return "the connection was closed without an answer"
    if isinstance(cause, OSError) and cause.strerror:
        return cause.strerror
    if isinstance(cause, http.client.HTTPException | RequestException | HTTPError):
        return "what it sends is not HTTP"
    return type(cause).__name__
