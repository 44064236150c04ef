"""Which branch a route takes, and which steps are left out because of it. Pure: nothing is stored here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from akm.workflow.hashing import canonical
from akm.workflow.plan import Plan, RouteNode

_LONGEST_SHOWN = 80


class Unroutable(ValueError):
    """A route has no branch for a value; the message is one sentence."""


class DamagedChoice(ValueError):
    """What is stored of a route's choice is none that it could have made; the message is one sentence."""


def choose(route: RouteNode, value: Any) -> str:
    """Return the step that a value selects: the first branch that matches it as text, else the default.

    Raises Unroutable for an object or array, and when nothing matches and there is no default.
    """
    if isinstance(value, dict | list | tuple):
        kind = "an object" if isinstance(value, dict) else "an array"
        raise Unroutable(f"{route.input} is {kind}, and only a text, a number or a boolean selects a branch.")
    text = value if isinstance(value, str) else canonical(value)
    selected = next((step for match, step in route.when if match == text), route.default)
    if selected is None:
        shown = text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"
        known = ", ".join(match for match, _step in route.when)
        raise Unroutable(f'{route.input} is "{shown}", and the route knows only: {known}. Give it a default.')
    return selected


def targets(route: RouteNode) -> set[str]:
    """Return every step that a route may select."""
    return {step for _match, step in route.when} | ({route.default} if route.default else set())


def is_left_out(plan: Plan, step_id: str, outputs: Mapping[str, Any]) -> bool:
    """Tell whether a step is a target of routes, none of which selected it; a skipped route selects nothing.

    `outputs` maps the id of an earlier step to its output; a skipped step has none. Raises DamagedChoice:
    a choice that cannot be read must not skip every branch.
    """
    routes = {step.step_id: step.root for step in plan.steps if isinstance(step.root, RouteNode)}
    chosen = [_selected(outputs, name, root) for name, root in routes.items() if step_id in targets(root)]
    return bool(chosen) and step_id not in chosen


def _selected(outputs: Mapping[str, Any], route_id: str, route: RouteNode) -> str | None:
    output = outputs.get(route_id)
    if output is None:
        return None
    selected = output.get("selected") if isinstance(output, dict) else None
    if not isinstance(selected, str) or selected not in targets(route):
        raise DamagedChoice(
            f"The stored choice of step {route_id} is damaged: it selects none of its branches"
        )
    return selected
