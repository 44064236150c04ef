"""What an exchange without an answer is called: each status and each error of the network, in one table.

Importing this imports requests.
"""

from __future__ import annotations

import re
import ssl
from collections.abc import Callable
from http import HTTPStatus
from urllib.parse import urlsplit

from requests.exceptions import ChunkedEncodingError, ConnectionError, ContentDecodingError, Timeout
from urllib3.exceptions import ProtocolError

from akm.engine.runners.chat import answer
from akm.engine.runners.chat.terms import Fault, Reply, Terms
from akm.http import causes

#: Codes and phrases with which servers say that their filter stopped a prompt.
_FILTERED = re.compile(
    r"content[ _-]?(filter|policy|management)|responsible ?ai|safety (system|policy)|moderation",
    re.IGNORECASE,
)
_MANY = 429
_SERVER_ERROR = 500
_REDIRECTS = range(300, 400)
#: The server gave up waiting, or wants to be asked once more.
_PASSING = frozenset({408, 425})


def of_status(terms: Terms, reply: Reply, words: str | None = None) -> Fault:
    """Return what a status other than 200 means; `words` are the server's, else they are read from it."""
    said = answer.error_words(reply.body) if words is None else words
    named = _NAMED.get(reply.status)
    if reply.status in _REDIRECTS:
        return _redirected(terms, reply)
    if reply.status == _MANY:
        return _answered(terms, "llm_rate_limit", reply, said, is_transient=True)
    if reply.status >= _SERVER_ERROR or reply.status in _PASSING:
        return _answered(terms, "cooldown", reply, said, is_transient=True)
    if _FILTERED.search(said):
        return _answered(terms, "llm_content_filter", reply, said)
    if named is not None:
        return _answered(terms, "dispatch_error", reply, said, named(terms))
    return _answered(terms, "dispatch_error", reply, said)


def of_words(terms: Terms, words: str) -> Fault:
    """Return what an error without a status means."""
    reason = "llm_content_filter" if _FILTERED.search(words) else "dispatch_error"
    return Fault(reason, f"{terms.label}: {terms.shown_url} answered with an error{_quoted(terms, words)}.")


def of_network(terms: Terms, error: BaseException) -> Fault:
    """Return what an error below the protocol means; what cannot go better is not tried again."""
    root = causes.root(error)
    if isinstance(root, ssl.SSLCertVerificationError):
        why = f"has a certificate that is not trusted ({root.verify_message.rstrip('.')})"
        return Fault("dispatch_error", f"{terms.label}: {terms.shown_url} {why}.")
    if isinstance(error, ContentDecodingError):
        return of_unreadable(terms, "is compressed, and its compression is broken")
    if isinstance(error, ChunkedEncodingError | ProtocolError):
        return of_cut(terms)
    if isinstance(error, ConnectionError | Timeout):
        why = f"{terms.shown_url} is not reachable: {causes.words(root)}"
        return Fault("cooldown", f"{terms.label}: {why}.", is_transient=True)
    why = f"{terms.shown_url} could not be asked ({type(root).__name__})"
    return Fault("dispatch_error", f"{terms.label}: {why}; check base_url of engine {terms.engine}.")


def of_cut(terms: Terms) -> Fault:
    """Return what it means that an answer ended before its end."""
    why = f"{terms.shown_url} broke off in the middle of its answer"
    return Fault("cooldown", f"{terms.label}: {why}.", is_transient=True)


def of_unreadable(terms: Terms, why: str) -> Fault:
    """Return what an answer that is not the protocol's means; `why` is a clause."""
    return Fault("llm_invalid_json", f"{terms.label}: the answer of {terms.shown_url} {why}.")


def of_length(terms: Terms, most: int) -> Fault:
    """Return what it means that an answer is longer than any that is read."""
    why = (
        f"the answer of {terms.shown_url} is larger than {most // 2**20} MiB; ask for less, or set max_tokens"
    )
    return Fault("quality_rejected", f"{terms.label}: {why}.")


def of_stop(terms: Terms) -> Fault:
    """Return what ended the wait: the abort, else the deadline."""
    if terms.abort.is_set:
        return Fault("aborted", f"{terms.label} was stopped ({terms.abort.reason}).")
    return Fault("timeout", f"{terms.label} was stopped after its timeout of {terms.timeout_ms} ms.")


def of_no_thread(terms: Terms) -> Fault:
    """Return what it means that the system starts no more threads."""
    return Fault(
        "dispatch_error", f"{terms.label}: the system starts no more threads; run fewer units at once."
    )


def _answered(
    terms: Terms, reason: str, reply: Reply, words: str, advice: str = "", *, is_transient: bool = False
) -> Fault:
    try:
        phrase = f" ({HTTPStatus(reply.status).phrase})"
    except ValueError:
        phrase = ""
    sentence = f"{terms.label}: {terms.shown_url} answered {reply.status}{phrase}{_quoted(terms, words)}."
    return Fault(reason, sentence + advice, is_transient, reply.retry_after)


def _quoted(terms: Terms, words: str) -> str:
    shown = terms.quote(words).rstrip(".")
    return f": {shown}" if shown else ""


def _redirected(terms: Terms, reply: Reply) -> Fault:
    try:
        where = urlsplit(reply.location or "").hostname
    except ValueError:
        where = None
    target = terms.quote(where) if where else "elsewhere"
    return Fault(
        "dispatch_error",
        f"{terms.label}: {terms.shown_url} redirects to {target} ({reply.status}), and nothing is sent to a "
        f"host that the configuration does not name; correct base_url of engine {terms.engine}.",
    )


def _key(terms: Terms) -> str:
    if terms.key_variable is None:
        return f" It wants a key: name its variable in api_key_env of engine {terms.engine}."
    return f" Check the key in {terms.key_variable}."


def _not_there(terms: Terms) -> str:
    return f" Check the model {terms.model!r} and the base_url of engine {terms.engine}."


_NAMED: dict[int, Callable[[Terms], str]] = {401: _key, 403: _key, 404: _not_there}
