"""`akm registry list`, `add`, `remove`, `cache` and `build-index`."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from akm.services import registry_cache
from akm.store.opening import open_database

URL = "https://registry.example/index.json"
OFFICIAL = "https://raw.githubusercontent.com/itlackey/akm-registry/main/index.json"
FETCHED = "2026-12-02T08:00:00.000Z"


@pytest.fixture
def user(home: Path) -> Path:
    """The user's configuration file, which is not there yet."""
    (home / "config").mkdir()
    return home / "config/config.toml"


def listed(run: Any) -> list[tuple[str, bool]]:
    return [(one["name"], one["enabled"]) for one in run("registry", "list").result["registries"]]


def test_without_settings_the_built_in_ones_are_listed(run: Any, user: Path) -> None:
    done = run("registry", "list", "--format", "text")
    assert (done.status, done.err) == (0, "")
    assert [line.split()[:2] for line in done.out.splitlines()[1:]] == [
        ["official", "on"],
        ["skills-sh", "off"],
    ]
    assert not user.exists()


def test_adding_keeps_the_official_one_and_every_comment(run: Any, user: Path) -> None:
    text = "# Mine.\n[registry]\nttl_seconds = 5  # short\n"
    user.write_text(text)
    added = run("registry", "add", URL)
    assert (added.status, added.err, added.result["added"]) == (0, "", True)
    assert added.result["entry"]["name"] == "registry.example"
    assert user.read_text() == f'{text}\n[registries."registry.example"]\nurl = "{URL}"\n'
    assert listed(run) == [("official", True), ("skills-sh", False), ("registry.example", True)]
    assert run("registry", "list").result["registries"] == added.result["registries"]


def test_all_that_is_said_is_written_down(run: Any, user: Path) -> None:
    url = "http://10.0.0.1/"
    flags = ["--name", "ours", "--provider", "skills-sh", "--allow-insecure", "--allow-private"]
    assert run("registry", "add", url, *flags, "--options", "{}").status == 0
    assert tomllib.loads(user.read_text())["registries"]["ours"] == {
        "url": url,
        "provider": "skills-sh",
        "allow_private": True,
    }


def test_a_second_registry_of_one_host_gets_a_name_of_its_own(run: Any, user: Path) -> None:
    run("registry", "add", URL)
    assert run("registry", "add", f"{URL}?b").result["entry"]["name"] == "registry.example-2"
    assert user.exists()


def test_a_known_url_is_a_success_that_changes_nothing(run: Any, user: Path) -> None:
    run("registry", "add", URL)
    before = user.read_text()
    done = run("registry", "add", URL, "--name", "again")
    assert (done.status, done.result["added"], done.result["entry"]["name"]) == (0, False, "registry.example")
    assert run("registry", "add", OFFICIAL).result["added"] is False
    assert user.read_text() == before


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["http://registry.example/i"], 2, "http://registry.example/i is not encrypted"),
        (
            ["https://me:hunter2@registry.example/i"],
            78,
            "https://registry.example/i was given with credentials",
        ),
        (["hunter2"], 78, "(invalid registry URL) is no http or https URL"),
        ([URL, "--provider", "static-indx"], 2, "There is no provider 'static-indx'"),
        ([URL, "--name", "a b"], 2, "'a b' cannot name a registry"),
        ([URL, "--name", "official"], 2, "There is a registry 'official' already"),
        ([URL, "--options", "{"], 2, "--options needs a JSON object"),
        ([URL, "--options", '{"depth": 1}'], 2, "static-index has no options: leave depth out"),
    ],
)
def test_what_cannot_be_added_is_refused_and_nothing_is_written(
    run: Any, user: Path, arguments: list[str], status: int, message: str
) -> None:
    done = run("registry", "add", *arguments)
    assert done.status == status
    assert message in done.error["error"]
    assert "hunter2" not in done.err
    assert not user.exists()


@pytest.mark.parametrize("target", ["ours", URL])
def test_a_registry_is_removed_by_name_or_url(run: Any, user: Path, target: str) -> None:
    user.write_text("# Mine.\n")
    run("registry", "add", URL, "--name", "ours")
    done = run("registry", "remove", target, "-y")
    assert (done.status, done.result["removed"], done.result["entry"]["name"]) == (0, True, "ours")
    assert user.read_text().strip() == "# Mine."
    assert [one["name"] for one in done.result["registries"]] == ["official", "skills-sh"]


def test_an_entry_that_is_ignored_can_be_removed_without_telling_its_password(run: Any, user: Path) -> None:
    user.write_text('[registries.x]\nurl = "https://me:hunter2@x.example/i"\n')
    assert "hunter2" not in run("registry", "list").err
    done = run("registry", "remove", "https://me:hunter2@x.example/i", "--yes")
    assert (done.status, done.result["removed"]) == (0, True)
    assert "hunter2" not in done.out + done.err + user.read_text()


def test_an_unknown_registry_cannot_be_removed_and_the_closest_is_named(run: Any, user: Path) -> None:
    run("registry", "add", URL, "--name", "ours")
    before = user.read_text()
    done = run("registry", "remove", "ors")
    assert (done.status, done.error["code"], done.error["hint"]) == (
        1,
        "SOURCE_NOT_FOUND",
        "Did you mean ours?",
    )
    done = run("registry", "remove", "https://me:hunter2@x.example")
    assert (done.status, "hunter2" in done.err) == (1, False)
    assert user.read_text() == before


def test_removing_has_to_be_confirmed(run: Any, user: Path) -> None:
    run("registry", "add", URL, "--name", "ours")
    before = user.read_text()
    done = run("registry", "remove", "ours")
    assert (done.status, done.error["code"]) == (2, "INVALID_FLAG_VALUE")
    assert "say -y" in done.error["error"]
    assert user.read_text() == before


@pytest.mark.parametrize(("answer", "status"), [("y\n", 0), ("n\n", 1), ("\n", 1)])
def test_at_a_terminal_only_yes_removes(run: Any, user: Path, answer: str, status: int) -> None:
    run("registry", "add", URL, "--name", "ours")
    leader, follower = pty.openpty()
    os.write(leader, answer.encode())
    command = [sys.executable, "-m", "akm", "registry", "remove", "ours"]
    done = subprocess.run(command, stdin=follower, stderr=follower, stdout=subprocess.PIPE)
    os.close(follower)
    os.close(leader)
    assert done.returncode == status
    assert ("ours" in user.read_text()) is (status == 1)


def test_what_is_built_in_is_switched_off_and_on_again(run: Any, user: Path) -> None:
    off = run("registry", "remove", "official", "-y")
    assert (off.status, off.result["removed"], off.result["entry"]["enabled"]) == (0, False, False)
    assert "is built in and cannot be removed: it is switched off now" in off.result["message"]
    assert tomllib.loads(user.read_text()) == {"registries": {"official": {"enabled": False}}}
    assert "switched off already" in run("registry", "remove", "official", "-y").result["message"]
    on = run("registry", "add", OFFICIAL)
    assert (on.result["added"], on.result["entry"]["enabled"]) == (False, True)
    run("registry", "add", "https://skills.sh")
    assert listed(run) == [("official", True), ("skills-sh", True)]
    run("registry", "remove", "https://skills.sh", "-y")
    assert listed(run) == [("official", True), ("skills-sh", False)]


def test_a_registry_of_the_projects_file_is_left_to_people(run: Any, user: Path, home: Path) -> None:
    project = home / "project/.akm/config.toml"
    project.parent.mkdir()
    project.write_text(f'[registries.theirs]\nurl = "{URL}"\n')
    done = run("registry", "remove", "theirs", "-y")
    assert done.status == 2
    assert f"is configured in {project}" in done.error["error"]
    assert not user.exists()


def test_a_variable_that_hides_the_configuration_is_told(
    run: Any, user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AKM_REGISTRY_URL", "https://v.example/i.json")
    done = run("registry", "add", URL)
    assert (done.status, done.result["added"]) == (0, True)
    assert "While AKM_REGISTRY_URL is set, only the registries that it lists are asked." in done.err
    assert listed(run) == [("v.example", True)]
    assert user.exists()


def test_the_cache_is_listed_and_cleared(run: Any, home: Path) -> None:
    assert run("registry", "cache").result == {"entries": []}
    assert run("registry", "cache", "clear").result["cleared"] == 0
    assert not (home / "data/state.db").exists()
    (home / "data").mkdir()
    with open_database(home / "data/state.db", synchronous="normal") as db:
        for key in ("a", "b", "c"):
            registry_cache.put(db, key, at=FETCHED, index_json="[1, 2]")
    kept = run("registry", "cache").result["entries"]
    assert [(one["key"], one["size"], one["fetchedAt"]) for one in kept] == [
        (key, 6, FETCHED) for key in ("a", "b", "c")
    ]
    assert run("registry", "cache", "--format", "text").out.splitlines()[1].split()[0] == "a"
    assert run("registry", "cache", "clear", "a").result == {"ok": True, "cleared": 1}
    missing = run("registry", "cache", "clear", "a")
    assert (missing.status, missing.error["code"]) == (1, "REGISTRY_NOT_CACHED")
    assert run("registry", "cache", "clear").result["cleared"] == 2
    assert run("registry", "cache").result == {"entries": []}
    assert run("registry", "cache", "wipe").status == 2


def test_an_index_is_built_to_the_output_or_to_a_file(run: Any, home: Path) -> None:
    (home / "bundles/tools/workflows").mkdir(parents=True)
    (home / "bundles/tools/workflows/roll-out.md").write_text("---\ndescription: Roll out.\n---\n")
    printed = run("registry", "build-index", "../bundles", "--format", "text").result
    assert (printed["version"], [one["name"] for one in printed["stashes"]]) == (3, ["tools"])
    out = home / "index.json"
    out.write_text("old")
    done = run("registry", "build-index", "../bundles", "--out", "../index.json")
    assert done.result == {"ok": True, "file": str(out), "bundles": 1}
    assert json.loads(out.read_text())["stashes"] == printed["stashes"]
    assert [path.name for path in home.iterdir() if path.name.startswith(".")] == []


def test_an_index_that_cannot_be_written_or_built_leaves_the_file_alone(run: Any, home: Path) -> None:
    (home / "bundles/tools/workflows").mkdir(parents=True)
    done = run("registry", "build-index", "../bundles", "--out", "../nowhere/index.json")
    assert (done.status, "cannot be written" in done.error["error"]) == (2, True)
    out = home / "index.json"
    out.write_text("old")
    assert run("registry", "build-index", "../none", "--out", str(out)).status == 2
    assert out.read_text() == "old"
    os.mkfifo(home / "pipe")
    done = run("registry", "build-index", "../bundles", "--out", "../pipe")
    assert (done.status, "is no file" in done.error["error"]) == (2, True)
    assert (home / "pipe").is_fifo()


@pytest.mark.parametrize("arguments", [["list"], ["cache"], ["cache", "clear"]])
def test_what_asks_nobody_imports_neither_requests_nor_sqlalchemy(home: Path, arguments: list[str]) -> None:
    (home / "data").mkdir()
    open_database(home / "data/state.db", synchronous="normal").close()
    probe = (
        "import sys; from akm.cli.app import main; status = main(sys.argv[1:]); "
        "sys.exit(status or len({'requests', 'sqlalchemy', 'alembic'} & set(sys.modules)))"
    )
    subprocess.run(
        [sys.executable, "-c", probe, "registry", *arguments], check=True, stdout=subprocess.DEVNULL
    )
