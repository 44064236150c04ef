"""Taking a bundle out of the configuration, and deleting the clone that akm made when that is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from akm.bundles import clones, configured
from akm.bundles.configured import Bundle


@dataclass(frozen=True, slots=True)
class Removed:
    """A bundle as it was; `is_clone` says that its folder lies among the clones."""

    bundle: Bundle
    is_clone: bool
    deleted: bool

    def shown(self) -> dict[str, Any]:
        """Shape it as JSON."""
        return {"bundle": self.bundle.shown(), "isClone": self.is_clone, "deleted": self.deleted}


def remove(name: str, *, delete: bool = False) -> Removed:
    """Remove a bundle from the user's configuration file, and then its clone if `delete` says so.

    Raises NotFoundError and UsageError as `configured.remove` does, and UsageError, with nothing changed, for
    a folder to delete that is no clone of akm's.
    """
    path = configured.one(name).path
    is_clone = clones.holds(path)
    if not delete:
        return Removed(configured.remove(name), is_clone, False)
    clones.refuse_others(path)
    with clones.held():
        removed = configured.remove(name)
        clones.delete(path)
    return Removed(removed, is_clone, True)
