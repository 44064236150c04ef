"""`akm config show`: every setting, its value, and where it came from."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from akm import config
from akm.cli import output
from akm.cli.tables import Table
from akm.errors import NotFoundError
from akm.registry import urls
from akm.spelling import suggestion

Key = Annotated[str | None, typer.Argument(metavar="[KEY]", help="One setting or section, such as workflow.")]


def show(key: Key = None) -> None:
    """Show every setting with its value and where it came from."""
    layers = config.read()
    entries = config.entries(layers, config.load(layers=layers))
    for warning in config.warnings(layers):
        output.warn(warning)
    settings = [
        {"key": name, "value": urls.redacted(value) if isinstance(value, str) else value, "origin": origin}
        for name, value, origin in entries
        if key is None or name == key or name.startswith(f"{key}.")
    ]
    if key is not None and not settings:
        known = dict.fromkeys(part for name, _, _ in entries for part in (name.partition(".")[0], name))
        raise NotFoundError(
            f"No setting {key!r} is set.", code="SETTING_NOT_FOUND", hint=suggestion(key, known)
        )
    output.show({"settings": settings}, render=_table, items="settings")


def _table(result: dict[str, Any]) -> list[Table]:
    rows = [
        (entry["key"], None if entry["value"] is None else _text(entry["value"]), entry["origin"])
        for entry in result["settings"]
    ]
    return [Table(("setting", "value", "where from"), rows)]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
