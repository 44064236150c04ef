"""How long a unit may take and what its failure leads to: `timeout`, `retry`, `on_error`."""

from __future__ import annotations

import re

from akm.workflow.parsing.document import OnError, Retry, Timeout
from akm.workflow.parsing.fields import Field
from akm.workflow.parsing.grammar.lists import unique_texts

MAX_TIMEOUT_MS = 2_147_483_647
_DURATION = re.compile(r"([0-9]{1,12})(ms|s|m)?", re.IGNORECASE)
_MILLISECONDS = {"ms": 1, "s": 1000, "m": 60_000}
_LONGER = re.compile(r"([0-9]{1,6})\s*(h|hour|hours|d|day|days)", re.IGNORECASE)
RETRY_REASONS = (
    "timeout",
    "spawn_failed",
    "non_zero_exit",
    "parse_error",
    "cooldown",
    "llm_rate_limit",
    "llm_content_filter",
    "llm_invalid_json",
    "content_policy_reject",
    "unsupported_type",
    "no_change",
    "quality_rejected",
    "aborted",
)


def timeout(field: Field) -> Timeout:
    """Read a duration as milliseconds, or `none`; None after noting a fault."""
    value = field.node.value
    if isinstance(value, str) and value.strip().lower() == "none":
        return "none"
    milliseconds = _milliseconds(value)
    if milliseconds is None:
        hint = "`none`" if value is None else _in_minutes(value)
        field.fail("must be a time such as `500ms`, `30s` or `10m`, or `none` for no limit", suggestion=hint)
        return None
    if not 1 <= milliseconds <= MAX_TIMEOUT_MS:
        field.fail(f"must lie between 1 and {MAX_TIMEOUT_MS} ms, but is {milliseconds} ms")
        return None
    return milliseconds


def _milliseconds(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    match = _DURATION.fullmatch(value.strip()) if isinstance(value, str) else None
    return int(match[1]) * _MILLISECONDS[(match[2] or "ms").lower()] if match else None


def _in_minutes(value: object) -> str | None:
    match = _LONGER.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        return None
    minutes = 60 if match[2].lower().startswith("h") else 24 * 60
    return f"{int(match[1]) * minutes}m"


def retry(field: Field) -> Retry | None:
    """Read how often and for which failures a unit is dispatched again."""
    entries = field.mapping(("max", "on"))
    if entries is None:
        return None
    for key in ("max", "on"):
        if key not in entries:
            field.fail(f"lacks `{key}`", suggestion="retry: { max: 2, on: [timeout] }")
    most = entries["max"].integer(0) if "max" in entries else None
    reasons = unique_texts(entries["on"], "failure", _reason) if "on" in entries else None
    return Retry(most, reasons) if most is not None and reasons is not None else None


def _reason(field: Field) -> str | None:
    return field.choice(RETRY_REASONS)


def on_error(field: Field) -> OnError | None:
    """Read whether a failed unit fails its step."""
    match field.choice(("fail", "continue")):
        case "fail":
            return "fail"
        case "continue":
            return "continue"
    return None
