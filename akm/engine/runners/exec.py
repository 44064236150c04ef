"""The runner of exec units: a command started directly, judged once, by its exit and its output."""

from __future__ import annotations

from akm.engine.runners import context, cwd, environment, structured
from akm.engine.runners.base import Dispatch, Outcome
from akm.engine.runners.launch import Launch, launch
from akm.engine.runners.settle import settle
from akm.workflow.plan import ShellTarget


def run(dispatch: Dispatch) -> Outcome:
    """Start the unit's command and turn its end into an outcome."""
    job = _prepare(dispatch, label=f'exec unit "{dispatch.item.unit_id}"')
    ended = launch(job) if isinstance(job, Launch) else job
    if isinstance(ended, Outcome):
        return ended
    return settle(*ended, dispatch.item.node.schema, parse=structured.exactly)


def _prepare(dispatch: Dispatch, *, label: str) -> Launch | Outcome:
    node, target = dispatch.item.node, dispatch.item.node.target
    assert isinstance(target, ShellTarget)
    where = cwd.resolve(target.cwd_identity, target.cwd, label=label, instead=dispatch.base)
    if isinstance(where, Outcome):
        return where
    known = context.build(dispatch, label=label)
    if isinstance(known, Outcome):
        return known
    return context.refuse(known, label=label) or Launch(
        label=label,
        argv=target.command,
        cwd=where,
        env=environment.build(dispatch, pass_env=target.pass_env, context=known),
        timeout_ms=target.timeout_ms,
        abort=dispatch.abort,
        programs=dispatch.shared.programs,
        redaction=dispatch.redaction,
        structured=node.schema is not None,
    )
