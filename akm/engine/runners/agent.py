"""The runner of agent units: a program that reads a prompt and whose output is the unit's result."""

from __future__ import annotations

import re
from dataclasses import replace
from time import monotonic

from akm.engine.runners import agent_answer, context, cwd, environment
from akm.engine.runners.agent_answer import Answer
from akm.engine.runners.base import Dispatch, Outcome, failed
from akm.engine.runners.launch import Launch, to_its_end
from akm.workflow import prompt
from akm.workflow.plan import CommandTarget

#: What is handed back to the tool as an argument must not look like an option.
_SESSION_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]*\Z")


def run(dispatch: Dispatch) -> Outcome:
    """Hand the prompt to the agent's program and turn its end into an outcome.

    An answer that misses the unit's schema is sent back once, with what is wrong, within the same timeout: in
    the same session where the tool has them, so that its work is not done twice. What both spent adds up.
    """
    job = _prepare(dispatch, label=f'agent unit "{dispatch.item.unit_id}"')
    if isinstance(job, Outcome):
        return job
    text = _prompt(dispatch)
    started = monotonic()
    first = _ask(dispatch, job, text)
    spent_ms = int((monotonic() - started) * 1000)
    is_out_of_time = job.timeout_ms is not None and spent_ms >= job.timeout_ms
    if not first.is_correctable or is_out_of_time:
        return first.outcome
    fault = (first.outcome.diagnostic or "").removeprefix(f"{job.label}: ")
    session = _session(dispatch, first.outcome.session_id)
    again = replace(job, argv=(*job.argv, *session), spent_ms=spent_ms)
    second = _ask(dispatch, again, prompt.with_feedback("" if session else text, [fault]))
    return agent_answer.with_what_was_spent(second.outcome, first.outcome)


def _session(dispatch: Dispatch, session_id: str | None) -> tuple[str, ...]:
    """Return the arguments that go on with a session; none when the tool has no sessions."""
    words = _target(dispatch).runner.get("sessionArguments")
    return (*words, session_id) if words and session_id and _SESSION_ID.match(session_id) else ()


def _prompt(dispatch: Dispatch) -> str:
    if dispatch.prompt is not None:
        return dispatch.prompt.text
    return prompt.build(dispatch.item, run_id=dispatch.run_id, params=dispatch.params)


def _prepare(dispatch: Dispatch, *, label: str) -> Launch | Outcome:
    target = _target(dispatch)
    where = cwd.resolve(target.cwd_identity, None, label=label, instead=dispatch.base)
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
        redaction=dispatch.redaction,
        structured=dispatch.item.node.schema is not None,
    )


def _ask(dispatch: Dispatch, job: Launch, text: str) -> Answer:
    try:
        encoded = text.encode()
    except UnicodeEncodeError:
        why = f"{job.label} was not started: its prompt would hold a lone surrogate, which is no character."
        return Answer(failed("dispatch_error", why))
    runner = _target(dispatch).runner
    argv = (*job.argv, *(runner.get("promptArguments") or ()))
    if runner.get("prompt") == "argument":
        ended = to_its_end(replace(job, argv=(*argv, text)))
    else:
        ended = to_its_end(replace(job, argv=argv, stdin=encoded))
    if isinstance(ended, Outcome):
        return Answer(ended)
    return agent_answer.settle(*ended, dispatch.item.node.schema, runner.get("output") or agent_answer.PLAIN)


def _timeout_ms(target: CommandTarget) -> int | None:
    """Return the unit's timeout where the plan has one, even None for unbounded; else the engine's."""
    source = target.request if "timeoutMs" in target.request else target.runner
    timeout_ms: int | None = source.get("timeoutMs")
    return timeout_ms


def _target(dispatch: Dispatch) -> CommandTarget:
    target = dispatch.item.node.target
    assert isinstance(target, CommandTarget)
    return target
