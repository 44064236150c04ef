"""The provider of skills.sh: a search service for skills, asked anew for each query."""

from __future__ import annotations

import hashlib
import json
import re
from math import isfinite
from typing import Any, Final, TypedDict
from urllib.parse import quote

from akm.errors import ResponseError
from akm.registry import scoring, urls
from akm.registry.answer import UNUSABLE, Unusable
from akm.registry.hit import AssetHit, Found, Hit
from akm.registry.provider import Origin, Request
from akm.registry.source import Source
from akm.workflow import json_values

TTL_MS: Final = 15 * 60 * 1000
_REPOSITORY = re.compile(r"[^/\s]+/[^/\s]+\Z")
#: What a URL's query may hold as it is; everything else is percent-encoded.
_UNQUOTED = "!~*'()"


class Skill(TypedDict):
    """One skill. `source` is its repository, as `owner/name`."""

    id: str
    name: str
    installs: float
    source: str


def request(source: Source, query: str, limit: int) -> Request:
    """Ask for one query's skills, cached for a quarter of an hour."""
    wanted = query.strip()
    parts = f"{source.url}\0{wanted.lower()}\0{limit}"
    digest = hashlib.md5(parts.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
    searched = quote(wanted, safe=_UNQUOTED, errors="replace")
    return Request(
        f"{_base(source)}/api/search?q={searched}&limit={limit}", f"skills-sh:{digest}", TTL_MS, retries=1
    )


def read(text: str, source: Source, *, origin: Origin) -> list[Skill] | Unusable:
    """Read the answer's skills, or a list of them cached before; what is no skill is left out.

    An answer of another shape holds no skills. A cached text that is no JSON is unusable, and so is an empty
    list past its time, because it would pass the failure off as "nothing found".
    """
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        if origin != "network":
            return UNUSABLE
        raise ResponseError(f"The answer of {urls.shown(source.url)} is not JSON.") from None
    listed = answer.get("skills") if isinstance(answer, dict) else answer if origin != "network" else None
    skills = [skill for skill in map(_skill, listed) if skill] if isinstance(listed, list) else []
    return UNUSABLE if origin == "stale" and not skills else skills


def hits(skills: list[Skill], source: Source, query: str, *, limit: int, assets: bool) -> Found:  # noqa: ARG001
    """Return the skills in their order, scored by how often each was installed, compared with the most."""
    kept = skills[:limit]
    most = max([1, *(skill["installs"] for skill in kept)])
    scored = [(round(skill["installs"] / most, scoring.DECIMALS), skill) for skill in kept]
    return Found(
        [_hit(skill, source, score) for score, skill in scored],
        [_asset_hit(skill, source, score) for score, skill in scored if assets],
    )


def _base(source: Source) -> str:
    return source.url.rstrip("/")


def _skill(raw: Any) -> Skill | None:
    if not isinstance(raw, dict) or not all(_is_text(raw.get(key)) for key in ("id", "name", "source")):
        return None
    installs: Any = raw.get("installs")
    is_count = type(installs) is int or (type(installs) is float and isfinite(installs))
    if not is_count or not _REPOSITORY.match(raw["source"]):
        return None
    return Skill(id=raw["id"], name=raw["name"], installs=installs, source=raw["source"])


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value) and not json_values.has_surrogate(value)


def _hit(skill: Skill, source: Source, score: float) -> Hit:
    return Hit(
        id=f"skills-sh:{skill['id']}",
        title=skill["name"],
        ref=skill["source"],
        source="github",
        score=score,
        registry=source.name,
        homepage=f"{_base(source)}/{skill['id']}",
        metadata={"installs": str(skill["installs"]), "author": skill["source"].partition("/")[0]},
    )


def _asset_hit(skill: Skill, source: Source, score: float) -> AssetHit:
    return AssetHit(
        type="skill",
        name=skill["name"],
        bundle_id=f"skills-sh:{skill['id']}",
        bundle_title=skill["name"],
        ref=skill["source"],
        source="github",
        score=score,
        registry=source.name,
    )
