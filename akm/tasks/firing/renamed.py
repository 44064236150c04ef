"""Rows of the scheduler that still name a bundle by its old name. The bundle itself is renamed elsewhere."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from akm.errors import AkmError
from akm.tasks.firing import activation, installation, sync
from akm.tasks.schedulers import cron, crontab_text, lock
from akm.tasks.schedulers.crontab_text import Block
from akm.tasks.schedulers.row import owner


def follow(old: str, new: str) -> dict[str, Any] | None:
    """Sync the schedule when rows of this installation name the bundle `old`, which is called `new` now.

    Returns None when no row does. Never raises an AkmError: `{ok, result}` says what the sync did, and
    `{ok: false, error}` why it could not.
    """
    if not cron.is_there():
        return None
    try:
        if not _of_bundle(crontab_text.blocks(cron.read()), old):
            return None
        with lock.held():
            done = _synced(old, new)
    except AkmError as error:
        return {"ok": False, "error": error.message}
    return {"ok": not done["failures"], "result": done}


def _synced(old: str, new: str) -> dict[str, Any]:
    blocks = crontab_text.blocks(cron.read())
    if activation.enabled() is None:
        # Without a list it is today's rows that say what is switched on, and these have the old name.
        known = activation.bundles()
        stale = _of_bundle(blocks, old)
        renamed = [
            replace(one, native_id=new + one.native_id.removeprefix(old)) if one in stale else one
            for one in blocks
        ]
        activation.write(activation.chosen(renamed, installation.here().mark, known).refs)
    return sync.sync()


def _of_bundle(blocks: list[Block], bundle: str) -> list[Block]:
    mark = installation.here().mark
    owners = [(block, owner(block.native_id)) for block in blocks]
    return [
        block for block, whose in owners if whose and whose.installation == mark and whose.bundle == bundle
    ]
