"""The driver's side of one run's ledger: batches of attempts, tried again while others hold the file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from akm.errors import AkmError, TransientError
from akm.services import attempts
from akm.services.attempts import Advanced, Finished, Reservation, Wanted
from akm.store.database import Database

TRIES = 3


class Unrecorded(NamedTuple):
    """A unit that ran although its end could not be written, and why."""

    unit_id: str
    cause: str


class Recorded(NamedTuple):
    """What a batch came to. `unrecorded` units ran; their attempts are still open in the journal."""

    reserved: tuple[Reservation, ...]
    is_active: bool
    refused: tuple[str, ...] = ()
    unrecorded: tuple[Unrecorded, ...] = ()


class Ledger:
    """Reserves and finishes attempts of one run."""

    def __init__(self, db: Database, run_id: str, now: Callable[[], str]) -> None:
        self.db = db
        self.run_id = run_id
        self.now = now

    def advance(self, finished: Sequence[Finished], wanted: Sequence[Wanted]) -> Recorded:
        """Commit a batch in one transaction.

        When the batch as a whole cannot be written, its ends are written one by one and nothing is reserved:
        an outcome is lost only if its own write fails. Raises what made the reservations fail when no end
        was at stake.
        """
        try:
            done = self._try(finished, wanted)
        except AkmError as error:
            if not finished:
                raise
            return Recorded((), True, unrecorded=self._one_by_one(finished, error))
        refused = tuple(one.unit_id for one, landed in zip(finished, done.landed, strict=True) if not landed)
        return Recorded(done.reserved, done.run_status == "active", refused)

    def _try(self, finished: Sequence[Finished], wanted: Sequence[Wanted]) -> Advanced:
        # A service is one transaction from its start, so calling it again repeats nothing.
        for _again in range(TRIES - 1):
            try:
                return attempts.advance(self.db, self.run_id, finished=finished, wanted=wanted, at=self.now())
            except TransientError as error:
                if error.code != "STATE_DB_CONTENDED":
                    raise
        return attempts.advance(self.db, self.run_id, finished=finished, wanted=wanted, at=self.now())

    def _one_by_one(self, finished: Sequence[Finished], cause: AkmError) -> tuple[Unrecorded, ...]:
        lost = []
        for one in finished:
            try:
                self._try([one], [])
            except AkmError as error:
                cause = error
                lost.append(Unrecorded(one.unit_id, cause.message))
        return tuple(lost)
