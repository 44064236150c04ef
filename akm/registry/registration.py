"""Registries in the user's configuration file: one is added, taken out, or switched on and off.

What is built in is never taken out: it is switched off. Which registries that leaves is `sources`'s.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from akm import paths
from akm.config_layers import Layers
from akm.errors import UsageError
from akm.registry import sources, urls
from akm.registry.providers import PROVIDERS
from akm.registry.registered import Change, Registered, changed, read
from akm.registry.source import Source
from akm.registry.sources import BUILT_IN, address
from akm.settings import Config
from akm.spelling import dotted, suggestion

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*\Z")


def add(
    url: str,
    *,
    name: str | None = None,
    provider: str = "static-index",
    allow_insecure: bool = False,
    allow_private: bool = False,
) -> Change:
    """Add a registry under `name`, or under its host's; one that is known is at most switched on.

    Raises ConfigError REGISTRY_URL_INVALID for a URL with credentials or none at all, and UsageError for
    http without `allow_insecure`, an unknown provider, and a name that is taken or cannot be used.
    """
    _check(url, provider, allow_insecure=allow_insecure)
    layers, loaded, known = read()
    there = next((one for one in known.sources if address(one.url) == address(url)), None)
    if there is not None:
        return _switched_on(there, layers, loaded)
    taken = {source.name for source in known.sources} | set(loaded.registries)
    chosen = sources.unused(_of_host(url), taken) if name is None else _checked_name(name, taken)
    values: dict[str, str | bool] = {"url": url}
    if provider != "static-index":
        values["provider"] = provider
    if allow_private:
        values["allow_private"] = True
    _write(chosen, values, is_there=False)
    return changed(f"Registry {chosen} is {urls.shown(url)}.", chosen, added=True)


def remove(found: Registered) -> Change:
    """Take a registry out of the user's file; one that is built in is switched off there.

    Raises UsageError when another file has it.
    """
    layers, loaded, _ = read()
    name = found.name
    is_there = name in loaded.registries
    _refuse_others_file(name, layers)
    if name not in BUILT_IN:
        from akm.config_edit import file, tables

        file.edit(lambda text: tables.remove(text, ("registries", name)), entry=_entry_name(name))
        return changed(f"Registry {name} is not configured any more.", name, before=found, removed=True)
    if not found.enabled:
        return changed(f"Registry {name} is built in, and is switched off already.", name)
    _write(name, {"enabled": False}, is_there=is_there)
    return changed(
        f"Registry {name} is built in and cannot be removed: it is switched off now, with "
        f"`enabled = false` in {_entry_name(name)} of {paths.user_config_file()}.",
        name,
    )


def _switched_on(there: Source, layers: Layers, loaded: Config) -> Change:
    name = there.name
    if there.enabled:
        return changed(f"{urls.shown(there.url)} is there already, as {name}; nothing was changed.", name)
    _refuse_others_file(name, layers)
    _write(name, {"enabled": True}, is_there=name in loaded.registries)
    return changed(f"{urls.shown(there.url)} is there already, as {name}; it is switched on now.", name)


def _check(url: str, provider: str, *, allow_insecure: bool) -> None:
    urls.check(url)
    if urlsplit(url).scheme != "https" and not allow_insecure:
        raise UsageError(
            f"{urls.shown(url)} is not encrypted: whoever is on the way can change what it says.",
            hint="Give its https URL, or say --allow-insecure.",
        )
    if provider not in PROVIDERS:
        raise UsageError(
            f"There is no provider {provider!r}.",
            hint=suggestion(provider, PROVIDERS) or f"There are: {', '.join(PROVIDERS)}.",
        )


def _checked_name(name: str, taken: set[str]) -> str:
    if not _NAME.match(name):
        raise UsageError(f"{name!r} cannot name a registry: use letters, digits and `.`, `_`, `-`.")
    if name in taken:
        raise UsageError(
            f"There is a registry {name!r} already, with another URL.",
            code="RESOURCE_ALREADY_EXISTS",
            hint=f"Choose another name, or remove it first with `akm registry remove {name}`.",
        )
    return name


def _of_host(url: str) -> str:
    host = urlsplit(url).hostname or ""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", host).strip(".-_") or "registry"


def _write(name: str, values: Mapping[str, str | bool], *, is_there: bool) -> None:
    from akm.config_edit import file, tables
    from akm.config_edit import values as assignments

    change = assignments.put if is_there else tables.add
    file.edit(lambda text: change(text, ("registries", name), values), entry=_entry_name(name))


def _entry_name(name: str) -> str:
    return f"the entry `{dotted(('registries', name))}`"


def _refuse_others_file(name: str, layers: Layers) -> None:
    for key, origin in layers.origins.items():
        if key[:2] == ("registries", name) and origin.where != "user file":
            raise UsageError(f"Registry {name} is configured in {origin.name}: change that file by hand.")
