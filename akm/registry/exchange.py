"""One attempt at a document: every redirect checked before it is followed, the answer judged and read.

Importing this imports requests.
"""

from __future__ import annotations

import os
from urllib.parse import urldefrag

import requests
from requests.exceptions import ConnectTimeout, ReadTimeout, RequestException
from urllib3.exceptions import HTTPError, ReadTimeoutError

import akm
from akm.errors import ConfigError, ResponseError
from akm.http.body import TooMuch
from akm.registry import addresses, body, failures, redirects, urls
from akm.registry.pinned import Adapter, Route
from akm.registry.terms import Response, Terms, Validators

_OK = 200
_NOT_MODIFIED = 304
#: For headers, and for how a body may be cut into chunks.
_ROOM_BYTES = 1_000_000
_BUNDLE_VARIABLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
_ALLOW = "If this registry is yours, set allow_private = true for it in the configuration."


def fetch(url: str, validators: Validators, terms: Terms) -> Response:
    """Get the text at the checked `url`. Raises Again for what may go better the next time."""
    way = [urldefrag(url).url]
    while True:
        outcome = _hop(way, validators, terms)
        if isinstance(outcome, Response):
            return outcome
        way.append(outcome)


def _hop(way: list[str], validators: Validators, terms: Terms) -> Response | str:
    """Ask the last URL of `way`: the answer, or the URL to go on with."""
    name = _named(way)
    # What one server gave to recognise its answer by is no business of another.
    is_home = urls.origin(way[-1]) == urls.origin(way[0])
    sent = validators if is_home else Validators()
    request = _prepared(way[-1], name, sent)
    adapter = Adapter(_route(request, way, terms))
    try:
        with _send(adapter, request, terms) as answer:
            onward = redirects.target(
                answer.status_code, answer.headers.get("Location"), way, most=terms.limits.max_redirects
            )
            return onward or _judged(answer, name, sent, terms, is_home=is_home)
    except TooMuch:
        raise ResponseError(f"{name} sent more than {terms.limits.max_bytes / 1e6:g} MB.") from None
    except (RequestException, HTTPError) as error:
        raise _failure(name, error, terms) from error
    finally:
        adapter.close()


def _named(way: list[str]) -> str:
    first, here = urls.shown(way[0]), urls.shown(way[-1])
    return first if len(way) == 1 else f"{first} (redirected to {here})"


def _prepared(url: str, name: str, sent: Validators) -> requests.PreparedRequest:
    headers = {
        "User-Agent": f"akm/{akm.__version__}",
        "Accept": "application/json, */*;q=0.5",
        "Accept-Encoding": "gzip, deflate",
        **_conditions(sent),
    }
    # No Session: it would bring cookies and .netrc along, and read the body of a redirect without limit.
    try:
        return requests.Request("GET", url, headers=headers).prepare()
    except (RequestException, UnicodeError) as error:
        raise ConfigError(f"{name} does not parse as a URL.", code="REGISTRY_URL_INVALID") from error


def _conditions(sent: Validators) -> dict[str, str]:
    named = {"If-None-Match": sent.etag, "If-Modified-Since": sent.last_modified}
    # A value that no header may hold did not come from a header.
    return {name: text for name, text in named.items() if text and text.isascii() and text.isprintable()}


def _route(request: requests.PreparedRequest, way: list[str], terms: Terms) -> Route:
    """Look the host up, as requests wrote it, and refuse it when any of its addresses is not public."""
    limits, name = terms.limits, _named(way)
    found = _addresses(str(request.url), name, terms)
    if not terms.allow_private and not all(one.is_public for one in found):
        message = f"{name} leads to this machine or into a private network."
        raise ConfigError(message, code="REGISTRY_URL_INVALID", hint=_ALLOW)
    # Compressed or not, a body that is permitted is not much longer on the line than it is.
    most = 2 * limits.max_bytes + _ROOM_BYTES
    return Route(found, terms.deadline, limits.connect_seconds, limits.read_seconds, most)


def _addresses(url: str, name: str, terms: Terms) -> tuple[addresses.Address, ...]:
    _, host, port = urls.origin(url)
    try:
        seconds = terms.deadline.at_most(terms.limits.connect_seconds)
        return addresses.look_up(host, port, seconds=seconds, resolve=terms.surroundings.resolve)
    except TimeoutError as error:
        raise failures.of_timeout(name, terms, connecting=True) from error
    except OSError as error:
        raise failures.of_network(name, error) from error
    except UnicodeError as error:
        message = f"{name} names a host that cannot exist."
        raise ConfigError(message, code="REGISTRY_URL_INVALID") from error


def _send(adapter: Adapter, request: requests.PreparedRequest, terms: Terms) -> requests.Response:
    timeout = (terms.limits.connect_seconds, terms.limits.read_seconds)
    return adapter.send(request, stream=True, timeout=timeout, verify=_trusted(terms) or True)


def _trusted(terms: Terms) -> str | None:
    named = (terms.surroundings.ca_bundle, *(os.environ.get(name) for name in _BUNDLE_VARIABLES))
    bundle = next((path for path in named if path), None)
    if bundle is not None and not os.path.exists(bundle):
        raise failures.of_trust(bundle)
    return bundle


def _judged(
    answer: requests.Response, name: str, sent: Validators, terms: Terms, *, is_home: bool
) -> Response:
    status, headers = answer.status_code, answer.headers
    given = Validators(headers.get("ETag"), headers.get("Last-Modified")) if is_home else Validators()
    if status == _NOT_MODIFIED and _conditions(sent):
        kept = Validators(given.etag or sent.etag, given.last_modified or sent.last_modified)
        return Response(status, "", kept)
    if status != _OK:
        raise failures.of_status(name, status, headers.get("Retry-After"))
    return Response(status, body.read(answer, name, max_bytes=terms.limits.max_bytes), given)


def _failure(name: str, error: RequestException | HTTPError, terms: Terms) -> Exception:
    is_late_body = bool(error.args) and isinstance(error.args[0], ReadTimeoutError)
    if isinstance(error, ConnectTimeout | ReadTimeout) or is_late_body:
        return failures.of_timeout(name, terms, connecting=isinstance(error, ConnectTimeout))
    return failures.of_network(name, error)
