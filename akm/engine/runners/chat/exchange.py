"""One request and its reply, or the stop or the deadline that came first. Importing this imports requests."""

from __future__ import annotations

import math
import threading

import requests

import akm
from akm.engine.abort import Abort
from akm.engine.runners.chat import faults, stream
from akm.engine.runners.chat.line import Adapter, Line
from akm.engine.runners.chat.terms import Fault, Reply, Terms
from akm.http import body

MAX_BODY_BYTES = 8 * 1024 * 1024
_CONNECT_SECONDS = 10.0
_REDIRECTS = range(300, 400)
_ERROR = 400


def ask(terms: Terms, data: bytes) -> Reply | Fault:
    """Send `data` and wait for its reply, for the abort or for the deadline, whichever comes first."""
    # The libraries can wait for bytes only, so a thread of its own does that and is cut off when need be.
    over, line = Abort(terms.abort), Line()
    ended: list[Reply | Fault] = []

    def work() -> None:
        try:
            ended.append(_exchange(terms, data, line))
        finally:
            over.set("answered")

    try:
        threading.Thread(target=work, name="akm-llm", daemon=True).start()
        left = terms.deadline.left()
        over.wait(None if math.isinf(left) else max(left, 0))
        # Looked at before the line is cut, which is an end as well.
        return ended[0] if ended else faults.of_stop(terms)
    except RuntimeError:
        return faults.of_no_thread(terms)
    finally:
        line.cut()
        over.close()


def _exchange(terms: Terms, data: bytes, line: Line) -> Reply | Fault:
    try:
        return _post(terms, data, line)
    except body.TooMuch:
        return faults.of_length(terms, MAX_BODY_BYTES)
    except Exception as error:  # A thread that ended without a word would look like one that was stopped.
        return faults.of_network(terms, error)


def _post(terms: Terms, data: bytes, line: Line) -> Reply:
    # No Session: it would bring proxies and .netrc along, and read the body of a redirect without limit.
    request = requests.Request("POST", terms.url, data=data, headers=_headers(terms)).prepare()
    adapter = Adapter(line)
    try:
        # How long the answer may take is the deadline's business alone.
        timeout = (terms.deadline.at_most(_CONNECT_SECONDS), None)
        with adapter.send(request, stream=True, timeout=timeout, verify=terms.ca_bundle or True) as answer:
            return _read(answer)
    finally:
        adapter.close()


def _headers(terms: Terms) -> dict[str, str]:
    named = {
        "Content-Type": "application/json",
        "Accept": "application/json",
        "User-Agent": f"akm/{akm.__version__}",
    }
    return named if terms.key is None else named | {"Authorization": f"Bearer {terms.key}"}


def _read(answer: requests.Response) -> Reply:
    headers = answer.headers
    content_type = headers.get("Content-Type", "")
    return Reply(
        answer.status_code,
        b"" if answer.status_code in _REDIRECTS else _body(answer, content_type),
        content_type,
        headers.get("Retry-After"),
        headers.get("Location"),
    )


def _body(answer: requests.Response, content_type: str) -> bytes | bytearray:
    end = stream.END if content_type.lower().startswith(stream.CONTENT_TYPE) else None
    try:
        return body.read(answer.iter_content(body.CHUNK_BYTES), MAX_BODY_BYTES, end=end)
    except body.TooMuch:
        if answer.status_code < _ERROR:
            raise
        return b""
