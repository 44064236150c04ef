"""One bundle looked up by id or name in the indexes of registries, with every asset in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from akm import clock
from akm.errors import NotFoundError
from akm.registry import client, listing, outcome
from akm.registry.asking import Access, OpenCache
from akm.registry.client import Response
from akm.registry.outcome import Outcome
from akm.registry.provider import Listed
from akm.registry.source import Source
from akm.spelling import suggestion


@dataclass(frozen=True, slots=True)
class Entries:
    """Every bundle that is meant, in the order of the registries, and how each registry answered."""

    found: tuple[Listed, ...]
    outcomes: tuple[Outcome, ...]

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return one sentence for each registry that a person should know something about."""
        return outcome.warnings(self.outcomes)

    def as_json(self) -> dict[str, Any]:
        """Return the JSON: each bundle as a hit without a score, with its assets."""
        return {
            "entries": [_entry_json(one) for one in self.found],
            "registries": [one.as_json() for one in self.outcomes],
            "warnings": list(self.warnings),
        }


def find(
    wanted: str,
    *,
    sources: Sequence[Source],
    open_cache: OpenCache,
    offline: bool = False,
    now: Callable[[], str] = clock.now,
    get: Callable[..., Response] = client.get,
) -> Entries:
    """Find the bundles whose id is `wanted`, or else those of that name, whatever its case.

    Only registries whose whole index is fetched are looked into. Raises NotFoundError ENTRY_NOT_FOUND with
    what comes close, or the failure of the registries when none of them answered.
    """
    ended = listing.everything(sources, Access(open_cache, now, get, offline))
    outcomes = tuple(end for _, end in ended)
    listed = [entry for entries, _ in ended for entry in entries]
    found = [entry for entry in listed if entry.hit.id == wanted] or [
        entry for entry in listed if entry.hit.title.casefold() == wanted.casefold()
    ]
    if not found:
        raise outcome.failure(outcomes) or _not_found(wanted, listed, outcomes)
    return Entries(tuple(found), outcomes)


def _entry_json(entry: Listed) -> dict[str, Any]:
    assets = [
        _without(asset.as_json(), "stash", "ref", "installRef", "registryName") for asset in entry.assets
    ]
    return _without(entry.hit.as_json()) | {"assets": assets}


def _without(found: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in found.items() if key not in ("score", *keys)}


def _not_found(wanted: str, listed: list[Listed], outcomes: tuple[Outcome, ...]) -> NotFoundError:
    reasons = " ".join(one.warning for one in outcomes if one.error and one.warning)
    names = [name for entry in listed for name in (entry.hit.id, entry.hit.title)]
    return NotFoundError(
        f"No registry lists {wanted!r}." + (f" Not all could be asked: {reasons}" if reasons else ""),
        code="ENTRY_NOT_FOUND",
        hint=suggestion(wanted, names) or "Search for it first; ids look like github:owner/name.",
    )
