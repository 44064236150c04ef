"""The registries that a command asks, and the cache that stands between."""

from __future__ import annotations

from functools import partial
from typing import Annotated, NamedTuple

import typer

from akm import config
from akm.cli import output
from akm.errors import ConfigError
from akm.registry import cache, sources
from akm.registry.asking import OpenCache
from akm.registry.source import Source

Registry = Annotated[
    str | None, typer.Option("--registry", metavar="NAME", help="Only this one, also if it is switched off.")
]
Offline = Annotated[bool, typer.Option("--offline", help="Ask nobody: use what is kept, whatever its age.")]


class Asked(NamedTuple):
    """What a command needs to ask registries."""

    sources: tuple[Source, ...]
    open_cache: OpenCache
    warnings: tuple[str, ...]


def asked(name: str | None) -> Asked:
    """Return the registries that are switched on, or the one of that name, and say which are ignored.

    Raises NotFoundError for an unknown name and ConfigError when none is left to be asked.
    """
    layers = config.read()
    known = sources.known(layers, config.load(layers=layers))
    for warning in known.warnings:
        output.warn(warning)
    chosen = sources.chosen(known.sources, name)
    if not chosen:
        raise ConfigError(
            "There is no registry to ask: all are switched off or ignored.",
            code="REGISTRY_NONE",
            hint="See them with `akm registry list`; add one with `akm registry add URL`.",
        )
    return Asked(chosen, partial(cache.opened, config.database(layers)), known.warnings)
