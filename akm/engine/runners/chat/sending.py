"""Asking until there is an answer, or a failure that asking again does not mend.

Importing this imports requests.
"""

from __future__ import annotations

from akm.engine.runners.chat import answer, exchange, faults
from akm.engine.runners.chat.answer import Answer, Complaint
from akm.engine.runners.chat.json_body import Unreadable
from akm.engine.runners.chat.stream import CutOff
from akm.engine.runners.chat.terms import Fault, Reply, Terms
from akm.http.retries import wait_seconds

RETRIES = 2
_OK = range(200, 300)


def send(terms: Terms, data: bytes) -> Answer | Fault:
    """Send a request, up to three times when faults that pass come between, within the deadline.

    A wait that would reach beyond the deadline is not begun: its cause is the failure then.
    """
    attempt = 0
    while True:
        if terms.abort.is_set or terms.deadline.left() <= 0:
            return faults.of_stop(terms)
        reply = exchange.ask(terms, data)
        ended = _judged(terms, reply) if isinstance(reply, Reply) else reply
        if isinstance(ended, Answer) or not ended.is_transient or attempt >= RETRIES:
            return ended
        around = terms.surroundings
        seconds = wait_seconds(attempt, ended.retry_after, wall_clock=around.wall_clock, random=around.random)
        if seconds >= terms.deadline.left():
            return ended
        around.wait(terms.abort, seconds)
        attempt += 1


def _judged(terms: Terms, reply: Reply) -> Answer | Fault:
    if reply.status not in _OK:
        return faults.of_status(terms, reply)
    try:
        found = answer.read(reply.body, reply.content_type)
    except Unreadable as error:
        return faults.of_unreadable(terms, str(error))
    except CutOff:
        return faults.of_cut(terms)
    if isinstance(found, Complaint):
        # Routers answer 200 and pass the status of the model's own server on inside.
        if found.status is None:
            return faults.of_words(terms, found.words)
        return faults.of_status(terms, reply._replace(status=found.status), found.words)
    return found
