"""Which registries there are: the environment's, else the built-in ones and those of the configuration."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from akm import config_layers, paths
from akm.config_layers import Layers
from akm.errors import ConfigError, NotFoundError
from akm.registry import urls
from akm.registry.providers import PROVIDERS
from akm.registry.source import Source
from akm.spelling import dotted, suggestion

if TYPE_CHECKING:
    from akm.settings import Config, RegistrySource

VARIABLE: Final = "AKM_REGISTRY_URL"
DEFAULTS: Final = (
    Source("official", "https://raw.githubusercontent.com/itlackey/akm-registry/main/index.json"),
    Source("skills-sh", "https://skills.sh", provider="skills-sh", enabled=False),
)
BUILT_IN: Final = {source.name: source for source in DEFAULTS}
#: One item of the variable: `<provider>::<url>`, or a URL alone.
_ITEM = re.compile(r"(?:([\w-]+)::)?(.+)\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Known:
    """The registries in their order, enabled or not, and one sentence per entry that is ignored."""

    sources: tuple[Source, ...]
    warnings: tuple[str, ...] = ()


def known(layers: Layers, config: Config, environ: Mapping[str, str] = os.environ) -> Known:
    """List the registries; an entry that cannot be used is ignored with a warning."""
    warnings: list[str] = []
    items = [item.strip() for item in environ.get(VARIABLE, "").split(",") if item.strip()]
    if items:
        found = list(_of_environment(items, warnings))
    else:
        found = list(_of_configuration(config.registries, layers, warnings))
    ttl = config.registry.ttl_seconds
    return Known(tuple(replace(source, ttl_seconds=ttl) for source in found), tuple(warnings))


def chosen(sources: Sequence[Source], name: str | None = None) -> tuple[Source, ...]:
    """Return the enabled registries; with a name that one, enabled or not.

    Raises NotFoundError SOURCE_NOT_FOUND when there is none of that name.
    """
    if name is None:
        return tuple(source for source in sources if source.enabled)
    found = tuple(source for source in sources if source.name == name)
    if not found:
        names = [source.name for source in sources]
        raise NotFoundError(
            f"There is no registry named {name!r}.",
            code="SOURCE_NOT_FOUND",
            hint=suggestion(name, names) or f"There are: {', '.join(names) or 'none'}.",
        )
    return found


def _of_environment(items: Sequence[str], warnings: list[str]) -> Iterator[Source]:
    names: set[str] = set()
    for number, item in enumerate(items, start=1):
        match = _ITEM.match(item)
        provider, url = (match[1] or "static-index", match[2]) if match else ("static-index", item)
        if fault := _fault(url, provider):
            warnings.append(f"{VARIABLE}: item {number} is ignored: {fault}")
            continue
        name = unused(urlsplit(url).hostname or "registry", names)
        names.add(name)
        yield Source(name, url, provider, origin=f"environment {VARIABLE}")


def _of_configuration(
    entries: Mapping[str, RegistrySource], layers: Layers, warnings: list[str]
) -> Iterator[Source]:
    """List the built-in ones, unless an entry of their name or their URL stands for them, and the entries."""
    said = {name: _configured(name, entry, layers) for name, entry in entries.items()}
    used = {address(source.url) for source in said.values()}
    own = {
        name: source for name, source in BUILT_IN.items() if name in said or address(source.url) not in used
    }
    for name, source in (own | said).items():
        key = ("registries", name)
        if name in said and (fault := _fault(source.url, source.provider)):
            warnings.append(f"{config_layers.place(layers, key)}: {dotted(key)} is ignored: {fault}")
        elif source.allow_private and not _is_allowed(key, layers):
            place = config_layers.place(layers, (*key, "allow_private"))
            warnings.append(
                f"{place}: {dotted(key)}.allow_private is ignored: a private network is opened only by your "
                f"own file, {paths.user_config_file()}, which has to hold the registry's URL as well."
            )
            yield replace(source, allow_private=False)
        else:
            yield source


def _configured(name: str, entry: RegistrySource, layers: Layers) -> Source:
    """Return what an entry says: all of a registry, or, without a URL, what differs from the built-in one."""
    said = entry.model_dump(exclude_unset=True, exclude={"url"})
    base = BUILT_IN.get(name) if entry.url is None else None
    base = base or Source(name, entry.url or "")
    key = ("registries", name)
    origin = next(str(where) for known, where in layers.origins.items() if known[: len(key)] == key)
    return replace(base, **said, origin=str(layers.origins.get((*key, "url"), origin)))


def _is_allowed(key: tuple[str, ...], layers: Layers) -> bool:
    """Tell whether the user's own file opens the private network, and for a URL that no other file gave."""
    said = (layers.origins.get((*key, name)) for name in ("allow_private", "url"))
    return all(origin is None or origin.where == "user file" for origin in said)


def _fault(url: str, provider: str) -> str | None:
    """Say why there can be no such registry, without credentials; None when there can."""
    if not url:
        return "it has no url."
    try:
        urls.check(url)
    except ConfigError as error:
        return f"{error.message} {error.hint or ''}".strip()
    if provider not in PROVIDERS:
        advice = suggestion(provider, PROVIDERS) or f"There are: {', '.join(PROVIDERS)}."
        return f"there is no provider {provider!r}. {advice}"
    return None


def address(url: str) -> str:
    """Return what two spellings of one registry's URL have in common."""
    return url.rstrip("/")


def unused(name: str, taken: Collection[str]) -> str:
    """Return `name`, with a number after it when it is taken."""
    number = 1
    free = name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    return free
