"""Where a git checkout comes from, as the ref of an index entry. Asks git, and no network."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit

from akm.registry import urls

_GITHUB = re.compile(
    r"(?:https?://|ssh://(?:git@)?|git@)github\.com[/:]([^/\s]+/[^/\s]+?)(?:\.git)?/?\Z", re.I
)


class GitOrigin(NamedTuple):
    """What an index says of a checkout. `homepage` is empty when its remote has none that is known."""

    source: str
    ref: str
    homepage: str


def read(checkout: Path) -> GitOrigin | None:
    """Return where the checkout's remote `origin` is; None when the folder is no checkout or has no origin.

    Only the top folder of a checkout counts: the ref of a folder inside would be that of all its neighbours.
    """
    if not (checkout / ".git").exists():
        return None
    try:
        asked = subprocess.run(
            ["git", "-C", str(checkout), "config", "--get", "remote.origin.url"],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=10,
            check=False,
            # A git hook's variables would lead to another repository.
            env={name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    remote = _without_password(urls.redacted(asked.stdout.strip()))
    if asked.returncode or not remote:
        return None
    if match := _GITHUB.match(remote):
        return GitOrigin("github", match[1], f"https://github.com/{match[1]}")
    return GitOrigin("git", remote, "")


def _without_password(remote: str) -> str:
    """Take the password out of a URL such as ssh://me:secret@host; a user name belongs to the address."""
    try:
        parts = urlsplit(remote)
    except ValueError:
        return ""
    if parts.password is None:
        return remote
    return urlunsplit(parts._replace(netloc=f"{parts.username}@{parts.netloc.rpartition('@')[2]}"))
