"""The frozen target of a child workflow: its whole plan inside the parent's, and what it is started with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from akm.errors import UsageError
from akm.workflow import params
from akm.workflow.freezing.freeze_settings import Child
from akm.workflow.hashing import canonical, sha256_hex
from akm.workflow.plan import ChildTarget, InputBinding, Plan
from akm.workflow.plan_text.plan_json import digest, encode
from akm.workflow.plan_text.plan_json_targets import binding_json
from akm.workflow.schemas import check
from akm.workflow.spelling import did_you_mean


def child_target(step_id: str, child: Child, given: Mapping[str, Any]) -> ChildTarget:
    """Freeze which workflow a step runs as a child and with what.

    Raises UsageError INPUT_BINDING_INVALID for a binding that the child's parameters do not take.
    """
    bindings = _bindings(step_id, child, given)
    text = encode(child.plan)
    plan_hash = digest(text)
    content = {
        "ref": child.ref,
        "planHash": plan_hash,
        "inputBindings": [binding_json(binding) for binding in bindings] or None,
    }
    return ChildTarget(
        ref=child.ref,
        content_hash=sha256_hex("akm.workflow.child-workflow\0v2\0" + canonical(content)),
        plan_hash=plan_hash,
        frozen_plan=json.loads(text),
        input_bindings=bindings,
    )


def _bindings(step_id: str, child: Child, given: Mapping[str, Any]) -> tuple[InputBinding, ...]:
    declared = child.plan.params
    _refuse_undeclared(step_id, child.ref, child.plan, given)
    found = {name: _binding(name, value, (declared or {}).get(name)) for name, value in given.items()}
    for name, value in params.with_defaults({}, declared).items():
        found.setdefault(name, InputBinding("literal", name, value=value))
    for binding in found.values():
        _refuse_unfit(step_id, child.ref, binding, (declared or {}).get(binding.name))
    return tuple(found[name] for name in sorted(found))


def _binding(name: str, given: Any, schema: Any) -> InputBinding:
    if isinstance(given, Mapping) and set(given) == {"from"}:
        return InputBinding("reference", name, from_=str(given["from"]), schema=schema)
    return InputBinding("literal", name, value=given)


def _refuse_undeclared(step_id: str, ref: str, plan: Plan, given: Mapping[str, Any]) -> None:
    unknown = next((name for name in given if name not in (plan.params or {})), None)
    if unknown is not None:
        declared = ", ".join(plan.params or {}) or "none"
        raise _invalid(
            f'Step "{step_id}" gives {ref} a parameter {unknown}, which it does not have (but: {declared}).'
            f"{did_you_mean(unknown, plan.params or {})}"
        )


def _refuse_unfit(step_id: str, ref: str, binding: InputBinding, schema: Any) -> None:
    if binding.from_ is not None or not schema:
        return
    misses = check(schema, binding.value, root=f"with.{binding.name}", redact=True)
    if misses:
        raise _invalid(f'Step "{step_id}" gives {ref} what it does not take: {"; ".join(misses)}.')


def _invalid(sentence: str) -> UsageError:
    return UsageError(sentence, code="INPUT_BINDING_INVALID")
