"""The registries that files name or akm brings along, as a change finds and leaves them.

Changing them is `registration`'s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from akm import config
from akm.config_layers import Layers
from akm.errors import NotFoundError
from akm.registry import sources, urls
from akm.registry.source import Source
from akm.registry.sources import Known, address
from akm.settings import Config
from akm.spelling import suggestion


@dataclass(frozen=True, slots=True)
class Registered:
    """A registry that is built in or configured. `url` is without credentials; an entry may have none."""

    name: str
    url: str
    enabled: bool


@dataclass(frozen=True, slots=True)
class Change:
    """What became of a registry, in one sentence, and which registries there are now."""

    message: str
    registries: tuple[Source, ...]
    warnings: tuple[str, ...]
    entry: dict[str, Any] | None
    added: bool = False
    removed: bool = False

    def as_json(self, *, did: str) -> dict[str, Any]:
        """Return the JSON; `did` is `added` or `removed`."""
        found = {
            "registries": [source.as_json() for source in self.registries],
            did: getattr(self, did),
            "entry": self.entry,
            "message": self.message,
        }
        return {key: value for key, value in found.items() if value is not None}


def find(target: str) -> Registered:
    """Find a registry by its name or its URL, also one that is ignored for a fault.

    Raises NotFoundError SOURCE_NOT_FOUND.
    """
    _, loaded, known = read()
    found = {one.name: Registered(one.name, urls.shown(one.url), one.enabled) for one in known.sources}
    for name, entry in loaded.registries.items():
        found.setdefault(name, Registered(name, urls.redacted(entry.url or ""), entry.enabled))
    wanted = urls.redacted(target)
    by_url = (one for one in found.values() if wanted and address(one.url) == address(wanted))
    one = found.get(target) or next(by_url, None)
    if one is None:
        raise NotFoundError(
            f"There is no registry {wanted!r}.",
            code="SOURCE_NOT_FOUND",
            hint=suggestion(wanted, [*found, *(one.url for one in found.values())])
            or f"There are: {', '.join(found)}.",
        )
    return one


def read() -> tuple[Layers, Config, Known]:
    """Read the files as they are now, the whole configuration, and the registries in them.

    The environment is left out, because it would hide what the files say.
    """
    layers = config.read()
    loaded = config.load(layers=layers)
    return layers, loaded, sources.known(layers, loaded, {})


def changed(
    message: str, name: str, *, before: Registered | None = None, added: bool = False, removed: bool = False
) -> Change:
    """Read again what there is now, as the next command will find it."""
    known = read()[2]
    entry = next((source.as_json() for source in known.sources if source.name == name), None)
    if before is not None:
        entry = {"name": before.name, "url": before.url, "enabled": before.enabled}
        again = (one.name for one in known.sources if one.enabled and address(one.url) == address(before.url))
        message += "".join(f" {other} has the same URL and is still asked." for other in again)
    return Change(message, known.sources, known.warnings, entry, added, removed)
