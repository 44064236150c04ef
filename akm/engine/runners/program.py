"""Finding the file that a unit's first argument names, on the unit's own PATH, and why nothing starts."""

from __future__ import annotations

import errno
import os

_SENTENCES = {
    errno.ENOENT: "the system did not find the file or the interpreter that its first line names",
    errno.EACCES: "the system does not allow it to be executed",
    errno.ENOEXEC: "it is neither a program of this system nor a script that names its interpreter",
    errno.EMFILE: "akm has too many files open; lower the concurrency or raise `ulimit -n`",
    errno.ENFILE: "the system has too many files open; lower the concurrency",
    errno.EAGAIN: "the system allows no further process; lower the concurrency or raise `ulimit -u`",
    errno.ENOMEM: "the system has no memory left for another process; lower the concurrency",
    errno.ELOOP: "its path leads round in symbolic links",
    errno.ETXTBSY: "the file is being written",
}


def find(name: str, *, cwd: str, path: str | None) -> str | None:
    """Return the executable file that `name` means in `cwd`; None when there is none.

    A name without a slash is looked up on `path` (None: the system's default), whose relative entries start
    at `cwd`, as the child would see them.
    """
    if "/" in name:
        # As it is: the child looks at it from its own directory, and a script sees the name it was called by.
        return name if _executable(os.path.join(cwd, name)) else None
    if not name:
        return None
    for folder in (os.defpath if path is None else path).split(os.pathsep):
        found = _executable(f"{folder}/{name}" if folder[:1] == "/" else os.path.join(cwd, folder, name))
        if found is not None:
            return found
    return None


def why_not_found(name: str, *, cwd: str) -> str:
    """Say why `find` found nothing."""
    if not name:
        return "its command is empty; name a program"
    if "/" not in name:
        return "no executable of that name is on the unit's PATH; install it or write its path"
    if os.path.exists(os.path.join(cwd, name)):
        return "that file is not executable; run `chmod +x` on it or start it through its interpreter"
    return f"there is no such file, seen from {cwd}"


def why_not_started(error: OSError | ValueError) -> str:
    """Say why the system refused to start a program, without the driver's own words."""
    if not isinstance(error, OSError):
        return "an argument or an environment value holds a NUL or a lone surrogate, which no process can get"
    known = _SENTENCES.get(error.errno or 0)
    return known or f"the system refused: {os.strerror(error.errno or 0)}"


def _executable(candidate: str) -> str | None:
    try:
        usable = os.access(candidate, os.X_OK) and os.path.isfile(candidate)
    except ValueError:
        return None
    return candidate if usable else None
