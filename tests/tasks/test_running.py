"""Which runs are under way."""

from __future__ import annotations

import os

from akm.engine.lock import process_started_at
from akm.tasks import running


def test_a_later_process_of_the_same_number_is_not_taken_for_the_holder() -> None:
    own = process_started_at(os.getpid())
    assert running.is_alive(os.getpid(), own)
    assert not running.is_alive(os.getpid(), (own or 0) + 1)
