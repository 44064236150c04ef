"""What tasks remember from one process to the next: small JSON files of akm's own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from akm import paths, private_files
from akm.errors import ConfigError


def keep(file: Path, value: Mapping[str, str]) -> None:
    """Make `value` the content of a file. Raises ConfigError; the file is as it was then."""
    paths.create(file.parent)
    try:
        private_files.write(file, json.dumps(value).encode())
    except OSError as error:
        raise ConfigError(f"The file {file} cannot be written: {error.strerror}.") from error
