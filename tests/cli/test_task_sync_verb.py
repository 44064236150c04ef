"""`akm task sync`: what stays, what is put right again, and whose rows are never touched."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake_crontab import TASK

KEYS = {"installed", "updated", "removed", "unchanged", "skipped", "backend", "failures", "warnings"}
THEIRS = "# akm:task {0} BEGIN\n@daily /their/akm task run x\n# akm:task {0} END\n"


def ids(native_ids: list[str]) -> list[str]:
    return [native_id.rpartition("@")[0] for native_id in native_ids]


def remove(bundle: Path) -> None:
    bundle.rename(bundle.with_name("unmounted"))


def empty(bundle: Path) -> None:
    remove(bundle)
    bundle.mkdir()


def link_away(bundle: Path) -> None:
    (bundle / "tasks").rename(bundle / "elsewhere")
    (bundle / "tasks").symlink_to("/nowhere/tasks")


@pytest.mark.parametrize("take", [remove, empty, link_away])
def test_a_bundle_that_is_not_there_keeps_its_rows_and_its_place_in_the_list(
    run: Any, home: Path, crontab: Path, take: Callable[[Path], None]
) -> None:
    run("task", "enable", "nightly")
    before = crontab.read_text()
    take(home / "team")
    done = run("task", "sync")
    assert (done.status, crontab.read_text()) == (0, before)
    assert set(done.result) == KEYS
    assert (done.result["removed"], done.result["skipped"]) == ([], [])
    (warning,) = done.result["warnings"]
    assert f"bundle team cannot be read in {home}/team" in warning
    assert warning in done.err
    config = home / "config/config.toml"
    config.write_text(config.read_text().partition("[scheduler]")[0])
    run("task", "sync")
    assert '"team//tasks/nightly"' in config.read_text()
    assert crontab.read_text() == before


def test_a_task_that_was_deleted_loses_its_row(run: Any, home: Path, crontab: Path) -> None:
    run("task", "enable", "nightly")
    (home / "team/tasks/nightly.yml").unlink()
    done = run("task", "sync")
    assert (done.status, ids(done.result["removed"])) == (0, ["team//tasks/nightly"])
    assert crontab.read_text() == ""


def test_a_file_that_cannot_be_read_keeps_its_row(run: Any, home: Path, crontab: Path) -> None:
    run("task", "enable", "nightly")
    before = crontab.read_text()
    (home / "team/tasks/nightly.yml").unlink()
    (home / "team/tasks/nightly.yml").mkdir()
    done = run("task", "sync")
    assert (done.status, crontab.read_text()) == (1, before)
    (failure,) = done.result["failures"]
    assert failure["ref"] == "team//tasks/nightly"
    assert failure["path"] == f"{home}/team/tasks/nightly.yml"
    assert "no regular file" in failure["reason"]


def test_a_new_path_is_written_though_no_row_changes(
    run: Any, home: Path, crontab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("task", "enable", "nightly")
    monkeypatch.setenv("PATH", f"{home}/bin:/usr/bin:/bin")
    before = crontab.read_text()
    assert run("task", "sync", "--dry-run").status == 0
    assert crontab.read_text() == before
    done = run("task", "sync")
    assert ids(done.result["unchanged"]) == ["team//tasks/nightly"]
    assert f"# akm:env BEGIN\nPATH={home}/bin:/usr/bin:/bin\n# akm:env END\n" in crontab.read_text()
    assert crontab.read_text().partition("# akm:task")[2] == before.partition("# akm:task")[2]


def test_the_path_above_rows_of_another_installation_stays(
    run: Any, home: Path, crontab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("task", "enable", "nightly")
    crontab.write_text(crontab.read_text() + THEIRS.format("x//tasks/y@ffffffff"))
    before = crontab.read_text()
    monkeypatch.setenv("PATH", f"{home}/bin:/usr/bin:/bin")
    assert run("task", "sync").status == 0
    assert crontab.read_text() == before


@pytest.mark.parametrize("spoil", [Path.unlink, lambda file: file.write_text("#!/bin/sh\n")])
def test_a_script_that_was_lost_or_altered_is_written_again(
    run: Any, home: Path, crontab: Path, spoil: Callable[[Path], Any]
) -> None:
    text = 'version: 4\nrun: "true"\ninputs: { w: { type: string } }\n'
    text += f"schedule: [{{ cron: '@daily', inputs: {{ w: {'x' * 2000} }} }}]\n"
    (home / "team/tasks/long.yml").write_text(text)
    run("task", "enable", "long")
    (row,) = [line for line in crontab.read_text().splitlines() if line.startswith("@daily ")]
    script = Path(shlex.split(row)[-1])
    written, before = script.read_text(), crontab.read_text()
    spoil(script)
    done = run("task", "sync")
    assert ids(done.result["unchanged"]) == ["team//tasks/long"]
    assert (script.read_text(), crontab.read_text()) == (written, before)
    assert script.stat().st_mode & 0o777 == 0o600


def test_the_folder_of_what_rows_print_is_made_again(run: Any, home: Path, crontab: Path) -> None:
    run("task", "enable", "nightly")
    folder = home / "state/tasks/scheduled/team"
    folder.rmdir()
    run("task", "sync")
    assert folder.is_dir()
    assert crontab.exists()


def test_of_two_tasks_with_one_name_but_for_its_case_neither_is_installed(
    run: Any, home: Path, crontab: Path
) -> None:
    for name in ("Nightly", "other"):
        (home / f"team/tasks/{name}.yml").write_text(TASK)
    config = home / "config/config.toml"
    refs = ", ".join(f'"team//tasks/{name}"' for name in ("Nightly", "nightly", "other"))
    config.write_text(f"{config.read_text()}[scheduler]\nenabled = [{refs}]\n")
    done = run("task", "sync")
    assert (done.status, ids(done.result["installed"])) == (1, ["team//tasks/other"])
    reported = {failure["ref"]: failure["path"] for failure in done.result["failures"]}
    assert reported == {
        f"team//tasks/{name}": f"{home}/team/tasks/{name}.yml" for name in ("Nightly", "nightly")
    }
    assert all("rename one" in failure["reason"] for failure in done.result["failures"])
    assert "ightly" not in crontab.read_text()


def test_a_bundle_that_is_configured_no_more_loses_its_rows_and_nobody_else(
    run: Any, home: Path, crontab: Path
) -> None:
    (home / "mine/tasks").mkdir(parents=True)
    (home / "mine/tasks/a.yml").write_text(TASK)
    run("bundle", "add", "mine", str(home / "mine"))
    run("task", "enable", "nightly")
    run("task", "enable", "mine//tasks/a")
    theirs = THEIRS.format("team//tasks/nightly@ffffffff") + THEIRS.format("made-by-hand")
    crontab.write_text(crontab.read_text() + theirs)
    config = home / "config/config.toml"
    config.write_text(config.read_text().replace("[bundles.team]", "[other.team]"))
    scoped = run("task", "sync", "--bundle", "mine")
    assert (scoped.result["removed"], ids(scoped.result["unchanged"])) == ([], ["mine//tasks/a"])
    done = run("task", "sync")
    assert (done.status, ids(done.result["removed"])) == (0, ["team//tasks/nightly"])
    assert [skipped["ref"] for skipped in done.result["skipped"]] == ["team//tasks/nightly"]
    text = crontab.read_text()
    assert text.endswith(theirs)
    assert "mine//tasks/a@" in text


def test_rows_of_another_installation_are_taken_over_only_when_it_is_asked(
    run: Any, home: Path, crontab: Path
) -> None:
    other, same = THEIRS.format("team//tasks/other@ffffffff"), THEIRS.format("team//tasks/nightly@ffffffff")
    crontab.write_text(other + same)
    run("task", "enable", "nightly")
    assert same in crontab.read_text()
    preview = run("task", "sync", "--rebind", "--dry-run")
    assert (preview.status, preview.result["removed"]) == (1, ["team//tasks/nightly@ffffffff"])
    assert run("task", "sync", "--rebind").status == 0
    text = crontab.read_text()
    assert (other in text, same in text, "team//tasks/nightly@" in text) == (True, False, True)
    assert home.is_dir()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("# akm:task a BEGIN\n* * * * * x\n", 2),
        ("# akm:task a BEGIN\n# akm:task b BEGIN\n* * * * * x\n# akm:task b END\n# akm:task a END\n", 2),
        ("# akm:env BEGIN\nPATH=/bin\n# akm:task a BEGIN\nx\n# akm:task a END\n", 2),
        ("# akm:task a END\n", 2),
    ],
)
def test_a_crontab_that_somebody_broke_is_told_with_its_line_and_left_alone(
    run: Any, home: Path, crontab: Path, text: str, line: int
) -> None:
    crontab.write_text(f"MAILTO=me\n{text}")
    for command in (
        ("sync",),
        ("sync", "--dry-run"),
        ("enable", "nightly"),
        ("prune", "--yes"),
        ("add", "new", "--schedule", "@daily", "--command", "true"),
    ):
        done = run("task", *command)
        assert (done.status, done.error["code"]) == (78, "CRONTAB_MALFORMED"), command
        assert f"at line {line}, " in done.error["error"]
        assert "crontab -e" in done.error["hint"]
    assert crontab.read_text() == f"MAILTO=me\n{text}"
    assert not (home / "team/tasks/new.yml").exists()


def test_without_cron_a_task_is_enabled_for_the_server_and_that_is_said(
    run: Any, home: Path, crontab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(home))
    done = run("task", "enable", "nightly")
    assert (done.status, done.error["code"]) == (78, "SCHEDULER_UNAVAILABLE")
    assert "team//tasks/nightly is enabled, but" in done.error["error"]
    assert "akm task serve" in done.error["hint"]
    assert '"team//tasks/nightly"' in (home / "config/config.toml").read_text()
    assert not crontab.exists()
