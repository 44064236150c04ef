"""How a run is getting on, on standard error: one live line at a terminal, plain lines anywhere else."""

from __future__ import annotations

import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from akm.cli import output
from akm.cli.unit_ids import short
from akm.engine.progress import Observe, Progress, nobody
from akm.spelling import counted


@dataclass(slots=True)
class Counts:
    """Where the current step stands."""

    step_id: str = ""
    total: int = 0
    done: int = 0
    running: int = 0
    failures: set[str | None] = field(default_factory=set)
    started: float = field(default_factory=time.monotonic)

    def note(self, news: Progress) -> None:
        """Take a piece of news in."""
        if news.kind == "step_started":
            self.step_id, self.total, self.done = _place(news), news.total, news.reused
            self.running = 0
            self.failures.clear()
        elif news.kind == "unit_started":
            self.running += 1
            # A failed unit that starts again is not done after all.
            self.done -= news.unit_id in self.failures
            self.failures.discard(news.unit_id)
        elif news.kind == "unit_finished":
            self.running -= 1
            self.done += 1
            if news.status == "failed":
                self.failures.add(news.unit_id)

    def line(self) -> str:
        """Render the live line."""
        seconds = int(time.monotonic() - self.started)
        parts = [f"{self.done}/{self.total} done", f"{self.running} running"]
        parts += [f"{len(self.failures)} failed"] if self.failures else []
        return f"{self.step_id}: {', '.join(parts)}, {seconds // 60}:{seconds % 60:02d}"


@dataclass(slots=True)
class Levels:
    """Where a run and each of the children below it stand, by the steps above them."""

    counts: defaultdict[tuple[str, ...], Counts] = field(default_factory=lambda: defaultdict(Counts))
    latest: Counts = field(default_factory=Counts)

    def note(self, news: Progress) -> None:
        """Take a piece of news in; what it is about is what is shown."""
        self.latest = self.counts[news.above]
        self.latest.note(news)


@contextmanager
def shown(*, quiet: bool) -> Iterator[Observe]:
    """Yield the watcher for a drive."""
    if quiet:
        yield nobody
    elif sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        with _live() as observe:
            yield observe
    else:
        yield tell


def tell(news: Progress) -> None:
    """Say a piece of news in one plain line, where it is worth one."""
    text = sentence(news)
    if text is not None:
        output.tell(text)


def sentence(news: Progress) -> str | None:
    """Put a piece of news into one line; None for what happens too often to be said."""
    if news.kind == "step_started":
        reused = f", {news.reused} reused" if news.reused else ""
        return f"{_place(news)}: {counted(news.total, 'unit')}{reused}"
    if news.kind == "unit_finished" and news.status == "failed":
        return f"{_place(news)}: {short(news.unit_id or '')} failed ({news.reason})"
    if news.kind == "step_ended":
        return f"{_place(news)}: {news.status}"
    if news.kind == "gate_started":
        return f"{_place(news)}: asking its judge"
    if news.kind == "step_rejected":
        return f"{_place(news)}: not accepted ({news.status}), going on with feedback"
    return f"{_place(news)}: {news.text}" if news.kind == "notice" else None


def _place(news: Progress) -> str:
    """Name the step that news is about, after those that run the workflow it is in."""
    return " > ".join((*news.above, news.step_id))


@contextmanager
def _live() -> Iterator[Observe]:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    levels = Levels()
    console = Console(stderr=True, no_color=bool(os.environ.get("NO_COLOR")))

    def observe(news: Progress) -> None:
        levels.note(news)
        if news.kind == "notice" or (news.kind == "unit_finished" and news.status == "failed"):
            console.print(Text(sentence(news) or "", style="red"))
        elif news.kind == "step_ended":
            style = "green" if news.status == "completed" else "red"
            console.print(Text(f"{sentence(news)} ({counted(levels.latest.done, 'unit')})", style=style))

    # Refreshed by Rich's own clock, so that a thousand units a second cost no more than one.
    live = Live(
        get_renderable=lambda: Text(levels.latest.line() if levels.latest.step_id else ""),
        console=console,
        transient=True,
        refresh_per_second=4,
    )
    live.start()
    try:
        yield _unless_gone(observe)
    finally:
        _unless_gone(lambda _news: live.stop())(None)


def _unless_gone(act: Callable[[Any], None]) -> Callable[[Any], None]:
    """Let a terminal that was closed meanwhile be no reason to stop."""

    def attempt(news: Any) -> None:
        try:
            act(news)
        except OSError:
            return  # Whoever watched is gone; the ledger has it all.

    return attempt
