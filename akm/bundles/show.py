"""One bundle in full: where it is, where it came from, and the names of what it holds."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from akm.bundles import configured, contents

_README = "README.md"
_MOST_BYTES = 10_000
#: How a line of Markdown begins that is no prose.
_NO_PROSE = ("#", "<", "!", "[", "=", "-", "|", "`", ">")


def show(name: str) -> dict[str, Any]:
    """Describe a configured bundle; contents that are not there are empty. Raises NotFoundError.

    Each kind of contents is `{count, names}`; of secrets, too, only the names are read. The description is
    the first paragraph of the folder's README.md.
    """
    bundle = configured.one(name)
    held = contents.contents(bundle.path)._asdict()
    shown = bundle.shown()
    # Told below with their names, and both from one look at the folder.
    del shown["workflows"]
    return shown | {
        "description": _description(bundle.path),
        "contents": {kind: {"count": len(names), "names": list(names)} for kind, names in held.items()},
    }


def _description(folder: Path) -> str | None:
    file = folder / _README
    if not os.path.isfile(file):
        return None
    try:
        with open(file, "rb") as stream:
            text = stream.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return None
    paragraphs = (" ".join(part.split()) for part in text.replace("\r\n", "\n").split("\n\n"))
    return next((part for part in paragraphs if part and not part.startswith(_NO_PROSE)), None)
