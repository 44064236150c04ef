"""One bundle in full."""

from __future__ import annotations

from pathlib import Path

import pytest

from akm import paths
from akm.bundles import show as showing
from akm.errors import NotFoundError


@pytest.fixture
def team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = paths.user_config_file()
    file.parent.mkdir(parents=True)
    file.write_text(
        f'[bundles.team]\npath = "{tmp_path}/team"\nsource = "github:a/b"\ncommit = "{"0" * 40}"\n'
    )
    return tmp_path / "team"


def fill(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("a secret")


def test_a_bundle_shows_its_source_and_the_names_of_what_it_holds(team: Path) -> None:
    fill(team, "workflows/b.md", "workflows/deep/a.md", "tasks/nightly.yml", "scripts/x.sh", "secrets/key")
    (team / "README.md").write_text("# Team\n\n![badge](x)\n\nWhat the\nteam does.\n\nMore.\n")
    shown = showing.show("team")
    assert (shown["name"], shown["path"], shown["exists"]) == ("team", str(team), True)
    assert (shown["source"], shown["commit"]) == ("github:a/b", "0" * 40)
    assert shown["origin"] == f"user file {paths.user_config_file()}"
    assert shown["description"] == "What the team does."
    assert {kind: held["names"] for kind, held in shown["contents"].items() if held["count"]} == {
        "workflows": ["b", "deep/a"],
        "tasks": ["nightly"],
        "scripts": ["x.sh"],
        "secrets": ["key"],
    }
    assert shown["contents"]["workflows"]["count"] == 2
    assert "a secret" not in str(shown)


def test_a_bundle_whose_folder_is_missing_holds_nothing(team: Path) -> None:
    shown = showing.show("team")
    assert not team.exists()
    assert (shown["exists"], shown["description"]) == (False, None)
    assert {held["count"] for held in shown["contents"].values()} == {0}


def test_an_unknown_bundle_is_not_found_and_the_closest_is_named(team: Path) -> None:
    assert team.name == "team"
    with pytest.raises(NotFoundError) as refused:
        showing.show("teem")
    assert (refused.value.code, refused.value.hint) == ("SOURCE_NOT_FOUND", "Did you mean team?")
