"""What a bundle's folder holds."""

from __future__ import annotations

from pathlib import Path

from akm.bundles import contents


def bundle(folder: Path, *files: str) -> Path:
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")
    return folder


def test_files_are_named_by_kind_and_hidden_ones_left_out(tmp_path: Path) -> None:
    root = bundle(
        tmp_path / "b",
        *("workflows/b.md", "workflows/sub/a.md", "workflows/notes.txt", "tasks/t.yml", "tasks/sub/u.yml"),
        *("tasks/old.yaml", "scripts/deep/s.sh", "scripts/.hidden", "env/dev", "secrets/token"),
        *("skills/x/SKILL.md", ".github/workflows/ci.md", ".git/config", "README.md"),
    )
    found = contents.contents(root)
    assert found._asdict() == {
        "workflows": ("b", "sub/a"),
        "tasks": ("t",),
        "scripts": ("deep/s.sh",),
        "env": ("dev",),
        "secrets": ("token",),
        "other": ("skills",),
    }
    assert found.counts()["workflows"] == 2


def test_a_missing_folder_holds_nothing(tmp_path: Path) -> None:
    assert set(contents.contents(tmp_path / "no").counts().values()) == {0}


def test_links_are_not_followed_out_of_the_bundle(tmp_path: Path) -> None:
    outside = bundle(tmp_path / "outside", "a.md", "deep/b.md")
    root = bundle(tmp_path / "b", "real/in.md", "scripts/s.sh")
    (root / "workflows").symlink_to(outside)
    (root / "scripts/deep").symlink_to(outside / "deep")
    (root / "scripts/loop").symlink_to(root)
    (root / ".hidden").symlink_to("../outside/a.md")
    found = contents.contents(root)
    assert (found.workflows, found.scripts) == ((), ("s.sh",))
    assert contents.leading_out(root) == [".hidden", "scripts/deep", "workflows"]
    (root / "workflows").unlink()
    (root / "workflows").symlink_to("real")
    assert contents.contents(root).workflows == ("in",)
    assert "workflows" not in contents.leading_out(root)


def test_changed_files_are_named_as_contents_are() -> None:
    files = ["workflows/a.md", "workflows/notes.txt", "scripts/s.sh", "README.md", "tasks/sub/t.yml"]
    assert contents.named(files) == {
        "workflows": ["a"],
        "other": ["workflows/notes.txt", "README.md", "tasks/sub/t.yml"],
        "scripts": ["s.sh"],
    }
