"""Which program runs a script, by the ending of its name. Finding and starting it are not here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from akm.errors import UsageError

#: The closed table, by the ending in lower case. The script's path follows.
INTERPRETERS: Mapping[str, tuple[str, ...]] = {
    ".sh": ("sh",),
    ".ts": ("bun",),
    ".js": ("bun",),
    ".py": ("python",),
    ".rb": ("ruby",),
    ".go": ("go", "run"),
    ".pl": ("perl",),
    ".php": ("php",),
    ".lua": ("lua",),
    ".r": ("rscript",),
    ".swift": ("swift",),
    ".kt": ("kotlin",),
    ".kts": ("kotlinc", "-script"),
    ".ps1": ("powershell", "-NoProfile", "-NonInteractive", "-File"),
    ".cmd": ("cmd", "/d", "/s", "/c"),
    ".bat": ("cmd", "/d", "/s", "/c"),
}
#: How a program of the table is called where it does not have that name.
_OTHER_NAMES: Mapping[str, tuple[str, ...]] = {
    "python": ("python3",),
    "rscript": ("Rscript",),
    "powershell": ("pwsh",),
}


def interpreter(path: Path) -> tuple[str, ...]:
    """Return what stands before the script's path. Raises UsageError `TASK_TARGET_UNSUPPORTED`."""
    found = INTERPRETERS.get(path.suffix.lower())
    if found is None:
        endings = ", ".join(INTERPRETERS)
        raise UsageError(
            f"Nothing is known to run {path.name}: give the script one of the endings {endings}.",
            code="TASK_TARGET_UNSUPPORTED",
        )
    return found


def names(program: str) -> tuple[str, ...]:
    """Return the names under which a program of the table may be installed, the usual one first."""
    return (program, *_OTHER_NAMES.get(program, ()))
