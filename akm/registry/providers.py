"""The table of providers: another kind of registry is one module and one line here."""

from __future__ import annotations

from akm.registry import skills_sh, static_index
from akm.registry.provider import Provider

PROVIDERS: dict[str, Provider] = {
    "static-index": static_index,
    "skills-sh": skills_sh,
}
