"""What a search finds, bundles and the assets in them, as values and in their JSON shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Final

#: What stands before a ref so that it can be installed; the keys are the kinds of sources there are.
INSTALL_PREFIXES: Final = {"npm": "npm:", "github": "github:", "git": "git+", "local": "file:"}


def install_ref(source: str, ref: str) -> str:
    """Return what installs the entry `ref` of one of the kinds in `INSTALL_PREFIXES`."""
    return INSTALL_PREFIXES[source] + ref


@dataclass(frozen=True, slots=True)
class Hit:
    """One bundle that a registry offers. Empty texts are what its index does not tell.

    `metadata` holds texts only. Scores compare hits of one registry until a search has merged them.
    """

    id: str
    title: str
    ref: str
    source: str
    score: float
    registry: str
    description: str = ""
    homepage: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_complete(self) -> bool:
        """Tell whether the hit says enough to be shown and installed."""
        return bool(self.id and self.title and self.ref) and _can_be_ranked(self.source, self.score)

    def as_json(self) -> dict[str, Any]:
        """Return the hit's JSON; what is empty is left out."""
        found = {
            "source": self.source,
            "id": self.id,
            "title": self.title,
            "description": self.description,
            "ref": self.ref,
            "installRef": install_ref(self.source, self.ref),
            "homepage": self.homepage,
            "score": self.score,
            "metadata": dict(self.metadata),
            "registryName": self.registry,
        }
        return {key: value for key, value in found.items() if value not in ("", {})}


@dataclass(frozen=True, slots=True)
class AssetHit:
    """One asset (a skill, a workflow, ...) of a bundle that a registry offers.

    `bundle_id`, `bundle_title`, `ref` and `source` are the bundle's. `estimated_tokens` is None when the
    index does not tell.
    """

    type: str
    name: str
    bundle_id: str
    bundle_title: str
    ref: str
    source: str
    score: float
    registry: str
    description: str = ""
    tags: tuple[str, ...] = ()
    estimated_tokens: float | None = None

    @property
    def is_complete(self) -> bool:
        """Tell whether the asset says enough to be shown and its bundle installed."""
        named = self.type and self.name and self.bundle_id and self.ref
        return bool(named) and _can_be_ranked(self.source, self.score)

    def as_json(self) -> dict[str, Any]:
        """Return the asset's JSON; what is empty is left out."""
        found = {
            "assetType": self.type,
            "assetName": self.name,
            "description": self.description,
            "tags": list(self.tags),
            "estimatedTokens": self.estimated_tokens,
            "stash": {"id": self.bundle_id, "name": self.bundle_title},
            "ref": self.ref,
            "installRef": install_ref(self.source, self.ref),
            "score": self.score,
            "registryName": self.registry,
        }
        return {key: value for key, value in found.items() if value not in ("", [], None)}


@dataclass(frozen=True, slots=True)
class Found:
    """What one registry's answer holds for a query, best first; `note` is what a person should know of it."""

    hits: list[Hit]
    assets: list[AssetHit]
    note: str | None = None


def _can_be_ranked(source: str, score: float) -> bool:
    return source in INSTALL_PREFIXES and isfinite(score)
