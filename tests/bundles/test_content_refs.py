"""Which files name a bundle in their text."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from akm.bundles import content_refs


def found(root: Path, bundle: str = "team") -> list[str]:
    return [os.path.relpath(file, root) for file in content_refs.naming(bundle, {"b": root, "same": root})]


def test_files_of_workflows_and_tasks_are_looked_at_whatever_their_depth(tmp_path: Path) -> None:
    for name in ("workflows/a.md", "workflows/deep/b.md", "tasks/c.yml", "scripts/d.sh", "e.md"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("uses: team//workflows/x\n")
    assert found(tmp_path) == ["workflows/a.md", "workflows/deep/b.md", "tasks/c.yml"]


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        ("team//x", True),
        ('"team//x"', True),
        ("(TEAM//x)", False),
        ("my-team//x", False),
        ("myteam//x", False),
        ("éteam//x", False),
        ("team/x", False),
        ("team2//x", False),
        ("a\0team//x", False),
    ],
)
def test_only_refs_of_the_bundle_count(tmp_path: Path, text: str, is_named: bool) -> None:
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks/a.yml").write_text(text)
    assert found(tmp_path) == (["tasks/a.yml"] if is_named else [])


def test_a_name_is_no_pattern(tmp_path: Path) -> None:
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks/a.yml").write_text("axb//x te%m\\//x")
    assert found(tmp_path, "a*b") == []
    assert found(tmp_path, "te%m\\") == ["tasks/a.yml"]


def test_pipes_broken_links_and_what_cannot_be_read_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "tasks").mkdir()
    os.mkfifo(tmp_path / "tasks/pipe")
    (tmp_path / "tasks/gone").symlink_to("nowhere")
    (tmp_path / "tasks/loop").symlink_to(tmp_path)
    assert found(tmp_path) == []


def test_no_more_is_read_than_was_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tasks").mkdir()
    for number in range(5):
        (tmp_path / f"tasks/{number}").write_text("team//x")
    (tmp_path / "tasks/0").write_text("x" * 50 + "team//x")
    monkeypatch.setattr(content_refs, "MOST_BYTES", 50)
    monkeypatch.setattr(content_refs, "MOST_FILES", 3)
    assert found(tmp_path) == ["tasks/1", "tasks/2"]
