"""Files and folders of akm's own that others can get at, as findings. Nothing is changed here.

akm makes them for their owner alone. One that was there before, or was opened since, may be so on purpose.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from akm import paths
from akm.engine import lock
from akm.errors import ConfigError
from akm.store import drafts, soundness
from akm.store.soundness import Finding

_GROUP: Final = 0o070
_OTHERS: Final = 0o007
_DIRECTORIES: Final = (paths.data_dir, paths.config_dir, paths.state_dir, paths.cache_dir)


def findings(database: Path) -> Iterator[Finding]:
    """Look at akm's directories and what lies right in them, and at the database wherever it is."""
    found = sorted({str(path) for path in _own(database) if _is_open(path)})
    yield from soundness.listed(
        ("modes", soundness.WARNING, "{} files or folders of akm's are open to others on this machine."),
        found,
        "Close each with `chmod go= PATH`, unless it is meant to be so.",
    )


def _own(database: Path) -> Iterator[Path]:
    database = Path(os.path.realpath(database))
    yield from (database, *drafts.companions(database), lock.folder(database))
    for directory in _DIRECTORIES:
        with suppress(ConfigError, OSError):
            folder = directory()
            yield folder
            yield from folder.iterdir()


def _is_open(path: Path) -> bool:
    """Tell whether others can do anything with it: a mode counts only where every folder lets them in."""
    reached = _GROUP | _OTHERS
    try:
        for folder in Path(os.path.realpath(path)).parents:
            mode = folder.stat().st_mode
            reached &= (_GROUP if mode & stat.S_IXGRP else 0) | (_OTHERS if mode & stat.S_IXOTH else 0)
        return bool(path.stat().st_mode & reached)
    except OSError:
        return False
