"""Which branch a route takes, and which steps are left out because of it. Pure: nothing is stored here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from akm.workflow.hashing import canonical
from akm.workflow.plan import Plan, RouteNode

_LONGEST_SHOWN = 80


class Unroutable(ValueError):
    """A route has no branch for a value; the message is one sentence."""


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

    `outputs` maps the id of an earlier step to its output; a skipped step has none.
    """
    routes = [
        step for step in plan.steps if isinstance(step.root, RouteNode) and step_id in targets(step.root)
    ]
    return bool(routes) and not any(_selected(outputs, route.step_id) == step_id for route in routes)


def _selected(outputs: Mapping[str, Any], route_id: str) -> object:
    output = outputs.get(route_id)
    return output.get("selected") if isinstance(output, dict) else None
