"""Where a command is being run: directory, scope, bundles and settings. Read once, handed around."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from akm import config, paths, scope
from akm.workflow.freezing.freeze_settings import Engine, FreezeSettings
from akm.workflow.prices import Price

# Sections that freezing reads; without any of them nothing needs checking and pydantic stays unloaded.
_DECIDING = ("defaults", "engines", "workflow", "models")


@dataclass(frozen=True, slots=True)
class Workplace:
    """The surroundings of one command."""

    cwd: Path
    anchor: Path
    scope_key: str
    bundles: Mapping[str, Path]
    layers: config.Layers

    def freeze_settings(self, *, root: Path, source_path: str, strict: bool) -> FreezeSettings:
        """Return what freezing a file of `root` needs to know. Raises ConfigError for a faulty setting."""
        cores = os.cpu_count() or 1
        if not any(self.layers.values.get(section) for section in _DECIDING):
            return FreezeSettings({}, root, source_path, strict, cores)
        checked = config.load(layers=self.layers)
        return FreezeSettings(
            engines=_engines(checked),
            root=root,
            source_path=source_path,
            strict=strict,
            cores=cores,
            default_engine=checked.defaults.engine,
            judge_engine=checked.workflow.judge_engine,
            default_map_concurrency=checked.workflow.default_map_concurrency or 4,
            max_concurrency=checked.workflow.max_concurrency,
            models=checked.models,
            prices={name: Price(price.input, price.output) for name, price in checked.prices.items()},
        )


def here(cwd: Path | None = None, *, layers: config.Layers | None = None) -> Workplace:
    """Look around in `cwd` (the working directory). Raises UsageError when it is gone."""
    folder = paths.working_directory() if cwd is None else Path(os.path.realpath(cwd))
    layers = config.read(folder) if layers is None else layers
    bundles = config.bundles(layers)
    anchor = scope.anchor(folder, bundles)
    return Workplace(folder, anchor, scope.key(anchor), bundles, layers)


def _engines(checked: object) -> dict[str, Engine]:
    from akm.settings import AgentEngine, Config

    assert isinstance(checked, Config)
    engines = {}
    for name, engine in checked.engines.items():
        if isinstance(engine, AgentEngine):
            engines[name] = Engine(
                name=name,
                kind="agent",
                preset=engine.preset,
                command=tuple(engine.command or ()),
                prompt=engine.prompt,
                timeout_ms=engine.timeout,
                pass_env=tuple(engine.pass_env),
                model=engine.model,
            )
        else:
            settings = engine.model_dump(exclude_none=True, exclude={"kind", "timeout", "model"})
            engines[name] = Engine(
                name, "llm", timeout_ms=engine.timeout, model=engine.model, settings=settings
            )
    return engines
