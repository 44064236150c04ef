"""Rows that can fire nothing any more, because their bundle or their akm is gone: find and remove them."""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection
from typing import Any

from akm.errors import UsageError
from akm.tasks.firing import activation, installation
from akm.tasks.schedulers import cron, crontab_text
from akm.tasks.schedulers.crontab_text import DISABLED, Block
from akm.tasks.schedulers.row import Installation, owner


def prune(*, ids: Collection[str] = (), is_preview: bool = True) -> dict[str, Any]:
    """Remove dead rows, all of them or those named; a preview only lists them. Call it under the lock.

    Returns `{candidates: [{id, reason}], removed}`. Raises UsageError when a named row is alive or not
    there; nothing is removed then.
    """
    text = cron.read()
    here, known = installation.here(), activation.bundles()
    dead = {
        block.native_id: reason
        for block in crontab_text.blocks(text)
        if (reason := _reason(block, here, {name for name, root in known.items() if root.is_dir()}))
    }
    alive = [native_id for native_id in ids if native_id not in dead]
    if alive:
        raise UsageError(
            f"{alive[0]} is no row that can be pruned: nothing was removed.",
            hint="`akm task prune` lists those that can.",
        )
    chosen = [native_id for native_id in dead if not ids or native_id in ids]
    if chosen and not is_preview:
        cron.write(crontab_text.edit(text, remove=chosen, put={}, path=installation.search_path()))
    return {
        "candidates": [{"id": native_id, "reason": dead[native_id]} for native_id in chosen],
        "removed": [] if is_preview else chosen,
    }


def _reason(block: Block, here: Installation, bundles: Collection[str]) -> str | None:
    whose = owner(block.native_id)
    if whose is None:
        return None
    if whose.installation == here.mark:
        return None if whose.bundle in bundles else "dead-bundle-path"
    return None if _starts(block.line.removeprefix(DISABLED)) else "invalid-context"


def _starts(line: str) -> bool:
    """Tell whether the program of a row is there; True when that cannot be told."""
    try:
        words = shlex.split(line.replace("\\%", "%"))
    except ValueError:
        return True
    absolute = [word for word in words if word.startswith("/") and not word.startswith("*/")]
    return not absolute or os.path.exists(absolute[0])
