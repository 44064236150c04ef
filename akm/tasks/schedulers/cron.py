"""The user's crontab, read and written through the `crontab` command. What its text means is not here."""

from __future__ import annotations

import os
import shutil
import subprocess

from akm.errors import ConfigError

NAME = "cron"
_PATIENCE_SECONDS = 60


def is_there() -> bool:
    """Tell whether this machine has the `crontab` command, without which nothing is scheduled."""
    return shutil.which("crontab") is not None


def read() -> str:
    """Return the text of the user's crontab, empty when there is none. Raises ConfigError."""
    done = _crontab("-l")
    if done.returncode == 0:
        return done.stdout.decode("utf-8", "surrogateescape")
    said = _said(done)
    if "no crontab for" in said.lower():
        return ""
    raise ConfigError(
        f"The crontab cannot be read: {said}.",
        code="SCHEDULER_UNAVAILABLE",
        hint="See whether `crontab -l` works for this user.",
    )


def write(text: str) -> None:
    """Replace the user's crontab. Raises ConfigError with what `crontab` says; the old one then stays."""
    done = _crontab("-", text)
    if done.returncode != 0:
        raise ConfigError(
            f"The crontab cannot be written: {_said(done)}.",
            code="SCHEDULER_UNAVAILABLE",
            hint="See whether `crontab -e` works for this user.",
        )


def _crontab(argument: str, text: str | None = None) -> subprocess.CompletedProcess[bytes]:
    command = shutil.which("crontab")
    if command is None:
        raise ConfigError(
            "There is no `crontab` command, so nothing can be scheduled on this machine.",
            code="SCHEDULER_UNAVAILABLE",
            hint="Install cron (on Debian and Ubuntu: apt-get install cron), or fire what is enabled with "
            "`akm task serve`.",
        )
    given = None if text is None else text.encode("utf-8", "surrogateescape")
    try:
        return subprocess.run(
            [command, argument],
            input=b"" if given is None else given,
            capture_output=True,
            # What it says about an empty crontab is recognised in English only.
            env=os.environ | {"LC_ALL": "C"},
            timeout=_PATIENCE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        reason = error.strerror if isinstance(error, OSError) else "it does not end"
        raise ConfigError(
            f"{command} cannot be used: {reason}.",
            code="SCHEDULER_UNAVAILABLE",
            hint="See whether `crontab -l` works for this user.",
        ) from error


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    words = " ".join(done.stderr.decode("utf-8", "replace").split())
    return words.rstrip(".") or f"`crontab` ended with {done.returncode}"
