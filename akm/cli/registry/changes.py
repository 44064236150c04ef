"""What a change of the registries leaves to be said."""

from __future__ import annotations

import os

from akm.cli import output
from akm.registry import sources
from akm.registry.registered import Change


def tell(change: Change) -> None:
    """Warn of entries that are ignored, and of a variable that hides all of them."""
    for warning in change.warnings:
        output.warn(warning)
    if os.environ.get(sources.VARIABLE, "").strip(" ,"):
        output.warn(f"While {sources.VARIABLE} is set, only the registries that it lists are asked.")
