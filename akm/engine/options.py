"""How far one invocation drives a run, and what is put in place of its surroundings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from akm import clock
from akm.engine.progress import Observe, nobody
from akm.engine.runners.base import Runner
from akm.workflow.freezing.freeze_settings import Gates
from akm.workflow.plan import UnitNode


@dataclass(frozen=True, slots=True)
class Options:
    """How far one invocation drives. Times in milliseconds; None is no limit.

    `runner_for` replaces the choice of runners; `observe` hears progress, `announce` each warning as soon
    as it is known (they are in the result as well); `now` is the clock.
    """

    max_steps: int | None = None
    max_retries: int = 0
    timeout_ms: int | None = None
    max_concurrency: int | None = None
    new: bool = False
    wait_lock_ms: int = 0
    gates: Gates = "judge"
    runner_for: Callable[[UnitNode], Runner | None] | None = None
    observe: Observe = nobody
    announce: Callable[[str], None] = nobody
    now: Callable[[], str] = clock.now
    environment: Mapping[str, str] | None = None
