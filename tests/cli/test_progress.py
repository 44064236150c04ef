"""What is told of a run on the way."""

from __future__ import annotations

import os
import pty
import select
from contextlib import suppress

import pytest

from akm.cli import progress
from akm.cli.progress import Counts, Levels, sentence, tell
from akm.engine.progress import Progress, below, nobody


def counted(*news: Progress) -> str:
    counts = Counts()
    for one in news:
        counts.note(one)
    return counts.line().rpartition(",")[0]


def started(unit_id: str) -> Progress:
    return Progress("unit_started", "a", unit_id)


def ended(unit_id: str, status: str = "completed") -> Progress:
    return Progress("unit_finished", "a", unit_id, status)


STEP = Progress("step_started", "a", total=3, reused=1)


def test_reused_units_count_as_done() -> None:
    assert counted(STEP) == "a: 1/3 done, 0 running"


def test_a_unit_that_is_tried_again_is_counted_once() -> None:
    news = (STEP, started("x"), ended("x", "failed"))
    assert counted(*news) == "a: 2/3 done, 0 running, 1 failed"
    assert counted(*news, started("x")) == "a: 1/3 done, 1 running"
    assert counted(*news, started("x"), ended("x")) == "a: 2/3 done, 0 running"


def test_the_next_step_starts_afresh() -> None:
    failed = (STEP, started("x"), ended("x", "failed"))
    assert counted(*failed, Progress("step_started", "b", total=1)) == "b: 0/1 done, 0 running"


def test_the_units_of_a_child_are_not_counted_as_its_parents() -> None:
    levels = Levels()
    child = below(levels.note, "a")
    levels.note(Progress("step_started", "a", total=1))
    levels.note(started("call"))
    child(Progress("step_started", "deep", total=2))
    child(started("x"))
    child(ended("x", "failed"))
    assert levels.latest.line().startswith("a > deep: 1/2 done, 0 running, 1 failed")
    levels.note(ended("call", "failed"))
    assert levels.latest.line().startswith("a: 1/1 done, 0 running, 1 failed")


@pytest.mark.parametrize(
    ("news", "said"),
    [
        (STEP, "a: 3 units, 1 reused"),
        (Progress("step_started", "a", total=1), "a: 1 unit"),
        (started("x"), None),
        (ended("x"), None),
        (
            Progress("unit_finished", "a", f"a.unit:{'0' * 64}#2", "failed", "timeout"),
            "a: a.unit:000000000000#2 failed (timeout)",
        ),
        (Progress("step_ended", "a", status="completed"), "a: completed"),
        (Progress("notice", "a", "x", text="x ran"), "a: x ran"),
        (Progress("step_ended", "c", status="failed", above=("a", "b")), "a > b > c: failed"),
    ],
)
def test_only_what_is_worth_a_line_is_said(news: Progress, said: str | None) -> None:
    assert sentence(news) == said


def test_lines_go_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.shown(quiet=False) as observe:
        assert observe is tell
        observe(STEP)
    assert capsys.readouterr() == ("", "a: 3 units, 1 reused\n")


def test_quiet_watches_nothing() -> None:
    with progress.shown(quiet=True) as observe:
        assert observe is nobody


def read_until(terminal: int, text: str) -> str:
    """Read what a terminal shows until `text` is in it, or nothing comes any more; it comes in pieces."""
    seen = ""
    while text not in seen and select.select([terminal], [], [], 5)[0]:
        seen += os.read(terminal, 4096).decode()
    return seen


def test_a_terminal_shows_failures_and_ends_and_a_closed_one_stops_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours, theirs = pty.openpty()
    terminal = os.fdopen(theirs, "w")
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with progress.shown(quiet=False) as observe:
        observe(STEP)
        observe(Progress("unit_finished", "a", "x", "failed", "timeout"))
        observe(Progress("step_ended", "a", status="failed"))
        seen = read_until(ours, "a: failed")
        os.close(ours)
        observe(Progress("unit_finished", "a", "y", "failed", "timeout"))
    monkeypatch.undo()
    with suppress(OSError):
        terminal.close()
    assert "a: x failed (timeout)" in seen
