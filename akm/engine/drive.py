"""What one invocation holds while it drives a run: the plan, the parameters, all that units share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from akm.engine.abort import Abort
from akm.engine.budget import Spending
from akm.engine.ledger import Ledger
from akm.engine.progress import Observe
from akm.engine.runners.base import Runner
from akm.workflow.plan import Plan, UnitNode


@dataclass(frozen=True, slots=True)
class Drive:
    """One invocation's hold on a run. `drive_child` drives another run for one of its steps, given as
    (run, step), until it stops, and says what stopped it."""

    ledger: Ledger
    plan: Plan
    params: Mapping[str, Any]
    spending: Spending
    abort: Abort
    environment: Mapping[str, str]
    runner_for: Callable[[UnitNode], Runner | None]
    observe: Observe
    drive_child: Callable[[str, str, Abort], str | None]
    max_concurrency: int | None = None
