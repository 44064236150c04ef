"""Refs, ids, cursors, durations and schedules are taken as what they say, or refused in a sentence."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from builders import publish
from effort import fuzz
from hypothesis import strategies as st
from refusals import REFUSED, outcome
from written import shaped, spelled

from akm import ref_grammar, refs
from akm.cli import durations, log
from akm.store.database import Database
from akm.store.events import EventFilters
from akm.tasks import schedule
from akm.tasks.files import ids as task_ids
from akm.views import events, runs

NOW = 1_800_000_000.0
_FILES = ("p/workflows/a.md", "p/workflows/b/a.md", "p/workflows/a.md.md", "team/workflows/a.md", "p/x.txt")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A project and a bundle with some files."""
    for name in (*_FILES, "team/workflows/c.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    return tmp_path


REFS = shaped(
    ("", "team//", "project//", "./", "../team/", "no//"),
    ("", "workflows/", "../", "b/", "./"),
    ("a", "c", "b/a", "x.txt", "a\nb", "\udcff", "..", ""),
    ("", ".md", ".md.md", "/"),
)
_PIECES = ("team", "project", "//", "/", "workflows/", "a", "b/", ".md", "..", ".", "x.txt", ":", "#", "\0")


@fuzz(400, text=REFS | spelled(*_PIECES))
def test_a_ref_means_a_file_or_is_refused_and_can_be_typed_back(text: str, tree: Path) -> None:
    ref = outcome(lambda: ref_grammar.parse(text))
    if ref != REFUSED:
        assert ref_grammar.parse(str(ref)) == ref
        assert ".." not in ref.path.split("/")
    places: Any = {"bundles": {"team": tree / "team"}, "anchor": tree / "p", "cwd": tree / "p"}
    found = outcome(lambda: refs.resolve(text, **places))
    if found != REFUSED:
        assert found.path.is_file()
        assert refs.resolve(found.ref, **places) == found
        assert found.short is None or refs.resolve(found.short, **places) == found


CURSORS = shaped(
    ("@offset:", ""), ("", "1", "-1", "²", "٣", "1h", "2026-12-02"), ("", "0", "T09:00", "9" * 18)
)


@fuzz(
    200, text=CURSORS | spelled("@offset:", "1", "-", "1h", "2026-12-02", "T09:00", "Z", "+25:00", "9" * 5000)
)
def test_a_place_in_the_log_is_a_cursor_or_a_moment_or_is_refused(text: str, db: Database) -> None:
    filters = outcome(lambda: log._since(EventFilters(), text))
    if filters != REFUSED:
        assert filters.since is None or durations.moment(filters.since, "--since", NOW) == filters.since
        assert events.log(db, filters) == ([], filters.after)


DURATIONS = shaped(
    ("", " ", "-"), ("0", "90", "2147483647", "2147483648", "9" * 11, "²"), ("", "s", "ms", "M", "h")
)


@fuzz(200, text=DURATIONS | spelled("90", "s", "ms", "m", "h", "d", " ", "0", "²", "1e3", "-"))
def test_a_duration_is_milliseconds_or_is_refused(text: str) -> None:
    found = outcome(lambda: durations.milliseconds(text, "--timeout"))
    if found != REFUSED:
        assert 0 < found < 2**31
        assert durations.milliseconds(f"{found}ms", "--timeout") == found
    outcome(lambda: durations.moment(text, "--since", NOW))


LENGTHS = st.sampled_from([0, 1, 3, 4, 8, 35, 36])


@fuzz(100, text=spelled("0", "a", "f", "-", "g", "A", "%", "'", "_"), length=st.none() | LENGTHS)
def test_a_prefix_of_an_id_finds_its_run_or_is_refused(text: str, length: int | None, db: Database) -> None:
    known = runs.identifiers(db, "")
    made = known[0] if known else publish(db)
    found = outcome(lambda: runs.resolve(db, text if length is None else made[:length]))
    assert found in (REFUSED, made)
    assert length is None or (found == made) == (length >= 4)


FIELDS = shaped(
    ("*", "0", "1", "5", "31", "mon", "JAN", "1,2", "1-5", "5-1"), ("", "", "", "/0", "/1", "/5", "/99")
)
NEVER = st.sampled_from(
    ["0 0 30 2 *", "0 0 31 */2 *", "0 0 31 4,6 *", "0 0 31 9-9 *", "0 0 29 2 *", "0 0 30-31 2 *"]
)
CRON = NEVER | st.lists(FIELDS | st.just("*"), min_size=5, max_size=5).map(" ".join)


@fuzz(300, text=CRON | spelled("@daily", "@reboot", "@", "* ", "0 3 * * *", "l", "#2"))
def test_a_schedule_fires_or_is_refused_and_is_written_as_it_was_read(text: str) -> None:
    checked = outcome(lambda: schedule.check(text))
    if checked == REFUSED:
        return
    assert schedule.check(checked) == checked
    after = datetime(2026, 12, 2, tzinfo=UTC)
    fires = schedule.next_fires(checked, after, 3, zone=UTC)
    assert fires == schedule.next_fires(text, after, 3, zone=UTC)
    assert fires == sorted(set(fires))
    assert all(fire > after for fire in fires)
    assert len(fires) == (0 if checked == schedule.REBOOT else 3)
    if fires:
        assert schedule.fires_between(checked, after, fires[-1], zone=UTC) == fires


@fuzz(100, text=spelled("a", "con", ".", ".yml", "-", "/", "..", "nul.x"))
def test_a_task_id_is_one_or_is_refused(text: str) -> None:
    found = outcome(lambda: task_ids.typed(text))
    if found != REFUSED:
        assert task_ids.check(found) == found
        assert "/" not in found
