"""An index as the text of a file, and that file replaced whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from akm.engine.files import file_text
from akm.errors import UsageError


def text(index: Mapping[str, Any]) -> str:
    """Return the JSON that is published, which ends with a line break."""
    return json.dumps(index, ensure_ascii=False, indent=2) + "\n"


def write(file: Path, index: Mapping[str, Any]) -> None:
    """Put the index in the place of `file`. Raises UsageError when it cannot; `file` is as before then."""
    if file.exists() and not file.is_file():
        # A pipe or a device would be gone.
        raise UsageError(f"{file} is no file, so no index is written over it; name another one.")
    try:
        file_text.replace(file, text(index).encode())
    except OSError as error:
        raise UsageError(f"The index cannot be written to {file}: {error.strerror}.") from error
