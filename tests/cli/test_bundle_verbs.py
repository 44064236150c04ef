"""`akm bundle add`, `list` and `remove`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from akm.config_edit import file

COMMENTED = '# Mine.\n[registry]\nttl_seconds = 5  # short\n\n# Ours.\n[bundles.old]\npath = "~/old"\n'


@pytest.fixture
def user(home: Path) -> Path:
    (home / "config").mkdir()
    (home / "team/workflows").mkdir(parents=True)
    (home / "team/workflows/a.md").write_text("x")
    return home / "config/config.toml"


def test_a_bundle_is_added_listed_and_removed(run: Any, user: Path, home: Path) -> None:
    added = run("bundle", "add", "team", "../team")
    assert (added.status, added.err) == (0, "")
    assert added.result["bundle"] == {
        "name": "team",
        "path": f"{home}/team",
        "origin": f"user file {user}",
        "exists": True,
        "workflows": 1,
    }
    assert tomllib.loads(user.read_text()) == {"bundles": {"team": {"path": f"{home}/team"}}}
    assert user.stat().st_mode & 0o777 == 0o600
    assert run("bundle", "list").result["bundles"] == [added.result["bundle"]]
    assert run("bundle", "remove", "team").status == 0
    assert run("bundle", "list").result == {"bundles": []}
    assert (home / "team/workflows/a.md").exists()


def test_comments_mode_and_links_survive(run: Any, user: Path, home: Path) -> None:
    kept = home / "dotfiles.toml"
    kept.write_text(COMMENTED)
    kept.chmod(0o640)
    user.symlink_to(kept)
    assert run("bundle", "add", "team", f"{home}/team").status == 0
    assert kept.read_text() == f'{COMMENTED}\n[bundles.team]\npath = "{home}/team"\n'
    assert run("bundle", "remove", "old").status == 0
    assert kept.read_text() == (
        f'# Mine.\n[registry]\nttl_seconds = 5  # short\n\n# Ours.\n\n[bundles.team]\npath = "{home}/team"\n'
    )
    assert user.is_symlink()
    assert kept.stat().st_mode & 0o777 == 0o640


def test_adding_the_same_again_changes_nothing(run: Any, user: Path, home: Path) -> None:
    run("bundle", "add", "team", f"{home}/team")
    before = user.read_text()
    assert run("bundle", "add", "team", f"{home}/team/").status == 0
    assert user.read_text() == before


def test_a_taken_name_is_refused(run: Any, user: Path, home: Path) -> None:
    run("bundle", "add", "team", f"{home}/team")
    before = user.read_text()
    done = run("bundle", "add", "team", f"{home}/project")
    assert (done.status, done.error["code"]) == (2, "RESOURCE_ALREADY_EXISTS")
    assert user.read_text() == before
    assert run("bundle", "add", "TEAM", f"{home}/project").status == 0


@pytest.mark.parametrize("name", ["a b", "a.b", "a/b", "a:b", "a#b", "", "project"])
def test_a_name_that_refs_cannot_hold_is_refused(run: Any, user: Path, name: str) -> None:
    done = run("bundle", "add", name, "../team")
    assert done.status == 2
    assert "cannot name a bundle" in done.error["error"]
    assert not user.exists()


def test_a_missing_folder_is_refused(run: Any, user: Path) -> None:
    done = run("bundle", "add", "x", "../nowhere")
    assert (done.status, user.exists()) == (2, False)
    assert "There is no folder" in done.error["error"]


def test_an_unknown_bundle_cannot_be_removed_and_the_closest_is_named(
    run: Any, user: Path, home: Path
) -> None:
    run("bundle", "add", "team", f"{home}/team")
    assert user.exists()
    done = run("bundle", "remove", "teem")
    assert done.status == 1
    assert done.error == {
        "ok": False,
        "error": "No bundle named 'teem' is configured.",
        "code": "SOURCE_NOT_FOUND",
        "hint": "Did you mean team?",
    }


def test_a_bundle_of_the_projects_file_is_left_to_people(run: Any, user: Path, home: Path) -> None:
    project = home / "project/.akm/config.toml"
    project.parent.mkdir()
    project.write_text('[bundles.team]\npath = "../team"\n')
    done = run("bundle", "remove", "team")
    assert done.status == 2
    assert f"is configured in {project}" in done.error["error"]
    assert not user.exists()


@pytest.mark.parametrize(
    "text", ['bundles = { old = { path = "/old" } }\n', '[bundles]\nold.path = "/old"\n']
)
def test_a_file_that_cannot_be_changed_safely_is_not_changed(run: Any, user: Path, text: str) -> None:
    user.write_text(text)
    done = run("bundle", "remove", "old")
    assert done.status == 78
    assert "nothing was changed" in done.error["error"]
    assert user.read_text() == text
    assert [file.name for file in user.parent.iterdir() if file.name.startswith(".config")] == []


def test_two_changes_at_once_wait_for_one_another(
    run: Any, user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file, "_LOCK_SECONDS", 0)
    with FileLock(f"{user}.lock"):
        done = run("bundle", "add", "team", "../team")
    assert (done.status, done.error["code"]) == (75, "CONFIG_HELD")
    assert not user.exists()


def test_the_list_says_which_folder_is_missing(run: Any, user: Path) -> None:
    user.write_text('[bundles.gone]\npath = "/nowhere/at/all"\n')
    assert run("bundle", "list").result["bundles"][0]["exists"] is False
    assert run("bundle", "list", "--format", "text").out.splitlines()[1].split()[:3] == [
        "gone",
        "missing",
        "/nowhere/at/all",
    ]
