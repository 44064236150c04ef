"""Starting a run: load, freeze, check the parameters, publish. Nothing is written before the last step."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

from akm import ids, states
from akm.engine import identity, sources
from akm.engine.spine import spine
from akm.engine.target import Fresh
from akm.engine.workplace import Workplace
from akm.errors import UsageError
from akm.services import runs
from akm.services.runs import NewRun
from akm.store.database import Database
from akm.views import runs as run_views
from akm.workflow import params
from akm.workflow.freezing.freeze_settings import Gates
from akm.workflow.hashing import canonical
from akm.workflow.plan import Plan
from akm.workflow.plan_text import plan_json
from akm.workflow.support import not_yet

Flags = Sequence[tuple[str, str | bool]]


class Started(NamedTuple):
    """A run that was just published, and what the person should hear about it."""

    run_id: str
    warnings: tuple[str, ...]


def start(
    db: Database,
    work: Workplace,
    fresh: Fresh,
    *,
    given: Flags | dict[str, Any],
    new: bool,
    at: str,
    gates: Gates = "judge",
) -> Started:
    """Publish a run of a workflow. `given` are command-line flags as text, or parameter values.

    Raises WorkflowSourceError, UsageError for parameters or an active run, ConfigError for a missing engine
    or judge; nothing is written then.
    """
    loaded = sources.compiled(fresh.source)
    frozen = sources.frozen(work, loaded, strict=True, gates=gates)
    refuse_unsupported(frozen.plan)
    values = parameters(given, frozen.plan)
    warnings = [*loaded.warnings, *frozen.warnings, *_advice(values)]
    elsewhere = run_views.active_elsewhere(db, fresh.refs, work.scope_key)
    if elsewhere is not None:
        warnings.append(
            f"{elsewhere.workflow_ref} is also active in another scope ({elsewhere.scope_key}) as run "
            f"{elsewhere.id}, since {elsewhere.created_at}: `akm workflow run {elsewhere.id}` continues it, "
            f"`akm workflow abandon {elsewhere.id}` ends it."
        )
    run = _new_run(work, fresh, frozen.plan, values, at)
    runs.publish(db, run, spine(frozen.plan), refs=fresh.refs, force=new)
    return Started(run.id, tuple(warnings))


def refuse_unsupported(plan: Plan) -> None:
    """Raise UsageError when the plan has a part that this version cannot run."""
    missing = not_yet(plan)
    if missing:
        more = f" ({len(missing) - 1} more like it.)" if len(missing) > 1 else ""
        raise UsageError(missing[0] + more, code="NOT_SUPPORTED_YET")


def parameters(given: Flags | dict[str, Any], plan: Plan) -> dict[str, Any]:
    """Coerce, complete and check parameters. Raises UsageError listing every problem."""
    values = dict(given) if isinstance(given, dict) else params.coerce(given, plan.params)
    values = params.with_defaults(values, plan.params)
    params.validate(values, plan.params)
    return values


def _advice(values: dict[str, Any]) -> list[str]:
    return [
        f"{path} looks like a secret. Parameters are stored and shown in clear: pass secrets by pass_env."
        for path in params.secret_shaped(values)
    ]


def _new_run(work: Workplace, fresh: Fresh, plan: Plan, values: dict[str, Any], at: str) -> NewRun:
    text = plan_json.encode(plan)
    agent = identity.detect(os.environ)
    return NewRun(
        id=ids.new(),
        workflow_ref=fresh.source.ref,
        workflow_title=plan.title,
        status=states.ACTIVE,
        current_step_id=plan.steps[0].step_id,
        created_at=at,
        updated_at=at,
        scope_key=work.scope_key,
        params_json=canonical(values),
        plan_json=text,
        plan_hash=plan_json.digest(text),
        plan_ir_version=plan.ir_version,
        agent_harness=agent.harness,
        agent_session_id=agent.session_id,
    )
