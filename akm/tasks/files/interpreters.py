"""Which program runs a script, by the ending of its name. Finding and starting it are not here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

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


def fault(script: str) -> str | None:
    """Say what keeps a script from being run at all, to complete "`uses` ..."; None when nothing does."""
    if Path(script).suffix.lower() in INTERPRETERS:
        return None
    endings = ", ".join(INTERPRETERS)
    return f"names a script that nothing is known to run; give it one of the endings {endings}"


def interpreter(script: Path) -> tuple[str, ...]:
    """Return what stands before the path of a script that has no `fault`."""
    return INTERPRETERS[script.suffix.lower()]


def names(program: str) -> tuple[str, ...]:
    """Return the names under which a program of the table may be installed, the usual one first."""
    return (program, *_OTHER_NAMES.get(program, ()))
