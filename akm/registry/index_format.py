"""What an index file holds, read into a normalised form that is plain JSON. Searching it is not here."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any, Final, NotRequired, TypedDict, cast

from akm.registry.hit import INSTALL_PREFIXES
from akm.workflow import json_values

#: The versions that are read, both with their entries under `stashes`.
VERSIONS: Final = (2, 3)
_REQUIRED = ("id", "name", "ref", "source")
_TEXTS = ("description", "homepage", "author", "license", "latestVersion")
_LISTS = ("tags", "assetTypes")


class Asset(TypedDict):
    """One asset of an entry."""

    type: str
    name: str
    description: NotRequired[str]
    tags: NotRequired[list[str]]
    estimatedTokens: NotRequired[float]


class Entry(TypedDict):
    """One bundle that the index offers. What it does not tell, or tells as something else, is absent."""

    id: str
    name: str
    ref: str
    source: str
    description: NotRequired[str]
    homepage: NotRequired[str]
    author: NotRequired[str]
    license: NotRequired[str]
    latestVersion: NotRequired[str]
    tags: NotRequired[list[str]]
    assetTypes: NotRequired[list[str]]
    assets: NotRequired[list[Asset]]


class Index(TypedDict):
    """A normalised index. `dropped` counts the entries of the original that could not be used."""

    version: int
    updatedAt: str
    stashes: list[Entry]
    dropped: int


class IndexFault(Exception):
    """The text is no index. `sentence_end` completes "The index at <URL> ..."; `hint` says what helps."""

    def __init__(self, sentence_end: str, hint: str = "The registry must publish a valid index.") -> None:
        super().__init__(sentence_end)
        self.sentence_end = sentence_end
        self.hint = hint


def read(text: str) -> Index:
    """Read an index as published, or as normalised before. Raises IndexFault.

    Entries without what is needed are left out and counted; unknown keys are ignored.
    """
    root = _object(text)
    _check_version(root)
    if not isinstance(root.get("updatedAt"), str):
        raise IndexFault("is no valid registry index: `updatedAt` must be text")
    if not isinstance(root.get("stashes"), list):
        raise IndexFault("is no valid registry index: `stashes` must be a list")
    entries = [entry for entry in map(_entry, root["stashes"]) if entry is not None]
    before = root.get("dropped")
    dropped = len(root["stashes"]) - len(entries) + (before if type(before) is int else 0)
    return {
        "version": int(root["version"]),
        "updatedAt": _text(root["updatedAt"]),
        "stashes": entries,
        "dropped": dropped,
    }


def _object(text: str) -> dict[str, Any]:
    try:
        root = json.loads(text)
    except (ValueError, RecursionError):
        raise IndexFault("is not JSON") from None
    if not isinstance(root, dict):
        raise IndexFault("is no valid registry index: it must be a JSON object")
    return root


def _check_version(root: dict[str, Any]) -> None:
    version = root.get("version")
    if "stashes" not in root and "kits" in root:
        raise IndexFault(
            "is in an old format: it lists its entries under `kits`, and `stashes` is missing",
            "The registry must publish a newer index: version 3, with its entries under `stashes`.",
        )
    if type(version) is int and version > max(VERSIONS):
        raise IndexFault(
            f"is newer than this akm: it is version {version}, and versions 2 and 3 are read",
            "Upgrade akm.",
        )
    if type(version) is not int or version not in VERSIONS:
        raise IndexFault("is no valid registry index: `version` must be 3 (or 2, with `stashes`)")


def _entry(raw: Any) -> Entry | None:
    if not _has_texts(raw, _REQUIRED) or raw["source"] not in INSTALL_PREFIXES:
        return None
    entry: dict[str, Any] = {key: _text(raw[key]) for key in _REQUIRED}
    entry |= {key: _text(raw[key]) for key in _TEXTS if isinstance(raw.get(key), str)}
    entry |= {key: texts for key in _LISTS if (texts := _texts(raw.get(key)))}
    listed = raw.get("assets")
    assets = [asset for asset in map(_asset, listed) if asset] if isinstance(listed, list) else []
    return cast(Entry, entry | ({"assets": assets} if assets else {}))


def _asset(raw: Any) -> Asset | None:
    if not _has_texts(raw, ("type", "name")):
        return None
    asset = Asset(type=_text(raw["type"]), name=_text(raw["name"]))
    if isinstance(raw.get("description"), str):
        asset["description"] = _text(raw["description"])
    if tags := _texts(raw.get("tags")):
        asset["tags"] = tags
    tokens = raw.get("estimatedTokens")
    if type(tokens) is int or (type(tokens) is float and isfinite(tokens)):
        asset["estimatedTokens"] = tokens
    return asset


def _has_texts(raw: Any, keys: tuple[str, ...]) -> bool:
    return isinstance(raw, dict) and all(isinstance(raw.get(key), str) and raw[key] for key in keys)


def _texts(raw: Any) -> list[str]:
    return [_text(item) for item in raw if isinstance(item, str)] if isinstance(raw, list) else []


def _text(raw: str) -> str:
    # JSON can spell half a surrogate pair, which nothing could print.
    if not json_values.has_surrogate(raw):
        return raw
    return raw.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
