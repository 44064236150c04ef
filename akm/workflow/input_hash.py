"""The digest of everything a unit works on. It says where a result comes from; reuse never depends on it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from akm.workflow.hashing import canonical
from akm.workflow.plan import UnitNode
from akm.workflow.plan_text.plan_json_targets import environment_json, target_json

_HASH_VERSION = 7


class InputHasher:
    """Hashes what one unit works on. Only the item differs between units, so the rest is written once.

    Keys are sorted, so everything before `item` is one constant text and everything after it another.
    """

    def __init__(
        self,
        step_id: str,
        node: UnitNode,
        inputs: tuple[tuple[str, Any], ...],
        bindings: Mapping[str, Any],
        params: Mapping[str, Any],
        gate_feedback: str | None,
    ) -> None:
        before = {
            "environment": environment_json(node.environment),
            "frozenTarget": target_json(node.target),
            **({} if gate_feedback is None else {"gateFeedback": gate_feedback}),
            "hashVersion": _HASH_VERSION,
            "inputs": [{"reference": text, "value": value} for text, value in inputs],
            "isolation": node.isolation,
        }
        after = {
            "nodeId": node.id,
            "params": params,
            "role": "unit",
            "schema": node.schema,
            "stepId": step_id,
            **({"taskInputs": bindings} if bindings else {}),
            "template": node.instructions,
        }
        start = f'akm.workflow.unit\0v7\0{canonical(before)[:-1]},"item":'
        self._start = hashlib.sha256(start.encode())
        self._end = f",{canonical(after)[1:]}".encode()

    def hash(self, item: str) -> str:
        """Hash one unit; `item` is canonical JSON, `null` for a solo unit."""
        digest = self._start.copy()
        digest.update(item.encode())
        digest.update(self._end)
        return digest.hexdigest()
