"""`akm registry cache`: what is kept of the registries' answers, and forgetting it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from akm import clock, config
from akm.cli import durations, ledger, output
from akm.cli.tables import Table
from akm.errors import NotFoundError, UsageError
from akm.registry import urls
from akm.spelling import counted, suggestion

Act = Annotated[
    str | None, typer.Argument(metavar="clear", help="Forget what is kept, instead of listing it.")
]
Key = Annotated[str | None, typer.Argument(metavar="KEY", help="Forget only what is kept under this key.")]


def cache(act: Act = None, key: Key = None) -> None:
    """List what is kept of the registries' answers, or with `clear` forget all of it or one key's."""
    if act not in (None, "clear"):
        raise UsageError("`akm registry cache` takes nothing, or `clear` and a key.")
    layers = config.read()
    kept = _entries(layers)
    if act is None:
        output.show({"entries": kept}, render=_table, items="entries")
        return
    if key is not None and key not in (keys := [entry["key"] for entry in kept]):
        raise NotFoundError(
            f"Nothing is kept under {urls.redacted(key)!r}.",
            code="REGISTRY_NOT_CACHED",
            hint=suggestion(key, keys) or "List the keys with `akm registry cache`.",
        )
    count = _clear(layers, key) if kept else 0
    output.show(
        {"ok": True, "cleared": count},
        render=lambda _: [counted(count, "kept answer was forgotten.", "kept answers were forgotten.")],
    )


def _entries(layers: config.Layers) -> list[dict[str, Any]]:
    """Read what is kept, without making a ledger that is not there."""
    from akm.views import registry_cache

    if not config.database(layers).path.exists():
        return []
    with ledger.opened(layers) as db:
        found = registry_cache.entries(db, at=clock.now())
    return [entry | {"key": urls.redacted(entry["key"])} for entry in found]


def _clear(layers: config.Layers, key: str | None) -> int:
    from akm.services import registry_cache

    with ledger.opened(layers) as db:
        return registry_cache.clear(db, key=key)


def _table(result: dict[str, Any]) -> tuple[Table]:
    rows = [
        (
            entry["key"],
            None if entry["ageSeconds"] is None else durations.age(entry["ageSeconds"]),
            f"{entry['size'] / 1000:.1f} kB",
            entry["fetchedAt"],
        )
        for entry in result["entries"]
    ]
    return (Table(("key", "age", "size", "fetched"), rows, "Nothing is kept of any registry."),)
