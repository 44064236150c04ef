"""The configured engines and the presets as people look at them: what each is, and whether it can be used."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from akm import config, config_layers
from akm.engine import installed
from akm.engine.workplace import Workplace
from akm.workflow.freezing.freeze_engines import Missing, model_for
from akm.workflow.presets import PRESETS

if TYPE_CHECKING:
    from akm.settings import AgentEngine, Config, LlmEngine

USABLE = "usable"


def report(work: Workplace) -> dict[str, list[dict[str, Any]]]:
    """Describe every configured engine, and the presets that no engine uses.

    `status` is "usable", perhaps with what is not set, or a clause on why not. Raises ConfigError for a
    faulty setting.
    """
    checked = config.load(layers=work.layers)
    used = {getattr(engine, "preset", None) for engine in checked.engines.values()}
    return {
        "engines": [_engine(work, checked, name) for name in sorted(checked.engines)],
        "presets": [
            _preset(work, name, preset.program[0])
            for name, preset in PRESETS.items()
            if preset.program and name not in used
        ],
    }


def _engine(work: Workplace, checked: Config, name: str) -> dict[str, Any]:
    engine = checked.engines[name]
    notes = Missing(strict=False)
    model = model_for(name, engine.model, checked.models, notes)
    shown = _agent(work, engine) if engine.kind == "agent" else _llm(engine)
    if notes.warnings:
        shown["status"] = f"the model alias {engine.model} says nothing about it"
    return {
        "name": name,
        "kind": engine.kind,
        **shown,
        "model": model or engine.model,
        "usable": shown["status"].startswith(USABLE),
        "configured": config_layers.place(work.layers, ("engines", name)),
    }


def _agent(work: Workplace, engine: AgentEngine) -> dict[str, Any]:
    program = (engine.command or PRESETS[engine.preset].program)[0]
    unset = [name for name in engine.pass_env if name not in os.environ]
    if installed.find(program, cwd=str(work.anchor)) is None:
        status = f"program not installed: {program}"
    else:
        status = f"{USABLE}, but not set: {', '.join(unset)}" if unset else USABLE
    return {"preset": engine.preset, "program": program, "url": None, "status": status}


def _llm(engine: LlmEngine) -> dict[str, Any]:
    key = engine.api_key_env
    status = f"variable {key} is not set" if key and not os.environ.get(key) else USABLE
    return {"preset": None, "program": None, "url": _bare(engine.base_url), "status": status}


def _preset(work: Workplace, name: str, program: str) -> dict[str, Any]:
    return {
        "preset": name,
        "program": program,
        "installed": installed.find(program, cwd=str(work.anchor)) is not None,
    }


def _bare(url: str) -> str:
    """Return a URL without a query or a fragment, which may hold a key."""
    return url.partition("#")[0].partition("?")[0]
