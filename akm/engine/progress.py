"""What a driver tells its watcher while it works. Nothing here is stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple


class Progress(NamedTuple):
    """One thing that just happened. `unit_id` is None for a step's own news, and `above` holds the steps that
    run the workflow it is told of, outermost first: empty but for children.

    `kind` `step_started`: `total` units, `reused` of them finished earlier. `unit_finished` carries the
    failure reason of a failed one. `gate_started`: its judge is asked. `step_rejected`: another loop follows,
    `status` says which ended. `step_ended` carries the step's status. `notice` is a text that no result
    may come to tell.
    """

    kind: Literal[
        "step_started",
        "unit_started",
        "unit_finished",
        "gate_started",
        "step_rejected",
        "step_ended",
        "notice",
    ]
    step_id: str
    unit_id: str | None = None
    status: str | None = None
    reason: str | None = None
    total: int = 0
    reused: int = 0
    text: str | None = None
    above: tuple[str, ...] = ()


Observe = Callable[[Progress], None]


def below(observe: Observe, step_id: str) -> Observe:
    """Return what hears the news of the workflow that a step runs."""
    return lambda news: observe(news._replace(above=(step_id, *news.above)))


def nobody(_news: object) -> None:
    """Watch nothing."""
