"""From the ends of a step's units to its evidence, its artifact and the sentence that sums it up.

A live step and a resumed one reduce to the same evidence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from akm.workflow.hashing import canonical
from akm.workflow.plan import MapNode, PlanStep
from akm.workflow.results import UnitResult, clip, journal_text, rehydrate
from akm.workflow.schemas import check

__all__ = ["Reduced", "UnitResult", "journal_text", "reduce", "rehydrate"]

#: A unit whose end could not be recorded fails its step whatever `on_error` says.
_ALWAYS_FATAL = frozenset({"journal_write_failed"})
_MOST_LISTED = 20


@dataclass(frozen=True, slots=True)
class Reduced:
    """What a step came to. `evidence` holds units, itemCount and output (and the vote, if there was one).

    `artifact_problem` says how the artifact misses the step's schema; then `ok` is False, and another gate
    loop may put it right.
    """

    evidence: dict[str, Any]
    ok: bool
    summary: str
    artifact_problem: tuple[str, ...] = ()
    failed: tuple[UnitResult, ...] = ()

    @property
    def output(self) -> Any:
        """Return the step's artifact."""
        return self.evidence["output"]


def reduce(step: PlanStep, results: Sequence[UnitResult]) -> Reduced:
    """Reduce a step's results, given in item order."""
    failed = tuple(result for result in results if not result.ok)
    output, extra, vote_problem = _artifact(step, results)
    ok = vote_problem is None and not _is_fatal(step, failed)
    misses: tuple[str, ...] = ()
    if ok and step.output_schema is not None:
        misses = tuple(check(step.output_schema, output))
    evidence = {
        "units": [_unit_evidence(result) for result in results],
        "itemCount": len(results),
        "output": output,
        **extra,
    }
    summary = _summary(step, results, failed, vote_problem, misses)
    return Reduced(evidence, ok and not misses, summary, misses, failed)


def _is_fatal(step: PlanStep, failed: Sequence[UnitResult]) -> bool:
    goes_on = step.unit is not None and step.unit.on_error == "continue"
    return any(not goes_on or result.failure_reason in _ALWAYS_FATAL for result in failed)


def _unit_evidence(result: UnitResult) -> dict[str, Any]:
    if not result.ok:
        reason = {"failureReason": result.failure_reason} if result.failure_reason else {}
        return {"unitId": result.unit_id, "ok": False, **reason}
    if result.has_result:
        return {"unitId": result.unit_id, "ok": True, "result": result.result}
    return {"unitId": result.unit_id, "ok": True, **({"text": clip(result.text)} if result.text else {})}


def _artifact(step: PlanStep, results: Sequence[UnitResult]) -> tuple[Any, dict[str, Any], str | None]:
    """Return the artifact, what else goes into the evidence, and why a vote failed, if it did."""
    if not isinstance(step.root, MapNode):
        return (results[0].value if results else None), {}, None
    if step.root.reducer == "collect":
        return [result.value for result in results], {}, None
    return _vote(results)


def _vote(results: Sequence[UnitResult]) -> tuple[Any, dict[str, Any], str | None]:
    """Let the value that most successful units gave win; a tie for first place has no winner."""
    if not results:
        return None, {}, None
    ballots = [result.value if result.has_value else "" for result in results if result.ok]
    texts = [canonical(ballot) for ballot in ballots]
    ranking = Counter(texts).most_common(2)
    if not ranking:
        problem = "no unit succeeded, so there is nothing to vote on"
    elif len(ranking) == 2 and ranking[0][1] == ranking[1][1]:
        problem = f"the vote is tied at {ranking[0][1]} of {len(ballots)}"
    else:
        winner, votes = ballots[texts.index(ranking[0][0])], ranking[0][1]
        return winner, {"vote": {"winner": winner, "votes": votes, "total": len(ballots)}}, None
    return None, {"voteError": problem}, problem


def _summary(
    step: PlanStep,
    results: Sequence[UnitResult],
    failed: Sequence[UnitResult],
    vote_problem: str | None,
    misses: Sequence[str],
) -> str:
    """Sum a step up in one line, worded as in the original akm-cli."""
    counts = f"{len(results) - len(failed)} succeeded, {len(failed)} failed."
    parts = [
        f'Executed {len(results)} unit(s) for step "{step.step_id}" via workflow orchestration: {counts}'
    ]
    if failed:
        parts += _failures(step, failed)
    if vote_problem:
        parts.append(f"Vote failed: {vote_problem}.")
    if misses:
        parts.append(f"The output does not match the step's schema: {'; '.join(misses)}.")
    return " ".join(parts)


def _failures(step: PlanStep, failed: Sequence[UnitResult]) -> list[str]:
    goes_on = step.unit is not None and step.unit.on_error == "continue"
    label = "Failures (recorded, on_error: continue)" if goes_on else "Failures"
    listed = ", ".join(
        f"{result.unit_id} ({result.failure_reason or 'unknown'})" for result in failed[:_MOST_LISTED]
    )
    more = f" and {len(failed) - _MOST_LISTED} more" if len(failed) > _MOST_LISTED else ""
    first = next((result for result in failed if result.account), None)
    diagnostic = [f"First failure diagnostic ({first.unit_id}): {first.account}"] if first else []
    return [f"{label}: {listed}{more}.", *diagnostic]
