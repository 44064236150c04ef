"""The settings as typed, checked values. Which file a value came from is `akm.config`'s."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from akm.setting_types import (
    Count,
    EngineName,
    ExtraParams,
    HttpUrl,
    Preset,
    Price,
    Text,
    Timeout,
    Url,
    Variable,
)


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

    What an entry may be is `akm.tasks.firing.activation`'s: one that is none is left out and spoils no other.
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
