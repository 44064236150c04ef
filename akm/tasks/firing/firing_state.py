"""What fires tasks on this machine and whether it works: crontab, cron's daemon, a server of akm's own."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from akm.errors import AkmError
from akm.tasks.firing import installation
from akm.tasks.schedulers import cron, crontab_text, lock, row

_DAEMONS = frozenset({"cron", "crond", "cronie", "fcron", "busybox crond", "systemd-cron"})


@dataclass(frozen=True, slots=True)
class FiringState:
    """`refs` have a row of this installation in the crontab. `problem` says why the crontab cannot be read.

    `has_daemon` is None where the system does not list the processes of others.
    """

    refs: frozenset[str]
    problem: str | None
    has_daemon: bool | None
    is_served: bool

    def cause(self, ref: str) -> str:
        """Say why an enabled task that was due did not run, as likely as can be told from here."""
        if self.is_served:
            return "`akm task serve` is running but did not start it: see what it printed"
        if self.problem is not None:
            return f"nothing fires tasks here: {self.problem} Or start `akm task serve`."
        if ref not in self.refs:
            return "its row is not in the crontab: run `akm task sync`, or start `akm task serve`"
        if self.has_daemon is False:
            return "cron is not running: start its service, or start `akm task serve`"
        return "the machine was off or asleep, or cron could not start it: see cron's own log"

    def fault(self) -> str | None:
        """Say why nothing fires tasks here; None when something does, as far as can be told."""
        if self.is_served:
            return None
        if self.problem is None and self.has_daemon is False:
            return (
                "nothing fires tasks here: cron is not running, and neither is `akm task serve`; start one."
            )
        return self.problem

    def rivals(self) -> str | None:
        """Say why a server that starts would run tasks a second time; None when it would not."""
        if not (self.refs and self.has_daemon):
            return None
        return (
            f"cron is running and fires {len(self.refs)} of these tasks from the crontab as well, so each of "
            "them runs twice: stop cron, or do not serve."
        )

    def shown(self) -> dict[str, object]:
        """Shape this for the report."""
        return {
            "backend": cron.NAME,
            "rows": len(self.refs),
            "cronRunning": self.has_daemon,
            "serveRunning": self.is_served,
            **({"problem": self.problem} if self.problem else {}),
        }


def look() -> FiringState:
    """Look at the machine as it is."""
    refs: set[str] = set()
    problem = None
    try:
        mark = installation.here().mark
        for block in crontab_text.blocks(cron.read()):
            owner = row.owner(block.native_id)
            if owner is not None and owner.installation == mark and block.is_enabled:
                refs.add(owner.ref)
    except AkmError as error:
        problem = error.message
    return FiringState(frozenset(refs), problem, has_cron_daemon(), lock.is_served())


def has_cron_daemon(processes: Path = Path("/proc")) -> bool | None:
    """Tell whether a cron daemon is running; None where the system does not list those of others."""
    try:
        numbers = [name for name in os.listdir(processes) if name.isdigit()]
    except OSError:
        return None
    # The first process is never the user's own: without it, only the user's are listed.
    return any(_name(processes / number) in _DAEMONS for number in numbers) if "1" in numbers else None


def _name(process: Path) -> str:
    """Return what a process is called; nothing for one that has ended and that nobody has waited for."""
    try:
        line = (process / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    name, _, rest = line.partition("(")[2].rpartition(")")
    return "" if rest.split()[:1] == ["Z"] else name
