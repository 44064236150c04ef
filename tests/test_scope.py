"""Scope anchors and scope keys."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from akm import scope


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return Path(os.path.realpath(tmp_path))


@pytest.mark.parametrize("marker", [".akm/config.toml", ".akm/config.json"])
def test_a_project_configuration_wins_over_a_nearer_git(root: Path, marker: str) -> None:
    (root / ".akm").mkdir()
    (root / marker).write_text("")
    inner = root / "a" / "b"
    (inner / ".git").mkdir(parents=True)
    assert scope.anchor(inner, {}) == root


def test_a_folder_of_that_name_is_no_configuration(root: Path) -> None:
    (root / ".akm/config.toml").mkdir(parents=True)
    inner = root / "a"
    inner.mkdir()
    (root / ".git").write_text("gitdir: elsewhere")
    assert scope.anchor(inner, {}) == root
    (root / ".git").unlink()
    assert scope.anchor(inner, {}) == inner


def test_a_git_file_or_folder_anchors(root: Path) -> None:
    inner = root / "a" / "b"
    inner.mkdir(parents=True)
    (root / "a" / ".git").write_text("gitdir: elsewhere")
    (root / ".git").mkdir()
    assert scope.anchor(inner, {"team": root / "a" / "b"}) == root / "a"


def test_the_innermost_bundle_anchors_what_nothing_else_does(root: Path) -> None:
    inner = root / "team" / "sub" / "deep"
    inner.mkdir(parents=True)
    bundles = {"team": root / "team", "sub": root / "team" / "sub", "team2": root / "team2"}
    assert scope.anchor(inner, bundles) == root / "team" / "sub"
    (root / "team2-not").mkdir()
    assert scope.anchor(root / "team2-not", bundles) == root / "team2-not"


def test_symbolic_links_are_resolved_everywhere(root: Path) -> None:
    real = root / "real"
    real.mkdir()
    (root / "link").symlink_to(real)
    assert scope.anchor(root / "link", {}) == real
    assert scope.anchor(real, {"team": root / "link"}) == real


def test_the_key_is_the_hash_of_the_path() -> None:
    wanted = hashlib.sha256(b"/home/me/project").hexdigest()
    assert scope.key(Path("/home/me/project")) == f"dir:v1:{wanted}"
