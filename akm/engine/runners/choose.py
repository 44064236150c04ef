"""Which runner does a frozen unit's work, and the promise that none of them raises."""

from __future__ import annotations

from functools import partial

from akm.engine.runners import agent, exec
from akm.engine.runners.base import Dispatch, Outcome, Runner, failed
from akm.workflow.plan import ShellTarget, Target, UnitNode


def runner_for(node: UnitNode) -> Runner | None:
    """Return the runner of a unit; None for a kind that is not dispatched from here."""
    runner = _RUNNERS.get(kind_of(node.target))
    return None if runner is None else partial(guard, runner)


def guard(runner: Runner, dispatch: Dispatch) -> Outcome:
    """Run an attempt; what a runner did not foresee is a failure of the unit, with the exception's name."""
    try:
        return runner(dispatch)
    except Exception as error:
        return failed("dispatch_error", f"{type(error).__name__}: {error}")


def kind_of(target: Target) -> str:
    """Name the kind of runner that a frozen target asks for, such as `exec` or `agent`."""
    if isinstance(target, ShellTarget):
        return "exec"
    return str(target.runner.get("kind")) if target.kind == "command" else target.kind


def _llm(dispatch: Dispatch) -> Outcome:
    # It brings requests along, which most runs do without.
    from akm.engine.runners import llm

    return llm.run(dispatch)


_RUNNERS: dict[str, Runner] = {"exec": exec.run, "agent": agent.run, "llm": _llm}
