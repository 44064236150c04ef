"""Writing a new workflow file: checked first, whole or not at all, never over another by accident."""

from __future__ import annotations

from pathlib import Path

import pytest
from places import Place
from workflow_files import a_file, a_step

from akm.engine.files.creating import create, given_text
from akm.engine.files.linting import lint
from akm.errors import UsageError, WorkflowSourceError


def files(place: Place) -> list[str]:
    return sorted(str(path.relative_to(place.root)) for path in place.root.rglob("*") if path.is_file())


def test_the_template_is_a_workflow_that_lint_accepts(place: Place) -> None:
    made = create(place.work, "release")
    assert made == {
        "ref": "project//workflows/release",
        "path": str(place.root / "workflows/release.md"),
        "bundleDir": str(place.root),
    }
    assert [one.is_sound for one in lint(place.work, ["release"])] == [True]


def test_a_folder_below_workflows_can_be_named(place: Place) -> None:
    assert (
        create(place.work, "nightly.md", folder="team/jobs/")["ref"] == "project//workflows/team/jobs/nightly"
    )


@pytest.mark.parametrize(
    "name", ["", "Release", "a b", "-a", "x.yml", "x.YAML", "a/b", "é", "readme", ".md", "a\n", "a\0"]
)
def test_a_name_that_is_none_writes_nothing(place: Place, name: str) -> None:
    with pytest.raises(UsageError):
        create(place.work, name)
    assert files(place) == []


@pytest.mark.parametrize("folder", ["..", "../..", "a/../../b", "/etc", "/"])
def test_a_path_does_not_lead_out_of_the_workflows_folder(place: Place, folder: str) -> None:
    with pytest.raises(UsageError) as refused:
        create(place.work, "x", folder=folder)
    assert refused.value.code == "PATH_ESCAPE_VIOLATION"
    assert files(place) == []


def test_nor_does_a_symbolic_link(place: Place, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (place.root / "workflows").mkdir()
    (place.root / "workflows/out").symlink_to(tmp_path / "outside")
    with pytest.raises(UsageError) as refused:
        create(place.work, "x", folder="out")
    assert refused.value.code == "PATH_ESCAPE_VIOLATION"
    assert list((tmp_path / "outside").iterdir()) == []


def test_an_existing_file_is_kept_unless_forced(place: Place) -> None:
    path = Path(create(place.work, "x")["path"])
    path.write_text("mine")
    with pytest.raises(UsageError, match=r"x\.md exists already") as refused:
        create(place.work, "x")
    assert refused.value.code == "RESOURCE_ALREADY_EXISTS"
    assert path.read_text() == "mine"
    create(place.work, "x", force=True)
    assert path.read_text() != "mine"


def test_a_name_in_other_letters_counts_as_the_same(place: Place) -> None:
    (place.root / "workflows").mkdir()
    (place.root / "workflows/X.md").write_text("mine")
    with pytest.raises(UsageError) as refused:
        create(place.work, "x")
    assert refused.value.code == "RESOURCE_ALREADY_EXISTS"


def test_a_given_text_is_compiled_first_and_gets_its_type(place: Place) -> None:
    with pytest.raises(WorkflowSourceError):
        create(place.work, "x", text="---\nsteps: []\n---\n")
    assert files(place) == []
    text = a_file(a_step("a")).replace('type: "workflow"\n', "")
    path = Path(create(place.work, "x", text=text)["path"])
    assert path.read_text().splitlines()[1] == "type: workflow"


def test_a_text_that_is_no_utf8_is_refused(place: Place) -> None:
    (place.root / "latin").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="not UTF-8"):
        given_text(place.root, "latin")


def test_a_folder_that_cannot_be_written_to_is_told_in_a_sentence(place: Place) -> None:
    (place.root / "workflows").write_text("a file")
    with pytest.raises(UsageError, match="cannot be written"):
        create(place.work, "x")
