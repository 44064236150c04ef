"""The PATH that scheduled tasks have."""

from __future__ import annotations

from pathlib import Path

import pytest

from akm import paths
from akm.tasks.execution import search_path


def test_what_was_recorded_is_used_without_a_path_and_by_a_schedule(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/a:relative:/b:/a::/c")
    search_path.record()
    assert search_path.completed({}, is_scheduled=False) == {"PATH": "/a:/b:/c"}
    assert search_path.completed({"PATH": ""}, is_scheduled=False) == {"PATH": "/a:/b:/c"}
    assert search_path.completed({"PATH": "/own"}, is_scheduled=False) == {"PATH": "/own"}
    assert search_path.completed({"PATH": "/own", "X": "1"}, is_scheduled=True) == {
        "PATH": "/a:/b:/c",
        "X": "1",
    }


def test_a_bare_environment_records_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/a")
    search_path.record()
    monkeypatch.delenv("PATH")
    search_path.record()
    assert search_path.recorded() == "/a"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"path": 3}', '{"path": ""}'])
def test_a_record_that_is_damaged_is_none(text: str) -> None:
    file = paths.create(paths.state_dir() / "tasks") / "search-path.json"
    file.write_text(text)
    assert search_path.completed({"PATH": "/own"}, is_scheduled=True) == {"PATH": "/own"}


def test_no_state_directory_is_no_record(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "XDG_STATE_HOME", "AKM_STATE_DIR"):
        monkeypatch.delenv(name)
    assert search_path.completed({}, is_scheduled=True) == {}


def test_the_record_is_replaced_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    for path in ("/a", "/b"):
        monkeypatch.setenv("PATH", path)
        search_path.record()
    assert [file.name for file in Path(paths.state_dir() / "tasks").iterdir()] == ["search-path.json"]
    assert search_path.recorded() == "/b"
