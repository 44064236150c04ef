"""The tables, one SQLModel class each: the only statement of the schema. `states` holds their words."""

from __future__ import annotations

from akm.models.event import Event
from akm.models.registry_index_cache import RegistryIndexCache
from akm.models.task_history import TaskHistory
from akm.models.workflow_run import WorkflowRun, WorkflowRunStep
from akm.models.workflow_run_unit import WorkflowRunUnit, WorkflowRunUnitAttempt

__all__ = [
    "Event",
    "RegistryIndexCache",
    "TaskHistory",
    "WorkflowRun",
    "WorkflowRunStep",
    "WorkflowRunUnit",
    "WorkflowRunUnitAttempt",
]
