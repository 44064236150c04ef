"""Which engine and model a prose step or a judge gets, and the frozen target that comes of it.

What is missing stops a run and only warns in a preview; nothing falls back silently.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from akm.errors import ConfigError
from akm.workflow.freezing.freeze_runners import agent_runner, llm_runner, provider_width
from akm.workflow.freezing.freeze_settings import Engine, FreezeSettings
from akm.workflow.hashing import sha256_hex
from akm.workflow.parsing.document import Defaults, Schema, Timeout, Unit
from akm.workflow.plan import CommandTarget, CwdIdentity
from akm.workflow.presets import PRESETS
from akm.workflow.spelling import did_you_mean

LLM_TIMEOUT_MS = 600_000
_CONFIG_FILE = ".akm/config.toml"


@dataclass(frozen=True, slots=True)
class Missing:
    """Collects what the installation lacks; when strict, the first lack is an error."""

    strict: bool
    warnings: list[str] = field(default_factory=list)

    def note(self, sentence: str) -> None:
        """Raise ConfigError INVALID_CONFIG_FILE with the sentence, or keep it as a warning."""
        if self.strict:
            raise ConfigError(sentence, code="INVALID_CONFIG_FILE")
        self.warn(sentence)

    def warn(self, sentence: str) -> None:
        """Keep the sentence as a warning, strict or not."""
        if sentence not in self.warnings:
            self.warnings.append(sentence)


def prose_target(
    step_id: str,
    content: str,
    unit: Unit,
    defaults: Defaults,
    settings: FreezeSettings,
    identity: CwdIdentity,
    missing: Missing,
) -> CommandTarget:
    """Freeze what a prose unit hands to its engine."""
    named = unit.engine or defaults.engine or settings.default_engine
    engine = _find(f'step "{step_id}"', named, settings, missing)
    if engine is None:
        lack = None if named else _no_engine(step_id)
        if lack:
            missing.note(lack)
        return _missing_target(named, content, identity)
    model = model_for(engine.name, unit.model or defaults.model or engine.model, settings.models, missing)
    inference = {**(defaults.llm or {}), **(unit.llm or {})}
    timeout = timeout_ms(unit.timeout, defaults.timeout, engine.timeout_ms, _kind_default(engine))
    return _target(engine, content, model, timeout, identity, inference=inference, schema=unit.output)


def judge_target(
    step_id: str, rubric: str, settings: FreezeSettings, identity: CwdIdentity, missing: Missing
) -> CommandTarget | None:
    """Freeze who judges a step; None (after a warning) when nobody can."""
    if settings.judge_engine is None:
        missing.note(
            f'Step "{step_id}" has a rubric, and no engine judges it: set workflow.judge_engine in '
            f"{_CONFIG_FILE}, or let a person judge with --gates approve."
        )
        return None
    engine = _find(f'the rubric of step "{step_id}"', settings.judge_engine, settings, missing)
    if engine is None:
        return None
    model = model_for(engine.name, engine.model, settings.models, missing)
    timeout = timeout_ms(engine.timeout_ms, _kind_default(engine))
    return _target(engine, rubric, model, timeout, identity)


def timeout_ms(*sources: Timeout) -> int | None:
    """Return the first timeout that is set, in ms; `"none"` anywhere means None, which is unbounded."""
    for source in sources:
        if source is not None:
            return None if source == "none" else source
    return None


def model_for(
    engine: str, name: str | None, aliases: Mapping[str, Mapping[str, str]], missing: Missing
) -> str | None:
    """Return the model that a name means for an engine: what its alias says, or the name itself."""
    if name is None or name not in aliases:
        return name
    found = aliases[name].get(engine)
    if found is None:
        missing.note(
            f'The model alias "{name}" says nothing about engine "{engine}": '
            f"set {engine} under [models.{name}] in {_CONFIG_FILE}."
        )
    return found


def _kind_default(engine: Engine) -> int | None:
    return LLM_TIMEOUT_MS if engine.kind == "llm" else None


def _no_engine(step_id: str) -> str:
    return (
        f'Step "{step_id}" is prose and no engine is set to do it: set defaults.engine in {_CONFIG_FILE} '
        "to a configured engine, or name one under `engine` in the workflow file."
    )


def _find(who: str, name: str | None, settings: FreezeSettings, missing: Missing) -> Engine | None:
    if name is None:
        return None
    engine = settings.engines.get(name)
    if engine is None:
        configured = ", ".join(sorted(settings.engines)) or "none"
        what = f' with kind = "agent" and preset = "{name}"' if name in PRESETS else ""
        missing.note(
            f'There is no engine "{name}", which {who} asks for; configured: {configured}.'
            f"{did_you_mean(name, settings.engines)} Add [engines.{name}]{what} to {_CONFIG_FILE}, or name "
            "another."
        )
    return engine


def _target(
    engine: Engine,
    content: str,
    model: str | None,
    timeout: int | None,
    identity: CwdIdentity,
    *,
    inference: Mapping[str, Any] | None = None,
    schema: Schema | None = None,
) -> CommandTarget:
    request: dict[str, Any] = {"engine": engine.name, "timeoutMs": timeout, "content": content}
    if model is not None:
        request["model"] = model
    if inference:
        request["inference"] = dict(inference)
    if schema is not None:
        request["outputSchema"] = dict(schema)
    is_llm = engine.kind == "llm"
    return CommandTarget(
        content_hash=sha256_hex(content),
        request=request,
        runner=llm_runner(engine, timeout) if is_llm else agent_runner(engine, model, timeout),
        concurrency=provider_width(engine.settings) if is_llm else None,
        cwd_identity=identity,
    )


def _missing_target(named: str | None, content: str, identity: CwdIdentity) -> CommandTarget:
    request: dict[str, Any] = {"content": content, "timeoutMs": None}
    if named is not None:
        request["engine"] = named
    return CommandTarget(sha256_hex(content), request, {"kind": "missing"}, cwd_identity=identity)
