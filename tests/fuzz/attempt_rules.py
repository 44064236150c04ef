"""Acts on the attempts of units: reserving and ending them, one by one and in batches."""

from __future__ import annotations

from collections.abc import Sequence

from builders import a_wanted
from hypothesis import strategies as st
from hypothesis.stateful import rule
from ledger_state import RUNS, WANTED, Ledger, picked
from refusals import REFUSED

from akm.services import attempts
from akm.services.attempts import Finished

UNITS = st.sampled_from(["step-1", "step-1#2", "step-2", "step-2#2", "step-3", "step-1.gate:l1"])


def wanted(unit_id: str) -> attempts.Wanted:
    step_id = unit_id[:6]
    if "gate" in unit_id:
        return a_wanted(unit_id, step_id=step_id, node_id=f"{step_id}.gate", phase="gate")
    return a_wanted(unit_id, step_id=step_id, node_id=step_id)


class AttemptRules(Ledger):
    """What drivers do to a run's attempts."""

    @rule(run_id=RUNS, unit_id=UNITS)
    def reserve(self, run_id: str, unit_id: str) -> None:
        at = self.at()
        real = self.told(lambda: attempts.reserve(self.db, run_id, wanted(unit_id), at=at))
        run = self.model.runs.get(run_id)
        assert (real == REFUSED) == (run is None or run.status != "active")
        if real != REFUSED:
            self._check_reserved(run_id, (real,), at)

    def _check_reserved(self, run_id: str, real: Sequence[attempts.Reservation], at: str) -> None:
        asked = [picked(WANTED, wanted(one.unit_id)._asdict()) for one in real]
        given = [one.dispatch_id for one in real]
        assert tuple(tuple(one[:4]) for one in real) == self.model.reserve(
            self.model.runs[run_id], asked, at, given
        )
        self.handed_out.setdefault(run_id, []).extend(Finished(*one[:3], status="completed") for one in real)

    def _endings(
        self, run_id: str, numbers: Sequence[int], status: str, tokens: int | None
    ) -> list[Finished]:
        known = self.handed_out.get(run_id, [])
        ends = [known[-1 - number] for number in numbers if number < len(known)]
        result = {"result_json": '"r"'} if status == "completed" else {"failure_reason": "exit_status"}
        return [end._replace(status=status, tokens=tokens, **result) for end in ends]

    @rule(
        run_id=RUNS,
        numbers=st.lists(st.integers(0, 9), max_size=4),
        status=st.sampled_from(["completed", "failed", "skipped"]),
        tokens=st.none() | st.just(7),
        units=st.lists(UNITS, max_size=4),
    )
    def advance(
        self, run_id: str, numbers: list[int], status: str, tokens: int | None, units: list[str]
    ) -> None:
        at, ends = self.at(), self._endings(run_id, numbers, status, tokens)
        asked = [wanted(unit_id) for unit_id in units]
        real = self.told(lambda: attempts.advance(self.db, run_id, finished=ends, wanted=asked, at=at))
        run = self.model.runs.get(run_id)
        if run is None:
            assert real == REFUSED
            return
        assert real.landed == tuple(self.model.finish(run, end._asdict(), at) for end in ends)
        assert (real.run_status, len(real.reserved)) == (run.status, len(asked) * (run.status == "active"))
        self._check_reserved(run_id, real.reserved, at)

    @rule(run_id=RUNS, number=st.integers(0, 9), other=st.sampled_from([None, "dispatch_id", "attempt"]))
    def finish(self, run_id: str, number: int, other: str | None) -> None:
        at = self.at()
        # Neither an attempt of another number nor another dispatch of it may be ended by this.
        others = {None: {}, "attempt": {"attempt": 99}, "dispatch_id": {"dispatch_id": "no-such"}}
        for known in self._endings(run_id, [number], "completed", None):
            end = known._replace(**others[other])
            real = self.told(lambda end=end: attempts.finish(self.db, run_id, end, at=at))
            run = self.model.runs.get(run_id)
            assert real == (REFUSED if run is None else self.model.finish(run, end._asdict(), at))
