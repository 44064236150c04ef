"""Linting files, folders and refs: every finding of every workflow, once."""

from __future__ import annotations

from pathlib import Path

import pytest
from places import Place
from workflow_files import a_step

from akm.engine.files.linting import Checked, lint
from akm.errors import AkmError

REAL = Path(__file__).parents[3] / "shared/data/workflows"


def names(found: list[Checked]) -> list[str]:
    return [str(one.path) for one in found]


def test_without_a_target_the_workflows_of_this_place_are_checked(place: Place) -> None:
    place.write(a_step("a"), name="one")
    place.write(a_step("a"), name="deep/two")
    (place.root / "workflows/README.md").write_text("# Read me\n")
    (place.root / "workflows/notes.md").write_text("---\ntype: note\n---\nHello\n")
    assert names(lint(place.work, [])) == ["workflows/deep/two.md", "workflows/one.md"]


def test_a_place_that_is_a_bundle_too_is_checked_once(place: Place) -> None:
    place.write(a_step("a"), name="one")
    (place.root / ".akm").mkdir()
    (place.root / ".akm/config.toml").write_text(f'[bundles.team]\npath = "{place.root}"\n')
    assert names(lint(place.work, [])) == ["workflows/one.md"]


def test_every_finding_of_a_file_is_told_in_order(place: Place) -> None:
    place.write({"id": "a", "units": {}}, a_step("b", inputs=("steps.c.output",)), name="bad")
    (checked,) = lint(place.work, ["bad"])
    assert not checked.is_sound
    lines = [finding.line for finding in checked.findings]
    assert len(lines) >= 2
    assert lines == sorted(lines)


def test_a_missing_engine_is_no_fault_of_the_file(place: Place) -> None:
    place.write({"id": "a"}, name="prose")
    (checked,) = lint(place.work, ["prose"])
    assert checked.is_sound
    assert [finding.severity for finding in checked.findings] == ["warning"]


def test_a_file_that_was_named_is_answered_for_whatever_it_is(place: Place) -> None:
    (place.root / "x.txt").write_text("hello")
    (place.root / "note.md").write_text("---\ntype: note\n---\nHello\n")
    found = lint(place.work, ["x.txt", "note.md"])
    assert [one.is_sound for one in found] == [False, False]


def test_a_target_that_does_not_exist_is_an_error(place: Place) -> None:
    with pytest.raises(AkmError, match="nosuch"):
        lint(place.work, ["nosuch.md"])


@pytest.mark.skipif(not REAL.is_dir(), reason=f"real files are not at {REAL}")
def test_every_real_workflow_is_sound(place: Place) -> None:
    found = lint(place.work, [str(REAL)])
    assert len(found) == 9
    assert [one.path.name for one in found if not one.is_sound] == []


def test_plain_markdown_in_a_folder_is_passed_over_except_among_workflows(place: Place) -> None:
    for folder in ("docs", "docs/workflows"):
        (place.root / folder).mkdir()
        (place.root / folder / "notes.md").write_text("# Notes\n")
    (place.root / "docs" / "broken.md").write_text("---\nsteps: 1\n---\n")
    checked = lint(place.work, ["docs"])
    assert [str(one.path) for one in checked] == ["docs/broken.md", "docs/workflows/notes.md"]
