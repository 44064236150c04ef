"""What an exchange that failed is called: each status and each error of the network as one sentence.

Importing this imports requests.
"""

from __future__ import annotations

import ssl
from http import HTTPStatus

from akm.errors import AkmError, ConfigError, NotFoundError, ResponseError, TransientError
from akm.http import causes
from akm.registry.retries import Again
from akm.registry.terms import Terms

_GONE = frozenset({404, 410})
_FORBIDDEN = frozenset({401, 403})
_TOO_MANY = 429
_SERVER_ERROR = 500
_LATER = "Check the network and the registry's URL, then run the same command again."


def unreachable(message: str, hint: str = _LATER) -> TransientError:
    """Return the error for a registry from which nothing usable came in time."""
    return TransientError(message, code="REGISTRY_UNREACHABLE", hint=hint)


def of_status(name: str, status: int, retry_after: str | None) -> Again | AkmError:
    """Return what a status other than the wanted ones means. `name` is the URL as it is shown."""
    message = f"{name} answered with status {status}{_phrase(status)}."
    if status == _TOO_MANY or status >= _SERVER_ERROR:
        return Again(unreachable(message, "Run the same command again later."), retry_after)
    if status in _GONE:
        hint = "Check the registry's URL; what it names is not there."
        return NotFoundError(message, code="REGISTRY_NOT_FOUND", hint=hint)
    if status in _FORBIDDEN:
        hint = "The built-in providers support no authentication; use a URL that can be read without it."
        return ResponseError(message, hint=hint)
    return ResponseError(message, hint="Check that the URL is the registry's index.")


def of_timeout(name: str, terms: Terms, *, connecting: bool) -> Again | AkmError:
    """Return what it means that a wait ended without an answer; after the deadline nothing is tried again."""
    if terms.deadline.left() <= 0:
        return unreachable(f"{name} took longer than {terms.limits.deadline_seconds:g} seconds.")
    if connecting:
        return Again(
            unreachable(f"{name} could not be connected to in {terms.limits.connect_seconds:g} seconds.")
        )
    return Again(unreachable(f"{name} sent nothing for {terms.limits.read_seconds:g} seconds."))


def of_network(name: str, error: BaseException) -> Again | AkmError:
    """Return what an error below HTTP means; only a refused certificate is not tried again."""
    root = causes.root(error)
    if isinstance(root, ssl.SSLCertVerificationError):
        hint = "Check the clock, or name your own certificates in REQUESTS_CA_BUNDLE."
        return unreachable(
            f"{name} has a certificate that is not trusted: {root.verify_message.rstrip('.')}.", hint
        )
    return Again(unreachable(f"{name} is not reachable: {causes.words(root)}."))


def of_cut_body(name: str) -> Again:
    """Return what it means that a body ended before its announced end."""
    return Again(ResponseError(f"{name} sent an answer that was cut off.", hint=_LATER))


def of_trust(path: str) -> ConfigError:
    """Return the error for certificates that are to be used and are not there."""
    hint = "Correct REQUESTS_CA_BUNDLE (or CURL_CA_BUNDLE), or unset it."
    return ConfigError(f"The certificates at {path} cannot be read.", code="REGISTRY_CERTIFICATES", hint=hint)


def _phrase(status: int) -> str:
    # Our own words: the server's might hold anything.
    try:
        return f" ({HTTPStatus(status).phrase})"
    except ValueError:
        return ""
