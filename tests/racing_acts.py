"""Acts for `racing` that are no services; here, because other processes must be able to import them."""

from __future__ import annotations

from builders import AT, a_wanted, finished

from akm.services import attempts
from akm.store import events
from akm.store.database import Database


def add_many(db: Database, count: int) -> None:
    """Read a number and write one more, `count` times; a lost write leaves the sum short."""
    for _turn in range(count):
        with db.immediate() as tx:
            last = events.last_id(tx)
            events.append(tx, "counted", at=f"{last + 1:06d}", ref=None, metadata={})


def claim_all(db: Database, value: tuple[str, int]) -> list[str]:
    """Reserve units of a run one after the other; returns those that this process had reserved first."""
    run_id, count = value
    wanted = [a_wanted(f"unit-{number}") for number in range(count)]
    reserved = [attempts.reserve(db, run_id, one, at=AT) for one in wanted]
    return [one.unit_id for one in reserved if not one.is_reclaimed]


def dispatch_all(db: Database, value: tuple[str, int]) -> int:
    """Reserve and finish units over and over, as two drivers would; returns how many ends landed."""
    run_id, count = value
    landed = 0
    for number in range(count):
        one = attempts.reserve(db, run_id, a_wanted(f"unit-{number % 3}"), at=AT)
        landed += attempts.finish(db, run_id, finished(one), at=AT)
    return landed
