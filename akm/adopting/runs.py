"""Rows of runs and of their steps. A plan comes as it is: whether it can be read is another question."""

from __future__ import annotations

from typing import Final

from akm import states
from akm.adopting import fields
from akm.adopting.fields import Found, Reader
from akm.services.adoption import Row

RUN: Final[dict[str, Reader]] = {
    "id": fields.identifier,
    "workflow_ref": fields.identifier,
    "workflow_entry_id": fields.number,
    "workflow_title": fields.needed,
    "status": fields.one_of(states.RUN),
    "current_step_id": fields.none_or(fields.identifier),
    "created_at": fields.moment,
    "updated_at": fields.moment,
    "completed_at": fields.maybe_moment,
    "scope_key": fields.text,
    "agent_harness": fields.text,
    "agent_session_id": fields.text,
    "parent_run_id": fields.none_or(fields.identifier),
    "parent_unit_id": fields.none_or(fields.identifier),
    "invocation_key": fields.text,
    "forked_from_run_id": fields.none_or(fields.identifier),
    "forked_from_step_id": fields.none_or(fields.identifier),
    "plan_hash": fields.text,
    "plan_ir_version": fields.number,
    "checkin_armed_at": fields.text,
    "engine_lease_until": fields.text,
    "engine_lease_holder": fields.text,
    "params_json": fields.json_object,
    "outputs_json": fields.json_text,
    "plan_json": fields.text,
}
STEP: Final[dict[str, Reader]] = {
    "run_id": fields.identifier,
    "step_id": fields.identifier,
    "step_title": fields.needed,
    "sequence_index": fields.position,
    "status": fields.one_of(states.STEP),
    "completed_at": fields.maybe_moment,
    "instructions": fields.needed,
    "completion_json": fields.json_text,
    "notes": fields.text,
    "summary": fields.text,
    "evidence_json": fields.json_text,
}


def run(found: Found) -> Row:
    """Read a run's row. Raises Unusable."""
    return fields.mapped(found, RUN)


def step(found: Found) -> Row:
    """Read a step's row. Raises Unusable."""
    return fields.mapped(found, STEP)
