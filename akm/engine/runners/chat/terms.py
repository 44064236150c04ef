"""What holds for every request of one attempt, and the two ways in which one can end without an answer."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from akm.engine.abort import Abort
from akm.engine.redaction import Redaction
from akm.engine.runners.text import clip
from akm.http.deadline import Deadline

#: Characters of a server's own words that are shown, because it may repeat the whole prompt, and those that
#: are looked at for that.
_SHOWN = 300
_LOOKED_AT = 4000


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a conversation asks of the machine. `wait` gets the abort that ends it early, and seconds."""

    monotonic: Callable[[], float] = time.monotonic
    wall_clock: Callable[[], float] = time.time
    random: Callable[[], float] = random.random
    wait: Callable[[Abort, float], object] = Abort.wait


@dataclass(frozen=True, slots=True)
class Terms:
    """Who is asked, with which credential and until when.

    `label` names the unit, `key_variable` where `key` came from; both None when the engine names none.
    `shown_url` is `url` without what may be secret. `timeout_ms` is what `deadline` was made of.
    `ca_bundle` is a file or a directory of certificates; None means those that come with requests.
    """

    label: str
    engine: str
    model: str
    url: str = field(repr=False)
    shown_url: str
    key_variable: str | None
    key: str | None = field(repr=False)
    deadline: Deadline
    timeout_ms: int | None
    abort: Abort
    redaction: Redaction = field(repr=False)
    surroundings: Surroundings
    ca_bundle: str | None = None

    def quote(self, text: str) -> str:
        """Return a server's own words as one short line without secrets."""
        seen = self.redaction.text(text[:_LOOKED_AT], is_cut=len(text) > _LOOKED_AT)
        line = " ".join("".join(one if one.isprintable() else " " for one in seen).split())
        return clip(line, _SHOWN)


class Reply(NamedTuple):
    """What came back over the line. `body` is empty for a redirect, and for an error that is too long."""

    status: int
    body: bytes | bytearray
    content_type: str = ""
    retry_after: str | None = None
    location: str | None = None


class Fault(NamedTuple):
    """Why there is no answer: a word of the failure vocabulary and a sentence.

    `is_transient`: the next request may go better; `retry_after` is when, as the server's header says it.
    """

    reason: str
    sentence: str
    is_transient: bool = False
    retry_after: str | None = None
