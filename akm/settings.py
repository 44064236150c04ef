"""The settings as typed, checked values. Which file a value came from is `akm.config`'s."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

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
Url = Annotated[str, AfterValidator(_http)]
Text = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(ge=1)]
ExtraParams = Annotated[dict[str, Any], AfterValidator(_extra_params)]
Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class _Section(BaseModel):
    # Unknown keys are reported by akm.config, which keeps them.
    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class AgentEngine(_Section):
    """A command that reads a prompt and prints its answer; `command` stands for the program of a preset.

    `model` may be an alias. `prompt` None leaves it to the preset, which for `generic` says stdin.
    """

    kind: Literal["agent"]
    preset: Preset = "generic"
    command: Annotated[list[Text], Field(min_length=1)] | None = None
    model: Text | None = None
    prompt: Literal["stdin", "argument"] | None = None
    timeout: Timeout = None
    pass_env: list[Variable] = []

    @model_validator(mode="after")
    def _fits_its_preset(self) -> AgentEngine:
        if self.preset == "generic" and self.command is None:
            raise ValueError('needs a command, such as ["my-agent", "--print"]')
        if self.preset != "generic" and self.prompt is not None:
            raise ValueError(f"must not hold prompt: how {self.preset} is asked is known; remove it")
        return self


class LlmEngine(_Section):
    """An endpoint that speaks the OpenAI chat completions protocol."""

    kind: Literal["llm"]
    base_url: Url
    model: Text
    api_key_env: Variable | None = None
    timeout: Timeout = None
    max_tokens: Count | None = None
    temperature: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    extra_params: ExtraParams = {}
    concurrency: Count | None = None
    supports_json_schema: bool | None = None

    @model_validator(mode="before")
    @classmethod
    def _holds_no_key(cls, values: Any) -> Any:
        if isinstance(values, dict) and "api_key" in values:
            raise ValueError(
                "a key does not belong in a configuration file: name its variable in api_key_env"
            )
        return values


Engine = Annotated[AgentEngine | LlmEngine, Field(discriminator="kind")]


class Defaults(_Section):
    """What a workflow gets that says nothing itself."""

    engine: EngineName | None = None


class WorkflowSettings(_Section):
    """How runs are driven. None leaves the engine's own default."""

    judge_engine: EngineName | None = None
    max_concurrency: Count | None = None
    default_map_concurrency: Count | None = None


class ModelPrice(_Section):
    """Money per million tokens."""

    input: Price
    output: Price


class BundleSettings(_Section):
    """A folder that holds `workflows/` and what they use."""

    path: Text


class RegistrySettings(_Section):
    """How the answers of registries are kept."""

    ttl_seconds: Annotated[int, Field(ge=0)] = 3600


class RegistrySource(_Section):
    """One registry that is searched."""

    url: Url
    provider: Literal["static-index", "skills-sh"] = "static-index"
    enabled: bool = True
    allow_private: bool = False


class SchedulerSettings(_Section):
    """The refs of the tasks that are scheduled."""

    enabled: list[Text] = []


class DatabaseSettings(_Section):
    """Where the ledger is and how hard it is kept. A `url` of None means `state.db` in the data directory."""

    url: Text | None = None
    synchronous: Literal["full", "normal"] = "full"


class Config(_Section):
    """Every section of the effective configuration."""

    defaults: Defaults = Defaults()
    engines: dict[EngineName, Engine] = {}
    workflow: WorkflowSettings = WorkflowSettings()
    models: dict[str, dict[EngineName, Text]] = {}
    prices: dict[str, ModelPrice] = {}
    bundles: dict[str, BundleSettings] = {}
    registry: RegistrySettings = RegistrySettings()
    registries: dict[str, RegistrySource] = {}
    scheduler: SchedulerSettings = SchedulerSettings()
    database: DatabaseSettings = DatabaseSettings()
