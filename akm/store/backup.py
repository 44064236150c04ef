"""Backing the ledger up into one file of one's own choice."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from akm.errors import UsageError
from akm.store import copies, drafts


def write(path: Path, target: Path, *, force: bool = False) -> dict[str, Any]:
    """Copy the ledger at `path` into the file `target` while others go on writing to it.

    Returns {path, backup, revision, bytes, rows, tables: {name: rows}}. `target` appears whole or not at all.
    Raises UsageError when it exists, unless `force`, and when it is a database in use; and as
    `copies.make` does.
    """
    target = Path(os.path.realpath(target))
    _refuse(path, target, force)
    with drafts.draft(target) as partial:
        made = copies.make(path, partial)
        rows = copies.counts(partial)
        drafts.put(partial, target)
    return {
        "path": str(path),
        "backup": str(target),
        "revision": made.revision,
        "bytes": made.bytes,
        "rows": sum(rows.values()),
        "tables": rows,
    }


def _refuse(path: Path, target: Path, force: bool) -> None:
    if target.is_dir():
        raise UsageError(f"{target} is a directory; name a file in it.")
    if target.exists() and path.exists() and target.samefile(path):
        raise UsageError(f"{target} is the database itself; name another file.")
    in_use = next((file for file in drafts.companions(target) if file.exists()), None)
    if in_use is not None:
        raise UsageError(
            f"{target} belongs to a database in use, because {in_use.name} is beside it; name another file."
        )
    if target.exists() and not force:
        raise UsageError(
            f"{target} exists already.",
            code="RESOURCE_ALREADY_EXISTS",
            hint="Choose another name, or overwrite it with --force.",
        )
