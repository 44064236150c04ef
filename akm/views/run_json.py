"""A run's row and a step's as the JSON values that every view of runs is made of."""

from __future__ import annotations

from typing import Any

from akm.store import sql
from akm.views.json_columns import value


def summary(row: sql.RunSummary, damaged: list[str] | None = None) -> dict[str, Any]:
    """Shape a run's row; damaged JSON reads as absent, and parameters that look like secrets are hidden."""
    found = [] if damaged is None else damaged
    shown: dict[str, Any] = {
        "id": row.id,
        "workflowRef": row.workflow_ref,
        "scopeKey": row.scope_key,
        "workflowEntryId": row.workflow_entry_id,
        "workflowTitle": row.workflow_title,
        "status": row.status,
        "currentStepId": row.current_step_id,
        "createdAt": row.created_at,
        "updatedAt": row.updated_at,
        "completedAt": row.completed_at,
        "params": _params(row, found),
        "agentHarness": row.agent_harness,
        "agentSessionId": row.agent_session_id,
        "planIrVersion": row.plan_ir_version,
    }
    if row.parent_run_id is not None:
        shown["parentRunId"] = row.parent_run_id
        shown["spawnedByUnitId"] = row.parent_unit_id
    if row.forked_from_run_id is not None:
        shown["forkedFromRunId"] = row.forked_from_run_id
        shown["forkedFromStepId"] = row.forked_from_step_id
    outputs = value(row.outputs_json, "outputs_json", found)
    if outputs is not None:
        shown["outputs"] = outputs
    return shown


def _params(row: sql.RunSummary, damaged: list[str]) -> dict[str, Any]:
    params = value(row.params_json, "params_json", damaged)
    if not params or not isinstance(params, dict):
        return {}
    from akm.workflow import secret_shapes

    return secret_shapes.hidden(params)


def step(row: sql.Step, damaged: list[str]) -> dict[str, Any]:
    """Shape a step's row; damaged JSON reads as absent."""
    optional = {
        "completionCriteria": value(row.completion_json, f"completion_json of step {row.step_id}", damaged),
        "notes": row.notes,
        "evidence": value(row.evidence_json, f"evidence_json of step {row.step_id}", damaged),
        "summary": row.summary,
    }
    return {
        "id": row.step_id,
        "title": row.step_title,
        "instructions": row.instructions,
        "sequenceIndex": row.sequence_index,
        "status": row.status,
        "completedAt": row.completed_at,
        **{name: found for name, found in optional.items() if found is not None},
    }
