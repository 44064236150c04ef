"""The effective configuration as values to work with: the defaults, the files and the environment.

`read` and the functions that take its layers are cheap and check only what they are asked for; `load` checks
everything and needs pydantic.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from akm import paths, ref_grammar
from akm.config_layers import Key, Layers, Origin, fault, place, project_file, read, read_file
from akm.spelling import dotted

if TYPE_CHECKING:
    from akm.settings import Config

__all__ = [
    "Database",
    "Layers",
    "Origin",
    "bundles",
    "database",
    "entries",
    "load",
    "project_file",
    "read",
    "read_file",
    "warnings",
]


@dataclass(frozen=True, slots=True)
class Database:
    """Where the ledger is and how hard SQLite keeps it."""

    path: Path
    synchronous: Literal["full", "normal"]


def load(cwd: Path | None = None, *, layers: Layers | None = None) -> Config:
    """Return the whole configuration, checked. Raises ConfigError naming file, key and what is wrong."""
    from pydantic import ValidationError

    from akm import setting_faults, settings

    layers = read(cwd) if layers is None else layers
    bundles(layers)
    try:
        return settings.Config.model_validate(layers.values)
    except ValidationError as error:
        key, sentence = setting_faults.first(error)
        raise fault(layers, key, sentence) from error


def warnings(layers: Layers) -> list[str]:
    """Return one sentence per unknown key; such keys are kept."""
    from akm import setting_faults

    return [
        f"{place(layers, key)}: there is no setting {dotted(key)}." + (f" {suggestion}" if suggestion else "")
        for key, suggestion in setting_faults.unknown(layers.values)
    ]


def entries(layers: Layers, config: Config) -> list[tuple[str, Any, str]]:
    """List every value with its dotted key and where it came from, defaults included."""
    found = {key: (_value(layers, key), str(origin)) for key, origin in layers.origins.items()}
    for section in ("defaults", "workflow", "registry", "scheduler", "database"):
        for name, value in getattr(config, section).model_dump().items():
            found.setdefault((section, name), (value, "default"))
    if found[("database", "url")][0] is None:
        found[("database", "url")] = (paths.database_url(database(layers).path), "default")
    return [(dotted(key), *found[key]) for key in sorted(found)]


def database(layers: Layers) -> Database:
    """Return where the ledger is, without checking the rest of the configuration."""
    section = _table(layers, "database")
    url = section.get("url")
    if url is not None and not isinstance(url, str):
        raise fault(layers, ("database", "url"), "must be text")
    synchronous = section.get("synchronous", "full")
    if synchronous not in ("full", "normal"):
        raise fault(layers, ("database", "synchronous"), "must be 'full' or 'normal'")
    origin = layers.origins.get(("database", "url"))
    named = f"{place(layers, ('database', 'url'))}: database.url"
    return Database(
        paths.database_path(url, base=origin.base if origin else Path("/"), named=named), synchronous
    )


def bundles(layers: Layers) -> dict[str, Path]:
    """Return the configured bundles' folders in order, without checking the rest of the configuration."""
    found = {}
    for name, entry in _table(layers, "bundles").items():
        key = ("bundles", name)
        if not ref_grammar.is_bundle_name(name) or name == ref_grammar.PROJECT:
            raise fault(
                layers,
                key,
                f"must be a name without `:`, `.`, `#`, `/` and spaces, and not {ref_grammar.PROJECT!r}",
            )
        path = entry.get("path") if isinstance(entry, dict) else None
        if not isinstance(path, str) or not path:
            raise fault(layers, key, 'needs a path, such as path = "~/team-bundle"')
        found[name] = paths.absolute(path, layers.origins[(*key, "path")].base)
    return found


def _table(layers: Layers, section: str) -> Mapping[str, Any]:
    table = layers.values.get(section, {})
    if not isinstance(table, dict):
        raise fault(layers, (section,), "must be a table")
    return table


def _value(layers: Layers, key: Key) -> Any:
    value: Any = layers.values
    for part in key:
        value = value[part]
    return value
