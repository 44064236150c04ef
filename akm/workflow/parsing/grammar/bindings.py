"""The `with` bag of a child workflow: per parameter a literal, or exactly `{from: <reference>}`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from akm.workflow.parsing.fields import Field
from akm.workflow.wording import clip

PARAM_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def bindings(field: Field) -> Mapping[str, Any] | None:
    """Read what a child workflow is given, by parameter name."""
    entries = field.entries()
    if entries is None:
        return None
    return {name: _binding(name, entry) for name, entry in entries.items()}


def _binding(name: str, field: Field) -> Any:
    if not PARAM_NAME.fullmatch(name):
        field.fail(
            f"binds `{clip(name)}`, which no parameter can be called: letters, digits and `_`, no digit first"
        )
    source = field.find("from")
    if source is None:
        return field.plain
    if len(field.entries() or ()) > 1:
        field.fail("has other keys beside `from`; a binding is a literal or exactly `{from: <reference>}`")
    return {"from": source.text()}
