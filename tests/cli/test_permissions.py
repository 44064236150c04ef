"""What an ordinary user is told about files and folders that are shut: one sentence, and never a bug."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ordinary
import pytest
from command_lines import Done
from fake_crontab import TASK
from workflow_files import a_file, a_step

Shut = Callable[[Path], Path]


@pytest.fixture
def place(home: Path, run: Any) -> Path:
    """A project with a workflow, a bundle named team with another and a task, a run, and a backup."""
    for root, name in ((home / "project", "here"), (home / "team", "there")):
        (root / "workflows").mkdir(parents=True)
        (root / f"workflows/{name}.md").write_text(a_file(a_step("one")))
    (home / "team/tasks").mkdir()
    (home / "team/tasks/nightly.yml").write_text(TASK)
    assert run("bundle", "add", "team", str(home / "team")).status == 0
    assert run("workflow", "run", "here").status == 0
    assert run("db", "backup", str(home / "backup.db")).status == 0
    (home / "shut").mkdir()
    return home


@pytest.fixture
def shut(place: Path) -> Iterator[Shut]:
    """Take every right to a place away, and give them back at the end."""
    before: dict[Path, int] = {}

    def act(relative: Path, mode: int = 0) -> Path:
        path = place / relative
        before[path] = path.stat().st_mode
        path.chmod(mode)
        return path

    yield act
    for path, mode in reversed(before.items()):
        path.chmod(mode)


def akm(*arguments: str) -> Done:
    done = subprocess.run(
        ordinary.command("--format", "text", *arguments), capture_output=True, text=True, timeout=60
    )
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("db", "backup", "{shut}/x.db"), 78),
        (("db", "restore", "{shut}/x.db"), 78),
        (("workflow", "export", "{run}", "--out", "{shut}/x.json"), 78),
        (("workflow", "import", "{shut}/x.json"), 2),
        (("workflow", "convert", "{shut}/x.md"), 78),
        (("workflow", "create", "new", "--from", "{shut}/x.md"), 2),
        (("workflow", "run", "{shut}/x.md"), 2),
        (("workflow", "lint", "{shut}/x.md"), 2),
        (("task", "validate", "{shut}/x.yml"), 2),
        (("bundle", "add", "other", "{shut}"), 2),
        (("bundle", "add", "other", "{shut}/x"), 2),
        (("registry", "build-index", "{team}", "--out", "{shut}/x.json"), 78),
    ],
)
def test_a_folder_that_may_not_be_entered_is_named_in_one_sentence(
    place: Path, shut: Shut, run: Any, arguments: tuple[str, ...], status: int
) -> None:
    known = {"run": run("workflow", "list").result["runs"][0]["id"], "team": place / "team"}
    folder = shut(Path("shut"))
    done = akm(*(argument.format(shut=folder, **known) for argument in arguments))
    assert done.status == status
    assert str(folder) in done.err
    assert "cannot be" in done.err
    assert "bug" not in done.err


def test_a_data_directory_that_may_not_be_entered_is_named(shut: Shut) -> None:
    folder = shut(Path("data"))
    for arguments in (("db", "check"), ("db", "doctor"), ("db", "current"), ("registry", "cache")):
        done = akm(*arguments)
        assert (done.status, "Permission denied" in done.err) == (78, True)
        assert str(folder / "state.db") in done.err
    assert akm("info").status == 0


def test_a_backup_of_an_unreadable_database_blames_the_database(place: Path, shut: Shut) -> None:
    folder = shut(Path("data"))
    done = akm("db", "backup", str(place / "other.db"))
    assert done.status == 78
    assert done.err.startswith(f"akm: {folder}/state.db cannot be used: Permission denied.")


@pytest.mark.parametrize("folder", ["config", "project/.akm"])
def test_a_configuration_that_may_not_be_looked_at_is_not_passed_over(
    place: Path, shut: Shut, folder: str
) -> None:
    (place / folder).mkdir(exist_ok=True)
    (place / folder / "config.toml").touch()
    file = shut(Path(folder)) / "config.toml"
    for arguments in (("workflow", "list"), ("task", "list"), ("bundle", "list"), ("task", "doctor")):
        done = akm(*arguments)
        if (folder, arguments) == ("project/.akm", ("task", "doctor")):
            continue  # A scheduler knows no project.
        assert done.status == 78
        assert f"{file} cannot be read: Permission denied." in done.err


@pytest.mark.parametrize("folder", ["team", "team/tasks"])
def test_a_bundle_that_cannot_be_read_hides_no_other_task(place: Path, shut: Shut, folder: str) -> None:
    (place / "project/tasks").mkdir()
    (place / "project/tasks/mine.yml").write_text(TASK)
    shut(Path(folder))
    done = akm("task", "list")
    assert (done.status, done.err) == (0, "")
    assert "project//tasks/mine" in done.out
    assert f"The folder {place}/team/tasks cannot be read: Permission denied." in done.out
    assert akm("task", "show", "mine").status == 0
    for verb in ("show", "run"):
        done = akm("task", verb, "nightly")
        assert (done.status, "nightly.yml cannot be read: Permission denied." in done.err) == (2, True)


def test_what_is_enabled_in_a_bundle_that_cannot_be_read_is_told_with_the_reason(
    place: Path, shut: Shut
) -> None:
    with open(place / "config/config.toml", "a") as file:
        file.write('\n[scheduler]\nenabled = ["team//tasks/nightly"]\n')
    folder = shut(Path("team/tasks"))
    done = akm("task", "doctor")
    assert done.status == 1
    assert f"team//tasks/nightly: file invalid: The folder {folder} cannot be read" in done.out
    assert "no such task file" not in done.out


def test_a_workflow_in_a_bundle_that_cannot_be_read_is_not_called_missing(shut: Shut) -> None:
    folder = shut(Path("team"))
    done = akm("workflow", "plan", "team//workflows/there")
    assert done.status == 2
    assert f"{folder}/workflows/there.md cannot be read: you have no permission to." in done.err
    assert akm("workflow", "plan", "here").status == 0
    assert akm("bundle", "show", "team").status == 0


def test_lint_tells_of_what_it_could_not_read_and_of_the_rest(place: Path, shut: Shut) -> None:
    (place / "project/workflows/bad.md").write_text("---\ntype: workflow\n---\n")
    (place / "project/workflows/deep").mkdir()
    shut(Path("project/workflows/here.md"))
    shut(Path("project/workflows/deep"))
    done = akm("workflow", "lint", "workflows")
    assert done.status == 1
    assert "workflows/here.md:1: error: This cannot be read: Permission denied. [unreadable]" in done.out
    assert "workflows/deep:1: warning: This cannot be read: Permission denied. [unreadable]" in done.out
    assert "workflows/bad.md:" in done.out
    assert akm("workflow", "lint", "workflows/deep").status == 1


def test_lint_of_this_place_does_not_pass_over_a_folder_that_may_not_be_entered(shut: Shut) -> None:
    folder = shut(Path("team"))
    done = akm("workflow", "lint")
    assert done.status == 1
    assert f"{folder}/workflows:1: error: This cannot be read: Permission denied." in done.out


def test_a_read_only_database_is_not_called_a_fault_of_the_disk_by_restore(place: Path, shut: Shut) -> None:
    file = shut(Path("data/state.db"), 0o444)
    done = akm("db", "restore", str(place / "backup.db"))
    assert done.status == 78
    assert done.err.startswith(f"akm: The database {file} is read-only, so nothing was restored;")


def test_doctor_does_not_send_for_a_backup_where_permissions_are_at_fault(shut: Shut) -> None:
    shut(Path("data/state.db"))
    done = akm("db", "doctor")
    assert done.status == 1
    assert "Correct the permissions of the file and its folder." in done.out
    assert "db restore" not in done.out


def test_a_completion_script_that_cannot_be_written_says_where(
    place: Path, shut: Shut, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(place / "shut"))
    folder = shut(Path("shut"), 0o555)
    done = akm("--install-completion", "fish")
    assert done.status == 78
    assert f"cannot be written to {folder}/" in done.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("db", "backup", "{long}"),
        ("db", "restore", "{long}"),
        ("workflow", "convert", "{long}"),
        ("registry", "build-index", "{team}", "--out", "{long}"),
    ],
)
def test_a_name_that_is_too_long_is_no_bug(place: Path, arguments: tuple[str, ...]) -> None:
    done = akm(*(argument.format(long="x" * 300, team=place / "team") for argument in arguments))
    assert done.status == 78
    assert "cannot be used: File name too long." in done.err
    assert "Choose a shorter name." in done.err
