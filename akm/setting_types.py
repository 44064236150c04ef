"""The kinds of values that settings hold, each with its check and the sentence that says what it must be."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from akm.inference import MAX_EXTRA_PARAMS_BYTES, OWN_KEYS
from akm.spelling import closest

#: The engine presets that may be named.
PRESETS = ("generic", "claude", "codex", "opencode", "gemini", "aider", "copilot")
MAX_TIMEOUT_MS = 2_147_483_647
_TIMEOUT = re.compile(r"(\d{1,10})(ms|s|m)?\Z", re.IGNORECASE | re.ASCII)
_FACTORS = {None: 1, "ms": 1, "s": 1000, "m": 60_000}
_ENGINE = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*\Z")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def _milliseconds(value: Any) -> Any:
    match = _TIMEOUT.match(value.strip()) if isinstance(value, str) else None
    if match:
        unit = match[2]
        value = int(match[1]) * _FACTORS[unit and unit.lower()]
    if value == "none" or (type(value) is int and 0 < value <= MAX_TIMEOUT_MS):
        return value
    raise ValueError('must be a time such as "10m", "30s", 500 (milliseconds) or "none"')


def _variable(value: str) -> str:
    if not _VARIABLE.match(value):
        raise ValueError("must be the name of an environment variable (never a secret itself)")
    return value


def _engine_name(value: str) -> str:
    if len(value) > 63 or not _ENGINE.match(value):
        raise ValueError("is no engine name: use small letters, digits and single hyphens")
    return value


def _preset(value: str) -> str:
    if value not in PRESETS:
        close = closest(value, PRESETS)
        meant = f" (did you mean {close[0]}?)" if close else ""
        raise ValueError(f"must be one of {', '.join(PRESETS)}{meant}")
    return value


def _http(value: str) -> str:
    if not value.startswith(("http://", "https://")):
        raise ValueError("must start with http:// or https://")
    return value


def _without_credentials(value: str) -> str:
    if "@" in value.split("://", 1)[1].split("/", 1)[0]:
        raise ValueError("must hold no user name or password")
    return value


def _extra_params(values: dict[str, Any]) -> dict[str, Any]:
    own = next((key for key in values if key in OWN_KEYS), None)
    if own is not None:
        raise ValueError(f"must not hold {own}: the engine sets that itself; use its own key")
    try:
        # A file of settings may hold dates and numbers that are none, which no request can.
        size = len(json.dumps(values, allow_nan=False))
    except (TypeError, ValueError):
        raise ValueError("must hold only what JSON has: no dates, no nan, no inf") from None
    if size > MAX_EXTRA_PARAMS_BYTES:
        raise ValueError(f"must take at most {MAX_EXTRA_PARAMS_BYTES} bytes as JSON")
    return values


#: Milliseconds, `"none"` for explicitly unbounded; None (absent) inherits.
Timeout = Annotated[int | Literal["none"] | None, BeforeValidator(_milliseconds)]
Variable = Annotated[str, AfterValidator(_variable)]
EngineName = Annotated[str, AfterValidator(_engine_name)]
Preset = Annotated[str, AfterValidator(_preset)]
HttpUrl = Annotated[str, AfterValidator(_http)]
Url = Annotated[HttpUrl, AfterValidator(_without_credentials)]
Text = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(ge=1)]
ExtraParams = Annotated[dict[str, Any], AfterValidator(_extra_params)]
Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]
