"""The directory a run belongs to: runs of one workflow are told apart by the scope they were started in."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from akm import paths


def anchor(cwd: Path, bundles: Mapping[str, Path]) -> Path:
    """Return the directory that `cwd` belongs to, with every symbolic link resolved.

    The nearest ancestor with akm's project configuration, else with `.git` (a file counts), else the
    innermost configured bundle that holds `cwd`, else `cwd` itself.
    """
    real = Path(os.path.realpath(cwd))
    configured = paths.nearest(real, (".akm/config.toml", ".akm/config.json"), os.path.isfile)
    return configured or paths.nearest(real, (".git",)) or _innermost(real, bundles) or real


def key(folder: Path) -> str:
    """Return the scope key of an anchor: `dir:v1:` and the SHA-256 of its path in hexadecimal."""
    import hashlib

    path = os.fspath(folder).replace(os.sep, "/")
    if os.name == "nt":
        path = path.lower()
    return f"dir:v1:{hashlib.sha256(os.fsencode(path)).hexdigest()}"


def _innermost(real: Path, bundles: Mapping[str, Path]) -> Path | None:
    roots = [Path(os.path.realpath(root)) for root in bundles.values()]
    holding = [root for root in roots if root == real or root in real.parents]
    return max(holding, key=lambda root: len(root.parts), default=None)
