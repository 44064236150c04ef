"""`akm info`: what is installed and where everything is, for people who look for a mistake."""

from __future__ import annotations

import os
import platform
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import akm
from akm import config, paths, scope
from akm.cli import output
from akm.errors import AkmError


def info() -> None:
    """Show versions, directories, the database, and the scope of the working directory."""
    cwd = paths.working_directory()
    layers = config.read(cwd)
    bundles = config.bundles(layers)
    anchor = scope.anchor(cwd, bundles)
    engines = layers.values.get("engines")
    result = {
        "akm": akm.__version__,
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "directories": {
            "config": str(paths.config_dir()),
            "data": str(paths.data_dir()),
            "state": str(paths.state_dir()),
            "cache": str(paths.cache_dir()),
        },
        "database": _database(config.database(layers)),
        "engines": sorted(engines) if isinstance(engines, dict) else [],
        "bundles": list(bundles),
        "scope": {"anchor": str(anchor), "key": scope.key(anchor)},
    }
    output.show(result, render=_lines)


def _database(database: config.Database) -> dict[str, Any]:
    found: dict[str, Any] = {"path": str(database.path), "synchronous": database.synchronous}
    if not os.path.isfile(database.path):
        return found | {"bytes": None, "revision": None}
    found["bytes"] = os.path.getsize(database.path)
    try:
        return found | {"revision": _revision(database.path)}
    except AkmError as error:  # This command is how a person looks for what is wrong.
        return found | {"revision": None, "problem": error.message}


def _revision(file: Path) -> str | None:
    from akm.store import schema
    from akm.store.connect import connect, translated

    with closing(connect(file, read_only=True)) as connection, translated(file):
        return schema.revision(connection)


def _lines(result: dict[str, Any]) -> list[str]:
    database = result["database"]
    size = "not there yet" if database["bytes"] is None else f"{database['bytes']} bytes"
    return [
        f"akm {result['akm']}, Python {result['python']}, SQLite {result['sqlite']}",
        *(f"{name + ':':<12}{path}" for name, path in result["directories"].items()),
        f"{'database:':<12}{database['path']} ({size}, revision {database['revision'] or 'none'})",
        *([f"{'problem:':<12}{database['problem']}"] if "problem" in database else []),
        f"{'engines:':<12}{', '.join(result['engines']) or 'none'}",
        f"{'bundles:':<12}{', '.join(result['bundles']) or 'none'}",
        f"{'scope:':<12}{result['scope']['anchor']} ({result['scope']['key']})",
    ]
