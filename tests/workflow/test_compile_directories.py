"""Where a command may run: the path as written, and the path on the disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from akm.workflow.parsing.compile import Compiled, compile


def compiled(cwd: str, root: Path | None = None, place: str = "unit") -> Compiled:
    bag = f'unit: {{ exec: {{ command: [pwd], cwd: "{cwd}" }} }}'
    fields = bag if place == "unit" else f"map: {{ over: params.x, {bag} }}"
    text = f"---\nsteps:\n  - id: a\n    {fields}\n---\n\n## a\n\nA.\n"
    return compile(text.encode(), name="x.md", root=root)


def code(found: Compiled) -> str:
    (finding,) = found.findings
    assert found.document is None
    assert finding.line == 4
    return finding.code.removeprefix("working-directory-")


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        (".", "."),
        ("./", "."),
        ("a", "a"),
        ("./a/./b//", "a/b"),
        ("a\\\\b", "a/b"),
        ("..a/b..", "..a/b.."),
        (" a", " a"),
    ],
)
def test_a_path_inside_is_kept_in_one_spelling(written, canonical):
    document = compiled(written).document
    assert document is not None
    unit = document.steps[0].unit
    assert unit is not None
    assert unit.exec is not None
    assert unit.exec.cwd == canonical


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("/etc", "escape"),
        ("\\\\\\\\server\\\\share", "escape"),
        ("C:/x", "escape"),
        ("c:x", "escape"),
        ("~", "escape"),
        ("~/x", "escape"),
        ("", "escape"),
        ("  ", "escape"),
        ("..", "escape"),
        ("a/../b", "escape"),
        ("a\\\\..\\\\b", "escape"),
        ("a\\nb", "control-character"),
        ("a\\0b", "control-character"),
        ("a\\x7fb", "control-character"),
    ],
)
def test_a_path_that_may_leave_is_refused_with_its_code(written, kind):
    assert code(compiled(written)) == kind


@pytest.mark.parametrize("place", ["unit", "map"])
def test_a_link_out_of_the_root_is_an_escape(tmp_path, place):
    root = tmp_path / "root"
    root.mkdir()
    (root / "out").symlink_to(tmp_path)
    assert code(compiled("out/root", root, place)) == "escape"


def test_links_inside_and_a_missing_tail_are_fine(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    for cwd in ("link", "link/not/yet", "nothing/here", "."):
        assert compiled(cwd, tmp_path).document is not None


def test_the_root_itself_may_be_a_link(tmp_path):
    (tmp_path / "real" / "a").mkdir(parents=True)
    (tmp_path / "root").symlink_to(tmp_path / "real")
    assert compiled("a", tmp_path / "root").document is not None


def test_what_cannot_be_a_directory_is_unverifiable(tmp_path):
    (tmp_path / "file").write_text("x")
    (tmp_path / "dangling").symlink_to(tmp_path / "gone")
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    for cwd in ("file", "file/below", "dangling", "circle", "n" * 300):
        assert code(compiled(cwd, tmp_path)) == "unverifiable"


def test_a_missing_root_is_unverifiable(tmp_path):
    assert code(compiled("a", tmp_path / "gone")) == "unverifiable"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may look into every directory")
def test_a_closed_directory_is_unverifiable(tmp_path):
    (tmp_path / "closed" / "a").mkdir(parents=True)
    (tmp_path / "closed").chmod(0)
    found = compiled("closed/a/b", tmp_path)
    (tmp_path / "closed").chmod(0o700)
    assert code(found) == "unverifiable"
