"""Finding the program of a task on the PATH that its process will have, before anything is written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from akm.engine.runners import program
from akm.errors import ConfigError


def find(who: str, names: Sequence[str], *, cwd: Path, path: str | None) -> tuple[str, str]:
    """Return the first of `names` that is installed, and its file; `path` None is the system's default.

    Raises ConfigError `PROGRAM_NOT_FOUND`; `who` begins its sentence.
    """
    for name in names:
        found = program.find(name, cwd=str(cwd), path=path)
        if found is not None:
            return name, found
    raise ConfigError(f"{who} needs {_lacking(names, cwd, path)}", code="PROGRAM_NOT_FOUND")


def _lacking(names: Sequence[str], cwd: Path, path: str | None) -> str:
    if "/" in names[0] or not names[0]:
        return f"{names[0] or 'a program'}: {program.why_not_found(names[0], cwd=str(cwd))}."
    if path is None:
        where = (
            "there is no PATH to look on: set PATH, or run `akm task sync` where it is set, which records it"
        )
    else:
        where = (
            "no such program is on the PATH: install it, or set a PATH that has it (for scheduled tasks: run "
            "`akm task sync` there)"
        )
    return f"{' or '.join(names)}, and {where}."
