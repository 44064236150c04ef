"""Scripts for commands that a line of a crontab cannot hold: too long, or with a line break."""

from __future__ import annotations

import hashlib
import shlex
from pathlib import Path

from akm import paths, private_files
from akm.errors import ConfigError
from akm.tasks.schedulers.row import LONGEST_LINE, Row, line


def fitting(row: Row, folder: Path) -> tuple[str, str | None]:
    """Return the row's line and, when the command does not fit into it, the script that the line names.

    Raises ValueError when no line can hold it.
    """
    if _fits(row.line):
        return row.line, None
    script = f"#!/bin/sh\n{row.command}\n"
    wrapped = line(row.expression, f"/bin/sh {shlex.quote(str(_file(folder, script)))}")
    if not _fits(wrapped) or "\0" in script:
        raise ValueError("its command cannot be written into a crontab: shorten the literal inputs")
    return wrapped, script


def write(script: str, folder: Path) -> None:
    """Write a script unless it is there as it should be, for its owner alone: literal inputs may be in it.

    Raises ConfigError when it cannot be written.
    """
    file, text = _file(paths.create(folder), script), script.encode("utf-8", "surrogateescape")
    try:
        if file.is_file() and file.read_bytes() == text:
            return
        private_files.write(file, text)
    except OSError as error:
        raise ConfigError(f"The script {file} cannot be written: {error.strerror}.") from error


def sweep(folder: Path, crontab: str) -> None:
    """Remove the scripts that the crontab names no more."""
    for file in folder.glob("*.sh"):
        if file.name not in crontab:
            file.unlink(missing_ok=True)


def _file(folder: Path, script: str) -> Path:
    return folder / f"{hashlib.sha256(script.encode('utf-8', 'surrogateescape')).hexdigest()[:32]}.sh"


def _fits(text: str) -> bool:
    return len(text.encode("utf-8", "surrogateescape")) < LONGEST_LINE and not {"\n", "\r"} & set(text)
