"""Where a secret's value comes from: a file of its bundle that only its owner reads, else the environment."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from akm.errors import NotFoundError, UsageError

FOLDER = "secrets"
_LARGEST = 64 * 1024


def resolve(name: str, root: Path, environment: Mapping[str, str]) -> str:
    """Return the value of a secret of the bundle at `root`, without a newline at its end.

    Raises NotFoundError FILE_NOT_FOUND when it is nowhere, UsageError when its file is open to others or no
    text. No message holds a value.
    """
    file = root / FOLDER / name
    try:
        return _read(file)
    except FileNotFoundError:
        pass
    value = environment.get(name)
    if not value:
        raise NotFoundError(
            f"The secret {name} is nowhere: there is no file {file}, and no variable {name} is set.",
            code="FILE_NOT_FOUND",
            hint=f"Write it to that file with mode 600, or set {name} in the environment.",
        )
    return value


def _read(file: Path) -> str:
    try:
        with open(file, "rb") as stream:
            _refuse_open(file, os.fstat(stream.fileno()).st_mode)
            found = stream.read(_LARGEST + 1)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise UsageError(f"The secret {file} cannot be read: {error.strerror}.") from error
    if len(found) > _LARGEST:
        raise UsageError(f"The secret {file} is larger than 64 KiB.")
    try:
        text = found.decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"The secret {file} is not UTF-8 text.") from None
    if "\0" in text:
        raise UsageError(f"The secret {file} holds a NUL, which no environment variable can.")
    return text.removesuffix("\n").removesuffix("\r")


def _refuse_open(file: Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise UsageError(f"The secret {file} is no regular file.")
    if mode & 0o077:
        raise UsageError(f"The secret {file} can be read by others: run `chmod 600 {file}`.")
