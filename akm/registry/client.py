"""Get one document from a registry's server, within limits that no server can stretch.

Here is the loop over attempts; one attempt is in `exchange`. Nothing here knows caches or indexes.
"""

from __future__ import annotations

from akm.http.deadline import Deadline
from akm.http.retries import wait_seconds
from akm.registry import urls
from akm.registry.retries import Again
from akm.registry.terms import Limits, Response, Surroundings, Terms, Validators

__all__ = ["LIMITS", "SURROUNDINGS", "Limits", "Response", "Surroundings", "Validators", "get"]

LIMITS = Limits()
SURROUNDINGS = Surroundings()


def get(
    url: str,
    *,
    validators: Validators | None = None,
    allow_private: bool = False,
    limits: Limits = LIMITS,
    surroundings: Surroundings = SURROUNDINGS,
) -> Response:
    """Get the text at `url`; with `validators`, only if it has changed since they were given.

    Without `allow_private`, hosts whose address is not public are refused, also after a redirect. A 304
    comes only to a request with validators, and brings them back.

    Raises ConfigError (REGISTRY_URL_INVALID) for what must not be asked, TransientError
    (REGISTRY_UNREACHABLE) when no attempt brought an answer in time, NotFoundError (REGISTRY_NOT_FOUND)
    for 404 and 410, and ResponseError (REGISTRY_RESPONSE_INVALID) for an answer that is no use.
    """
    urls.check(url)
    # requests takes long to import, and most of what imports this module asks nothing.
    from akm.registry.exchange import fetch

    deadline = Deadline.after(limits.deadline_seconds, surroundings.monotonic)
    terms = Terms(allow_private, limits, surroundings, deadline)
    attempt = 0
    while True:
        try:
            return fetch(url, validators or Validators(), terms)
        except Again as again:
            wait = wait_seconds(
                attempt,
                again.retry_after,
                wall_clock=surroundings.wall_clock,
                random=surroundings.random,
            )
            if attempt >= limits.retries or wait >= deadline.left():
                raise again.error from again.__cause__
        surroundings.sleep(wait)
        attempt += 1
