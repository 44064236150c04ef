"""Finding tasks in the project and in bundles."""

from __future__ import annotations

from pathlib import Path

import pytest

from akm.errors import NotFoundError, UsageError
from akm.tasks import catalog
from akm.tasks.files.task import Task


@pytest.fixture
def bundles(tmp_path: Path) -> dict[str, Path]:
    for place, name in (("here", "a"), ("one", "a"), ("one", "b"), ("two", "b")):
        (tmp_path / place / "tasks").mkdir(parents=True, exist_ok=True)
        (tmp_path / place / "tasks" / f"{name}.yml").write_text("version: 4\nrun: x\n")
    return {"one": tmp_path / "one", "two": tmp_path / "two"}


def find(name: str, bundles: dict[str, Path], bundle: str | None = None) -> str:
    return catalog.find(name, bundles=bundles, anchor=bundles["one"].parent / "here", bundle=bundle).ref


def test_an_id_means_the_projects_task_first_and_a_ref_exactly_one(bundles: dict[str, Path]) -> None:
    assert find("a", bundles) == find("tasks/a.yml", bundles) == "project//tasks/a"
    assert find("one//tasks/a", bundles) == find("a", bundles, "one") == "one//tasks/a"


def test_an_id_in_several_bundles_or_none_is_refused(bundles: dict[str, Path]) -> None:
    with pytest.raises(UsageError, match="one//tasks/b or two//tasks/b"):
        find("b", bundles)
    with pytest.raises(NotFoundError, match="no task 'c'"):
        find("c", bundles)
    with pytest.raises(UsageError, match="No bundle named 'three'"):
        find("three//tasks/a", bundles)
    with pytest.raises(UsageError, match="must be letters"):
        find("../a", bundles)


def test_one_bad_file_hides_no_other(bundles: dict[str, Path]) -> None:
    (bundles["one"] / "tasks/bad.yml").write_text("version: [")
    (bundles["one"] / "tasks/c.yaml").write_text("version: 4\nrun: x\n")
    found = catalog.tasks(bundles, bundles["one"])
    kinds = {ref: isinstance(task, Task) for ref, _, task in found}
    expected = {"one//tasks/a": True, "one//tasks/b": True, "one//tasks/bad": False, "one//tasks/c": False}
    assert kinds == {**expected, "two//tasks/b": True}
