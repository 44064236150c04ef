"""The provider of static indexes: one JSON file that lists bundles, fetched whole and searched here."""

from __future__ import annotations

from akm.errors import ResponseError
from akm.registry import index_format, scoring, urls
from akm.registry.hit import AssetHit, Found, Hit
from akm.registry.index_format import Asset, Entry, Index, IndexFault
from akm.registry.provider import Listed, Origin, Request
from akm.registry.source import Source
from akm.spelling import counted


def request(source: Source, query: str, limit: int) -> Request:  # noqa: ARG001 - the index is one for all
    """Ask for the whole index, cached under its URL for as long as the source says."""
    return Request(source.url, source.url, source.ttl_seconds * 1000)


def read(text: str, source: Source, *, origin: Origin) -> Index:
    """Read an index, fetched or cached. Raises ResponseError when it is none."""
    try:
        return index_format.read(text)
    except IndexFault as fault:
        shown = urls.shown(source.url)
        if origin == "network":
            raise ResponseError(f"The index at {shown} {fault.sentence_end}.", hint=fault.hint) from fault
        raise ResponseError(
            f"The cached index of {shown} is damaged: it {fault.sentence_end}.",
            hint="Refresh the registry.",
        ) from fault


def hits(index: Index, source: Source, query: str, *, limit: int, assets: bool) -> Found:
    """Find the bundles, and the assets if asked for, that hold words of the query, best first."""
    wanted = scoring.words(query)
    entries = scoring.ranked(((_score(wanted, entry), entry) for entry in index["stashes"]), limit)
    held = [(entry, asset) for entry in index["stashes"] for asset in entry.get("assets", []) if assets]
    found = scoring.ranked(((_asset_score(wanted, asset), (entry, asset)) for entry, asset in held), limit)
    return Found(
        [_hit(entry, source, score) for score, entry in entries],
        [_asset_hit(entry, asset, source, score) for score, (entry, asset) in found],
        _note(index),
    )


def listed(index: Index, source: Source) -> list[Listed]:
    """List every bundle of the index with its assets."""
    return [
        Listed(
            _hit(entry, source, 0.0),
            [_asset_hit(entry, asset, source, 0.0) for asset in entry.get("assets", [])],
        )
        for entry in index["stashes"]
    ]


def _note(index: Index) -> str | None:
    dropped = index["dropped"]
    if not dropped:
        return None
    entries = counted(dropped, "entry of the index is", "entries of the index are")
    return f"{entries} left out, without a usable id, name, ref or source"


def _score(wanted: list[str], entry: Entry) -> float:
    return scoring.score(
        wanted,
        name=entry["name"],
        tags=entry.get("tags", []),
        description=entry.get("description", ""),
        author=entry.get("author", ""),
    )


def _asset_score(wanted: list[str], asset: Asset) -> float:
    return scoring.score(
        wanted,
        name=asset["name"],
        tags=asset.get("tags", []),
        description=asset.get("description", ""),
        type=asset["type"],
    )


def _hit(entry: Entry, source: Source, score: float) -> Hit:
    metadata = {
        "version": entry.get("latestVersion", ""),
        "author": entry.get("author", ""),
        "license": entry.get("license", ""),
        "assetTypes": ", ".join(entry.get("assetTypes", [])),
    }
    return Hit(
        id=entry["id"],
        title=entry["name"],
        ref=entry["ref"],
        source=entry["source"],
        score=score,
        registry=source.name,
        description=entry.get("description", ""),
        homepage=entry.get("homepage", ""),
        metadata={key: value for key, value in metadata.items() if value},
    )


def _asset_hit(entry: Entry, asset: Asset, source: Source, score: float) -> AssetHit:
    return AssetHit(
        type=asset["type"],
        name=asset["name"],
        bundle_id=entry["id"],
        bundle_title=entry["name"],
        ref=entry["ref"],
        source=entry["source"],
        score=score,
        registry=source.name,
        description=asset.get("description", ""),
        tags=tuple(asset.get("tags", [])),
        estimated_tokens=asset.get("estimatedTokens"),
    )
