"""Writing a small file in one step. What is in it and whether it may be replaced is decided elsewhere."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from akm import paths
from akm.errors import ConfigError


def replace(file: Path, raw: bytes, *, mode: int = 0o644) -> None:
    """Make `raw` the content of a file. Raises ConfigError; the file is then as it was."""
    try:
        paths.create(file.parent)
        descriptor, draft = tempfile.mkstemp(prefix=f".{file.name[:32]}.", dir=file.parent)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(raw)
            os.chmod(draft, mode)
            os.replace(draft, file)
        except BaseException:
            os.unlink(draft)
            raise
    except OSError as error:
        raise ConfigError(f"The file {file} cannot be written: {error.strerror}.") from error
