"""The configuration files and the environment laid over one another, unchecked, with each value's origin.

The project's file lies over the user's, the environment over both. What the values mean is `akm.config`'s.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from akm import paths
from akm.errors import ConfigError
from akm.spelling import dotted

Key = tuple[str, ...]
_PROJECT_FILE = ".akm/config.toml"
#: The settings that the environment may hold, as `AKM_<SECTION>_<KEY>`.
_SCALARS: dict[Key, type[str] | type[int]] = {
    ("defaults", "engine"): str,
    ("workflow", "judge_engine"): str,
    ("workflow", "max_concurrency"): int,
    ("workflow", "default_map_concurrency"): int,
    ("registry", "ttl_seconds"): int,
    ("database", "url"): str,
    ("database", "synchronous"): str,
}
_OTHER_VARIABLES = {"AKM_SQLITE_SYNCHRONOUS": ("database", "synchronous")}


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value came from. `name` is a file or a variable; relative paths start at `base`."""

    where: Literal["default", "user file", "project file", "environment"]
    name: str
    base: Path

    def __str__(self) -> str:
        return self.where if self.where == "default" else f"{self.where} {self.name}"


@dataclass(frozen=True, slots=True)
class Layers:
    """All values laid over one another, unchecked, and the origin of each; defaults are not in it."""

    values: dict[str, Any] = field(default_factory=dict)
    origins: dict[Key, Origin] = field(default_factory=dict)


def project_file(cwd: Path) -> Path | None:
    """Return the nearest `.akm/config.toml` at or above `cwd`; None when there is none."""
    folder = paths.nearest(cwd, (_PROJECT_FILE,), lambda file: os.path.isfile(file) or _is_shut_in(file))
    return folder / _PROJECT_FILE if folder else None


def read(cwd: Path | None = None) -> Layers:
    """Read both files and the environment. Raises ConfigError when a file is no TOML or cannot be read."""
    folder = paths.working_directory() if cwd is None else cwd
    layers = Layers()
    user, project = paths.user_config_file(), project_file(folder)
    if os.path.lexists(user) or _is_shut_in(user):
        _lay(layers, read_file(user), Origin("user file", str(user), user.parent))
    if project and not (os.path.exists(user) and os.path.realpath(project) == os.path.realpath(user)):
        _lay(layers, read_file(project), Origin("project file", str(project), project.parent.parent))
    for key, variable, value in _environment():
        tree: Any = value
        for part in reversed(key):
            tree = {part: tree}
        _lay(layers, tree, Origin("environment", variable, folder))
    return layers


def read_file(file: Path) -> dict[str, Any]:
    """Read one TOML file. Raises ConfigError with the line when it is none."""
    import tomllib

    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"The configuration file {file} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"The configuration file {file} is not UTF-8 text (byte {error.start}).") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"The configuration file {file} is not TOML: {error}.") from error


def fault(layers: Layers, key: Key, sentence: str) -> ConfigError:
    """Build the error about one value: which file or variable, which key, and what is wrong."""
    return ConfigError(f"{place(layers, key)}: {dotted(key)} {sentence}.")


def place(layers: Layers, key: Key) -> str:
    """Say where a value or its nearest enclosing table came from: a file's path, or the variable."""
    while key:
        origin = layers.origins.get(key) or next(
            (origin for known, origin in layers.origins.items() if known[: len(key)] == key), None
        )
        if origin:
            return f"The environment variable {origin.name}" if origin.where == "environment" else origin.name
        key = key[:-1]
    return "Configuration"


def _is_shut_in(file: Path) -> bool:
    """Tell whether the folder of `file` is there and may not be entered: what it says would go unheard.

    A folder further up is another's home, as after a change of user, and holds nothing of this user's.
    """
    return os.path.isdir(file.parent) and paths.is_shut(file)


def _environment() -> Iterator[tuple[Key, str, str | int]]:
    variables = {f"AKM_{'_'.join(key).upper()}": key for key in _SCALARS} | _OTHER_VARIABLES
    for variable, key in variables.items():
        value = os.environ.get(variable, "").strip()
        if value:
            yield key, variable, _number(value) if _SCALARS[key] is int else value


def _number(value: str) -> str | int:
    return int(value) if value.isascii() and value.lstrip("-").isdigit() else value


def _lay(layers: Layers, values: Mapping[str, Any], origin: Origin) -> None:
    _merge(layers.values, values, layers.origins, (), origin)


def _merge(
    into: dict[str, Any], values: Mapping[str, Any], origins: dict[Key, Origin], path: Key, origin: Origin
) -> None:
    for name, value in values.items():
        key = (*path, name)
        if isinstance(value, dict) and isinstance(into.get(name, {}), dict) and value:
            _merge(into.setdefault(name, {}), value, origins, key, origin)
            continue
        if isinstance(value, dict) and name in into and isinstance(into[name], dict):
            continue  # An empty table adds nothing.
        for known in [known for known in origins if known[: len(key)] == key]:
            del origins[known]
        origins[key] = origin
        into[name] = value
