"""Running and serving tasks as a person, cron and a service manager do it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
AKM = (sys.executable, "-P", "-m", "akm")


@pytest.fixture
def project(home: Path, migrated: Path) -> Path:
    """A project with an empty ledger."""
    (home / "data").mkdir()
    shutil.copyfile(migrated, home / "data/state.db")
    (home / "project/tasks").mkdir()
    return home / "project"


def a_task(project: Path, script: str, name: str = "t", **more: Any) -> None:
    text = json.dumps({"version": 4, "run": script, **more})
    (project / f"tasks/{name}.yml").write_text(text)


def rows(home: Path) -> list[dict[str, Any]]:
    connection = sqlite3.connect(home / "data/state.db")
    connection.row_factory = sqlite3.Row
    found = [dict(row) for row in connection.execute("SELECT * FROM task_history ORDER BY id")]
    connection.close()
    return found


def until_a_line(child: subprocess.Popen[str], file: Path) -> None:
    """Wait until the child's task has opened the named pipe `file`."""
    file.read_text()
    assert child.poll() is None


def test_run_is_one_document_with_its_exit_code(project: Path, run: Run) -> None:
    a_task(project, "exit 78")
    ended = run("task", "run", "t")
    assert (ended.status, ended.result["ok"], ended.result["exitCode"]) == (78, False, 78)
    assert ended.result["result"]["detail"] == {"reason": "exit", "exitCode": 78}


def test_run_tells_a_person_what_happened(project: Path, run: Run) -> None:
    a_task(project, "exit 3")
    out = run("task", "run", "t", "--format", "text").out
    assert "Task t is failed (exit)" in out
    assert "See its log: " in out


@pytest.mark.parametrize(
    ("arguments", "status", "code"),
    [
        (("none",), 1, None),
        (("t", "--other", "1"), 2, "UNKNOWN_FLAG"),
        (("t", "--n", "one"), 2, "INPUT_BINDING_INVALID"),
        (("t",), 2, "INPUT_BINDING_INVALID"),
    ],
)
def test_what_is_wrong_with_the_command_leaves_no_row(
    project: Path, home: Path, run: Run, arguments: tuple[str, ...], status: int, code: str | None
) -> None:
    a_task(project, "true", inputs={"n": {"type": "integer", "required": True}})
    ended = run("task", "run", *arguments)
    assert ended.status == status
    assert code in (None, ended.error["code"])
    assert ended.out == ""
    assert rows(home) == []


def test_eight_at_once_are_eight_rows(project: Path, home: Path) -> None:
    a_task(project, "sleep 1")
    children = [subprocess.Popen([*AKM, "task", "run", "t"], stdout=subprocess.PIPE) for _ in range(8)]
    answers = [json.loads(child.communicate()[0])["result"] for child in children]
    assert [child.returncode for child in children] == [0] * 8
    found = rows(home)
    assert len(found) == len({row["started_at"] for row in found}) == 8
    assert {row["status"] for row in found} == {"completed"}
    assert {answer["log"] for answer in answers} == {row["log_path"] for row in found}


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_a_signal_stops_the_group_and_closes_the_row(project: Path, home: Path, name: str) -> None:
    pipe = project / "pipe"
    os.mkfifo(pipe)
    a_task(project, f"sleep 600 & echo $! > child; echo > {pipe}; wait")
    number = signal.Signals[name]
    child = subprocess.Popen([*AKM, "task", "run", "t"], stdout=subprocess.PIPE, text=True)
    until_a_line(child, pipe)
    child.send_signal(number)
    out, _ = child.communicate()
    assert child.returncode == 128 + number
    (row,) = rows(home)
    assert (row["status"], json.loads(row["metadata_json"])["detail"]["reason"]) == ("failed", "terminated")
    assert json.loads(out)["exitCode"] == child.returncode
    stat = Path(f"/proc/{int((project / 'child').read_text())}/stat")
    assert not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z"


def test_a_task_that_is_running_is_skipped_on_request(project: Path, home: Path, run: Run) -> None:
    pipe = project / "pipe"
    os.mkfifo(pipe)
    a_task(project, f"echo > {pipe}; sleep 600")
    child = subprocess.Popen([*AKM, "task", "run", "t"], stdout=subprocess.PIPE, text=True)
    until_a_line(child, pipe)
    ended = run("task", "run", "t", "--skip-if-running")
    child.terminate()
    child.communicate()
    assert (ended.status, ended.result["skipped"]["reason"]) == (0, "running")
    assert len(rows(home)) == 1


def test_a_row_whose_process_is_gone_skips_nothing(project: Path, home: Path, run: Run) -> None:
    pipe = project / "pipe"
    os.mkfifo(pipe)
    a_task(project, f"test -e again && exit; touch again; echo > {pipe}; sleep 5")
    child = subprocess.Popen([*AKM, "task", "run", "t"])
    until_a_line(child, pipe)
    child.kill()
    child.wait()
    ended = run("task", "run", "t", "--skip-if-running")
    assert ended.result["result"]["status"] == "completed"
    assert [row["status"] for row in rows(home)] == ["active", "completed"]


def test_a_bare_environment_is_enough(project: Path, home: Path) -> None:
    a_task(project, "echo fine")
    done = subprocess.run([*AKM, "task", "run", "t"], env={"HOME": str(home)}, capture_output=True, text=True)
    assert (done.returncode, json.loads(done.stdout)["result"]["status"]) == (0, "completed")
    assert (home / ".local/share/akm/state.db").exists()


def test_without_any_home_the_missing_setting_is_named(project: Path) -> None:
    a_task(project, "echo fine")
    done = subprocess.run([*AKM, "task", "run", "t"], env={}, capture_output=True, text=True)
    assert done.returncode == 78
    assert "HOME" in done.stderr


@pytest.fixture
def served(project: Path, home: Path) -> Path:
    """A bundle of the user's whose task fires every minute."""
    bundle = home / "team"
    (bundle / "tasks").mkdir(parents=True)
    (home / "config").mkdir()
    (home / "config/config.toml").write_text(
        f'[bundles.team]\npath = "{bundle}"\n[scheduler]\nenabled = ["team//tasks/t"]\n'
    )
    assert project.is_dir()
    return bundle


def test_serving_once_fires_what_is_due_and_waits_for_it(served: Path, home: Path, process: Run) -> None:
    a_task(served, "echo fired > fired", schedule="* * * * *")
    ended = process("task", "serve", "--once")
    assert ended.status == 0, ended.err
    events = [json.loads(line)["event"] for line in ended.out.splitlines()]
    assert events == ["started", "ended"]
    assert (served / "fired").read_text() == "fired\n"
    assert [row["status"] for row in rows(home)] == ["completed"]


def test_a_stopped_server_stops_its_children(served: Path, home: Path) -> None:
    pipe = home / "pipe"
    os.mkfifo(pipe)
    a_task(served, f"echo > {pipe}; exec sleep 600", schedule="* * * * *")
    server = subprocess.Popen([*AKM, "task", "serve", "--once"], stdout=subprocess.PIPE, text=True)
    until_a_line(server, pipe)
    server.terminate()
    server.communicate()
    assert server.returncode == 143
    (row,) = rows(home)
    assert (row["status"], json.loads(row["metadata_json"])["detail"]["reason"]) == ("failed", "terminated")


def test_a_second_server_is_refused(served: Path, home: Path, run: Run) -> None:
    pipe = home / "pipe"
    os.mkfifo(pipe)
    a_task(served, f"echo > {pipe}; exec sleep 600", schedule="* * * * *")
    server = subprocess.Popen([*AKM, "task", "serve", "--once"], stdout=subprocess.PIPE, text=True)
    until_a_line(server, pipe)
    ended = run("task", "serve")
    server.terminate()
    server.communicate()
    assert (ended.status, ended.error["code"]) == (75, "SCHEDULER_LOCK_HELD")


def test_a_broken_file_is_told_and_hides_no_other_task(served: Path, process: Run) -> None:
    config = served.parent / "config/config.toml"
    config.write_text(config.read_text().replace('"team//tasks/t"', '"team//tasks/t", "team//tasks/u"'))
    a_task(served, "true", name="u", schedule="* * * * *")
    (served / "tasks/t.yml").write_text("version: 4\nrun: [\n")
    ended = process("task", "serve", "--once")
    assert "team//tasks/t is enabled and cannot be run" in ended.err
    assert json.loads(ended.out.splitlines()[0])["ref"] == "team//tasks/u"


def test_doctor_names_what_should_have_run_and_why(served: Path, home: Path, run: Run) -> None:
    a_task(served, "true", schedule="* * * * *")
    a_task(served, "true", name="quiet", schedule="0 0 1 1 *")
    for file in (served / "tasks/t.yml", home / "config/config.toml"):
        os.utime(file, (0, 0))
    ended = run("task", "doctor")
    (late,) = ended.result["overdue"]
    assert (ended.status, late["ref"]) == (1, "team//tasks/t")
    assert late["count"] > 9000
    assert ended.result["notEnabled"] == ["team//tasks/quiet"]


def test_doctor_finds_nothing_wrong_with_nothing_enabled(project: Path, run: Run) -> None:
    assert project.is_dir()
    ended = run("task", "doctor")
    assert (ended.status, ended.result["ok"]) == (0, True)


def test_doctor_names_an_enabled_file_that_is_invalid_or_gone(served: Path, run: Run) -> None:
    assert "no such task file" in run("task", "doctor").result["problems"][0]["problem"]
    (served / "tasks/t.yml").write_text("version: 4\n")
    assert "file invalid" in run("task", "doctor").result["problems"][0]["problem"]
