"""The settings as typed, checked values. Which file a value came from is `akm.config`'s."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

#: The engine presets that may be named; only `generic` is there yet.
Preset = Literal["generic", "claude", "codex", "opencode", "gemini", "aider", "copilot"]
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


def _http(value: str) -> str:
    if not value.startswith(("http://", "https://")):
        raise ValueError("must start with http:// or https://")
    return value


def _without_credentials(value: str) -> str:
    if "@" in value.split("://", 1)[1].split("/", 1)[0]:
        raise ValueError("must hold no user name or password")
    return value


#: Milliseconds, `"none"` for explicitly unbounded; None (absent) inherits.
Timeout = Annotated[int | Literal["none"] | None, BeforeValidator(_milliseconds)]
Variable = Annotated[str, AfterValidator(_variable)]
EngineName = Annotated[str, AfterValidator(_engine_name)]
HttpUrl = Annotated[str, AfterValidator(_http)]
Url = Annotated[HttpUrl, AfterValidator(_without_credentials)]
Text = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(ge=1)]
Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class _Section(BaseModel):
    # Unknown keys are reported by akm.config, which keeps them.
    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class AgentEngine(_Section):
    """A command that reads a prompt and prints its answer."""

    kind: Literal["agent"]
    preset: Preset = "generic"
    command: Annotated[list[Text], Field(min_length=1)] | None = None
    prompt: Literal["stdin", "argument"] = "stdin"
    timeout: Timeout = None
    pass_env: list[Variable] = []

    @model_validator(mode="after")
    def _needs_a_command(self) -> AgentEngine:
        if self.preset == "generic" and self.command is None:
            raise ValueError('needs a command, such as ["my-agent", "--print"]')
        return self

    @property
    def unavailable(self) -> str | None:
        """Say in one sentence why this engine cannot be used; None when it can."""
        if self.preset == "generic":
            return None
        return f'The preset {self.preset!r} is not there yet: use preset = "generic" with a command.'


class LlmEngine(_Section):
    """An endpoint that speaks the OpenAI chat completions protocol."""

    kind: Literal["llm"]
    base_url: Url
    model: Text
    api_key_env: Variable | None = None
    timeout: Timeout = None
    max_tokens: Count | None = None
    temperature: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    extra_params: dict[str, Any] = {}
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
    """A folder that holds `workflows/` and what they use.

    `source`, `ref` and `commit` are of one that came from git; no `ref` is the newest commit there.
    """

    path: Text
    source: Text | None = None
    ref: Text | None = None
    commit: Text | None = None


class RegistrySettings(_Section):
    """How the answers of registries are kept."""

    ttl_seconds: Annotated[int, Field(ge=0)] = 3600


class RegistrySource(_Section):
    """One registry that is searched. Which providers there are is `akm.registry.providers`'s.

    Without a `url` it changes what it says of the registry of its name that is built in.
    """

    # One with credentials is ignored with a warning when registries are listed, and stops nothing else.
    url: HttpUrl | None = None
    provider: Text = "static-index"
    enabled: bool = True
    allow_private: bool = False


class SchedulerSettings(_Section):
    """The refs of the tasks that are scheduled. None: this machine never chose, which is not the empty list.

    What an entry may be is `akm.tasks.activation`'s: one that is none is left out and spoils no other.
    """

    enabled: list[Any] | None = None


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
