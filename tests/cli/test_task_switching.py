"""Which tasks `akm task` verbs see, and what the list of switched-on tasks may hold."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from fake_crontab import TASK

NIGHTLY = "team//tasks/nightly"


def a_task(folder: Path, name: str) -> None:
    (folder / "tasks").mkdir(parents=True, exist_ok=True)
    (folder / f"tasks/{name}.yml").write_text(TASK)


def listed(home: Path) -> Any:
    return tomllib.loads((home / "config/config.toml").read_text()).get("scheduler", {}).get("enabled")


def choose(home: Path, entries: str) -> None:
    config = home / "config/config.toml"
    config.write_text(f"{config.read_text()}[scheduler]\nenabled = [{entries}]\n")


def test_a_task_of_the_project_has_to_become_a_bundles_first(run: Any, home: Path, crontab: Path) -> None:
    a_task(home / "project", "mine")
    for verb in ("enable", "disable"):
        done = run("task", verb, "mine")
        assert done.status == 2
        assert f"akm bundle add NAME {home}/project`" in done.error["error"]
    assert (crontab.exists(), listed(home)) == (False, None)
    run("bundle", "add", "here", str(home / "project"))
    assert run("task", "enable", "mine").result["ref"] == "here//tasks/mine"


def test_enabling_means_the_task_that_every_verb_means(run: Any, home: Path, crontab: Path) -> None:
    a_task(home / "project", "nightly")
    assert run("task", "show", "nightly").result["task"]["ref"] == "project//tasks/nightly"
    done = run("task", "enable", "nightly")
    assert (done.status, crontab.exists()) == (2, False)
    assert f"write {NIGHTLY}" in done.error["hint"]
    assert run("task", "enable", NIGHTLY).status == 0


def test_a_projects_settings_move_no_bundle_of_the_schedule(run: Any, home: Path, crontab: Path) -> None:
    run("task", "enable", "nightly")
    before = crontab.read_text()
    a_task(home / "copy", "nightly")
    (home / "project/.akm").mkdir()
    (home / "project/.akm/config.toml").write_text('[bundles.team]\npath = "../copy"\n')
    assert run("task", "sync").status == 0
    assert crontab.read_text() == before
    done = run("task", "enable", "nightly")
    assert (done.status, "of this project's settings" in done.error["error"]) == (2, True)


def test_what_is_on_the_list_can_be_switched_off_without_its_file(
    run: Any, home: Path, crontab: Path
) -> None:
    run("task", "enable", "nightly")
    a_task(home / "team", "other")
    (home / "team/tasks/nightly.yml").unlink()
    a_task(home / "project", "nightly")
    done = run("task", "disable", "nightly")
    assert (done.status, done.result["ref"], done.result["changed"]) == (0, NIGHTLY, True)
    assert (crontab.read_text(), listed(home)) == ("", [])


def test_an_entry_of_an_older_version_is_read_as_its_ref(run: Any, home: Path, crontab: Path) -> None:
    choose(home, f'{{ kind = "task", ref = "{NIGHTLY}", sourceId = "x" }}')
    assert run("config", "show").status == 0
    assert run("task", "list").result["tasks"][0]["enabled"] is True
    assert len(run("task", "sync").result["installed"]) == 1
    a_task(home / "team", "other")
    assert run("task", "enable", "other").status == 0
    assert listed(home) == [NIGHTLY, "team//tasks/other"]
    assert NIGHTLY in crontab.read_text()


@pytest.mark.usefixtures("crontab")
@pytest.mark.parametrize("verb", ["sync", "list", "next", "enable"])
def test_an_odd_entry_is_warned_of_once_and_spoils_no_other(run: Any, home: Path, verb: str) -> None:
    choose(home, f'"nightly", 5, "team//workflows/w", "{NIGHTLY}"')
    done = run("task", verb, *(["nightly"] if verb == "enable" else []))
    assert done.status == 0, done.err
    assert done.err.count("'nightly'") == 1
    assert done.err.count("write a task with `uses: team//workflows/w`") == 1
    assert run("task", "next", "--count", "1").result["fires"][0]["ref"] == NIGHTLY


@pytest.mark.usefixtures("crontab")
def test_changing_the_list_keeps_what_a_person_has_yet_to_mend(run: Any, home: Path) -> None:
    choose(home, '"team//workflows/w"')
    run("task", "enable", "nightly")
    assert listed(home) == [NIGHTLY, "team//workflows/w"]


@pytest.mark.usefixtures("crontab")
def test_doctor_counts_an_odd_entry_as_a_problem(run: Any, home: Path) -> None:
    choose(home, '"team//workflows/w"')
    done = run("task", "doctor")
    assert done.status == 1
    assert "no schedule of its own" in done.result["problems"][0]["problem"]


def test_rows_that_name_no_task_do_not_begin_the_list(run: Any, home: Path, crontab: Path) -> None:
    run("task", "enable", "nightly")
    config = home / "config/config.toml"
    config.write_text(config.read_text().partition("[scheduler]")[0])
    crontab.write_text(
        f"{crontab.read_text()}{crontab.read_text().replace('tasks/nightly@', 'workflows/w@')}"
    )
    text = crontab.read_text().split("# akm:env BEGIN")
    crontab.write_text(f"# akm:env BEGIN{text[1]}{text[2].partition('# akm:env END')[2].lstrip()}")
    # Without its folder, the crontab alone tells what the bundle had.
    (home / "team").rename(home / "unmounted")
    done = run("task", "sync")
    assert done.status == 0, done.err
    assert "was not set" in done.err
    assert listed(home) == [NIGHTLY]


def test_a_list_that_was_never_chosen_is_shown_as_absent(run: Any, home: Path) -> None:
    (home / "config").mkdir()
    entry = run("config", "show", "scheduler").result["settings"]
    assert entry == [{"key": "scheduler.enabled", "value": None, "origin": "default"}]
    (home / "config/config.toml").write_text("[scheduler]\nenabled = []\n")
    assert run("config", "show", "scheduler").result["settings"][0]["value"] == []
