"""Rows of the registry cache: the last answers of registries, with what asks whether they still hold."""

from __future__ import annotations

from typing import Final

from akm.adopting import fields
from akm.adopting.fields import Found, Reader
from akm.services.adoption import Row

CACHED: Final[dict[str, Reader]] = {
    "registry_url": fields.identifier,
    "fetched_at": fields.moment,
    "etag": fields.text,
    "last_modified": fields.text,
    "index_json": fields.json_text,
}


def cached(found: Found) -> Row:
    """Read an answer's row. Raises Unusable."""
    row = fields.mapped(found, CACHED)
    return row | {"index_json": row["index_json"] or "{}"}
