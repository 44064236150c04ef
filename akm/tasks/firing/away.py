"""Whether a task is missing only because its bundle is not there at the moment."""

from __future__ import annotations

from akm import paths
from akm.tasks.catalog import File


def is_away(file: File) -> bool:
    """Tell whether a folder on the way cannot be read, the bundle's is empty as a mount point is, or a link
    leads nowhere.

    A disk that is not mounted deletes no task, so what it holds stays switched on and scheduled.
    """
    try:
        if not any(file.root.iterdir()):
            return True
    except OSError:
        return True
    if paths.is_shut(file.path):
        return True
    return any(link.is_symlink() and not link.exists() for link in (file.path.parent, file.path))
