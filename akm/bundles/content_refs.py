"""Which files of the configured bundles name a bundle in their text. They are looked at and never changed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

_FOLDERS = ("workflows", "tasks")
MOST_FILES = 10_000
MOST_BYTES = 1_000_000


def naming(bundle: str, bundles: Mapping[str, Path]) -> list[str]:
    """List the files with a ref of `bundle`, at most `MOST_FILES` looked at, `MOST_BYTES` of each."""
    # Of `my-team//x` only the end looks like a ref of `team`.
    ref = re.compile(rf"(?<![\w-]){re.escape(bundle)}//")
    roots = dict.fromkeys(bundles.values())
    files = (file for root in roots for folder in _FOLDERS for file in _files(str(root / folder)))
    looked_at = (file for file, _number in zip(files, range(MOST_FILES), strict=False))
    return [file for file in looked_at if ref.search(_text(file))]


def _files(folder: str) -> Iterator[str]:
    for place, folders, names in os.walk(folder):
        folders.sort()
        yield from (os.path.join(place, name) for name in sorted(names))


def _text(file: str) -> str:
    # Anything else than a regular file may have no end.
    if not os.path.isfile(file):
        return ""
    try:
        with open(file, "rb") as stream:
            content = stream.read(MOST_BYTES)
    except OSError:
        return ""
    return "" if b"\0" in content else content.decode("utf-8", "replace")
