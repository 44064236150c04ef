"""The runner of agent units: a program that reads a prompt and whose output is the unit's result."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic

from akm.engine.runners import context, cwd, environment, structured
from akm.engine.runners.base import Dispatch, Outcome, failed
from akm.engine.runners.launch import Launch, launch
from akm.engine.runners.settle import settle
from akm.workflow import prompt
from akm.workflow.plan import CommandTarget

_CORRECTABLE = frozenset({"parse_error", "validation_error"})


def run(dispatch: Dispatch) -> Outcome:
    """Hand the prompt to the agent's program and turn its end into an outcome.

    An answer that misses the unit's schema is sent back once, with what is wrong, within the same timeout.
    """
    job = _prepare(dispatch, label=f'agent unit "{dispatch.item.unit_id}"')
    if isinstance(job, Outcome):
        return job
    text = _prompt(dispatch)
    started = monotonic()
    first = _ask(dispatch, job, text)
    spent_ms = int((monotonic() - started) * 1000)
    is_out_of_time = job.timeout_ms is not None and spent_ms >= job.timeout_ms
    if first.failure_reason not in _CORRECTABLE or is_out_of_time:
        return first
    fault = (first.diagnostic or "").removeprefix(f"{job.label}: ")
    return _ask(dispatch, replace(job, spent_ms=spent_ms), prompt.with_feedback(text, [fault]))


def _prompt(dispatch: Dispatch) -> str:
    if dispatch.prompt is not None:
        return dispatch.prompt.text
    return prompt.build(dispatch.item, run_id=dispatch.run_id, params=dispatch.params)


def _prepare(dispatch: Dispatch, *, label: str) -> Launch | Outcome:
    target = _target(dispatch)
    where = cwd.resolve(target.cwd_identity, None, label=label)
    if isinstance(where, Outcome):
        return where
    known = context.build(dispatch, label=label)
    if isinstance(known, Outcome):
        return known
    pass_env = target.runner.get("passEnv") or ()
    return Launch(
        label=label,
        argv=tuple(target.runner.get("command") or ()),
        cwd=where,
        # The prompt carries the same data, so a variable that is too large is left out rather than refused.
        env=environment.build(dispatch, pass_env=pass_env, context=context.fitting(known)),
        timeout_ms=_timeout_ms(target),
        abort=dispatch.abort,
        programs=dispatch.shared.programs,
        structured=dispatch.item.node.schema is not None,
    )


def _ask(dispatch: Dispatch, job: Launch, text: str) -> Outcome:
    try:
        encoded = text.encode()
    except UnicodeEncodeError:
        why = f"{job.label} was not started: its prompt would hold a lone surrogate, which is no character."
        return failed("dispatch_error", why)
    if _target(dispatch).runner.get("prompt") == "argument":
        ended = launch(replace(job, argv=(*job.argv, text)))
    else:
        ended = launch(replace(job, stdin=encoded))
    if isinstance(ended, Outcome):
        return ended
    return settle(*ended, dispatch.item.node.schema, parse=structured.leniently)


def _timeout_ms(target: CommandTarget) -> int | None:
    """Return the unit's timeout where the plan has one, even None for unbounded; else the engine's."""
    source = target.request if "timeoutMs" in target.request else target.runner
    timeout_ms: int | None = source.get("timeoutMs")
    return timeout_ms


def _target(dispatch: Dispatch) -> CommandTarget:
    target = dispatch.item.node.target
    assert isinstance(target, CommandTarget)
    return target
