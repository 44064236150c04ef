"""Rules about the targets of routes: declared, later, and not every step that is left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from akm.workflow.parsing.fields import Field
from akm.workflow.parsing.grammar.outline import Outline
from akm.workflow.parsing.grammar.step import Draft
from akm.workflow.wording import clip


def check_routes(outline: Outline) -> None:
    """Note every target that a route cannot reach; advise when a route leaves nothing that always runs."""
    order = {draft.step.id: index for index, draft in enumerate(outline.drafts)}
    for draft in outline.drafts:
        if draft.step.route is None:
            continue
        for field in _targets(draft.field):
            _check(field, order, draft.step.id)
        _advise(draft, order)


def _targets(step: Field) -> Iterator[Field]:
    branches = step.find("route", "when")
    if branches is not None and isinstance(branches.node.value, tuple):
        for branch in branches.items() or ():
            if target := branch.find("step"):
                yield target
    if default := step.find("route", "default"):
        yield default


def _check(field: Field, order: Mapping[str, int], own: str) -> None:
    name = field.node.value
    if not isinstance(name, str) or not name.strip():
        return  # Noted by the grammar.
    name = name.strip()
    if name not in order:
        later = (step_id for step_id, index in order.items() if index > order[own])
        field.fail(
            f"names step `{clip(name)}`, which does not exist", suggestion=field.report.nearest(name, later)
        )
    elif name == own:
        field.fail("names its own step; a route leads to a later one")
    elif order[name] < order[own]:
        field.fail(f"names step `{name}`, which stands earlier; a route leads to a later step")


def _advise(draft: Draft, order: Mapping[str, int]) -> None:
    route = draft.step.route
    remaining = len(order) - order[draft.step.id] - 1
    if route is None or remaining < 2:
        return
    targets = {target for _, target in route.when} | {route.default}
    reached = sum(order.get(target or "", -1) > order[draft.step.id] for target in targets)
    if reached == remaining:
        draft.field.report.warn(
            draft.step.line,
            f"{draft.field.label}: every later step is a target of this route, so one of them runs "
            "and all others are skipped: leave steps that must always run out of the targets.",
            code="route-takes-all",
        )
