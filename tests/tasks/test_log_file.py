"""The log file of an attempt."""

from __future__ import annotations

from pathlib import Path

from akm.tasks.execution import log_file
from akm.tasks.execution.outcome import Outcome
from akm.tasks.execution.redaction import Redactor


def test_a_section_is_there_when_it_is_empty_and_absent_when_it_is_none() -> None:
    outcome = Outcome("completed", 0, lines=("exit_code=0",), stdout="", stderr=None)
    assert log_file.text("t", "shell", outcome) == (
        "[akm task] task=t kind=shell\nexit_code=0\n--- stdout ---\n"
    )


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("kept")
    (tmp_path / "x.log").symlink_to(tmp_path / "other")
    problem = log_file.write(tmp_path / "x.log", "text", Redactor({}))
    assert problem is not None
    assert (tmp_path / "other").read_text() == "kept"


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    problem = log_file.write(tmp_path / "file/t/x.log", "text", Redactor({}))
    assert problem is not None
    assert "cannot be written" in problem
