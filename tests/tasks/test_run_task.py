"""One run of a task: what it writes, in which order, and what it came to."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import workflow_files
from running_tasks import Bench
from workflow_files import a_file, a_step, sh

from akm.errors import ConfigError, NotFoundError, TransientError, UsageError
from akm.tasks.execution import processes
from akm.tasks.execution.prepare import shell_argv
from akm.tasks.files.task import Command, Script, Shell, Workflow


def test_a_completed_task_has_one_row_and_one_log_of_its_owner(bench: Bench) -> None:
    result = bench.run("echo out; echo err >&2")
    row = bench.row()
    assert (row["status"], row["target_kind"], row["failed_at"]) == ("completed", "shell", None)
    assert row["started_at"] == result.started_at
    assert row["log_path"] == result.log
    log = Path(result.log)
    assert log.read_text() == (
        "[akm task] task=t kind=shell\nexit_code=0\n--- stdout ---\nout\n--- stderr ---\nerr\n"
    )
    assert log.name == f"{result.started_at.replace(':', '-').replace('.', '-')}.log"
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    shown = result.shown()
    assert (shown["ok"], shown["exitCode"], shown["result"]["status"]) == (True, 0, "completed")


@pytest.mark.parametrize(
    ("script", "more", "reason", "exit_code", "exit_status"),
    [
        ("exit 3", {}, "exit", 3, 1),
        ("exit 78", {}, "exit", 78, 78),
        ("kill -KILL $$", {}, "signal", 137, 1),
        ("exec sleep 60", {"timeout_ms": 30}, "timeout", 143, 1),
    ],
)
def test_what_went_wrong_is_never_completed(
    bench: Bench, script: str, more: dict[str, Any], reason: str, exit_code: int, exit_status: int
) -> None:
    result = bench.run(script, **more)
    assert (bench.row()["status"], bench.detail()) == ("failed", {"reason": reason, "exitCode": exit_code})
    assert bench.row()["failed_at"] == bench.row()["completed_at"]
    assert (result.exit_status, result.shown()["ok"]) == (exit_status, False)


def test_a_timeout_is_told_in_the_log(bench: Bench) -> None:
    result = bench.run("exec sleep 60", timeout_ms=30)
    assert "timed_out=true timeout_ms=30\n" in Path(result.log).read_text()


def test_a_script_runs_in_its_bundle_with_the_environment(bench: Bench) -> None:
    (bench.root / "scripts").mkdir()
    (bench.root / "scripts/x.sh").write_text('pwd; echo "$MINE $OTHER $AKM_EVENT_SOURCE"')
    bench.environment["OTHER"] = "inherited"
    result = bench.run(Script("project//scripts/x.sh"), env={"MINE": "own"})
    assert f"{bench.root}\nown inherited task\n" in Path(result.log).read_text()
    assert bench.row()["target_kind"] == "script"


def test_a_leading_akm_is_this_installation() -> None:
    launcher = ("/a b/python", "-m", "akm")
    assert shell_argv(Shell("akm info"), launcher) == ("sh", "-c", "'/a b/python' -m akm info")
    assert shell_argv(Shell("akmx; akm info", "bash"), launcher) == ("bash", "-c", "akmx; akm info")


@pytest.mark.parametrize(
    ("target", "error"),
    [
        (Script("project//scripts/none.sh"), NotFoundError),
        (Workflow("project//workflows/none"), NotFoundError),
        (Shell("true", working_directory="gone"), UsageError),
        (Shell("true", working_directory=".."), UsageError),
        (Command(content="Say hello."), ConfigError),
    ],
)
def test_what_cannot_be_prepared_leaves_no_row_and_no_log(
    bench: Bench, target: Any, error: type[Exception]
) -> None:
    with pytest.raises(error):
        bench.run(target)
    assert bench.rows() == []
    assert not list(Path(bench.environment["AKM_CACHE_DIR"]).rglob("*.log"))


_HOLD = """
import sqlite3, sys
held = sqlite3.connect(sys.argv[1], isolation_level=None)
held.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""


def test_a_ledger_that_is_held_too_long_ends_in_one_typed_error_before_anything_runs(bench: Bench) -> None:
    command = [sys.executable, "-c", _HOLD, str(bench.path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(TransientError, match=f"process {holder.pid}") as raised:
            bench.run("touch ran")
        holder.communicate()
    assert (raised.value.code, raised.value.exit_status) == ("STATE_DB_CONTENDED", 75)
    assert not (bench.root / "ran").exists()
    assert bench.rows() == []


def test_without_a_usable_ledger_the_task_runs_and_says_so(bench: Bench) -> None:
    bench.path.write_text("no database at all, but long enough to be looked at by SQLite")
    result = bench.run("touch ran")
    assert (bench.root / "ran").exists()
    shown = result.shown()
    assert (shown["result"]["status"], shown["result"]["historyReserved"]) == ("completed", False)
    assert (shown["ok"], result.exit_status) == (False, 1)
    assert "not in the history" in bench.warnings[0]


def test_a_row_that_somebody_else_finished_is_left_as_it_is(bench: Bench) -> None:
    statement = "UPDATE task_history SET status='blocked', completed_at=started_at"
    command = f'{sys.executable} -c "import sqlite3; c=sqlite3.connect({str(bench.path)!r});'
    bench.run(f'{command} c.execute(\\"{statement}\\"); c.commit()"')
    assert bench.row()["status"] == "blocked"


def test_a_clock_that_goes_back_gives_no_negative_duration(bench: Bench) -> None:
    times = iter(["2026-12-02T09:00:00.000Z", "2026-12-02T08:00:00.000Z"])
    result = bench.run("true", now=lambda: next(times))
    assert bench.row()["completed_at"] == bench.row()["started_at"]
    assert result.shown()["result"]["durationMs"] == 0


def test_a_dispatch_that_raises_closes_the_row_and_tells_no_message(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> Any:
        raise RuntimeError("holds a secret")

    monkeypatch.setattr(processes, "run", broken)
    with pytest.raises(RuntimeError):
        bench.run("true")
    row = bench.row()
    assert (row["status"], row["target_kind"]) == ("failed", None)
    assert bench.detail() == {"reason": "task_dispatch_failed", "error": "INTERNAL"}
    expected = "[akm task] status=failed reason=task_dispatch_failed code=INTERNAL\n"
    assert Path(row["log_path"]).read_text() == expected


def test_secrets_reach_no_log(bench: Bench) -> None:
    bench.environment |= {"API_TOKEN": "from-the-environment", "PIN": "1234"}
    result = bench.run('echo "$API_TOKEN $PIN"; echo "$PIN" >&2', redact=("PIN",))
    text = Path(result.log).read_text()
    assert "from-the" not in text
    assert "1234" not in text.partition("--- stdout ---")[2]


def a_workflow(bench: Bench, *steps: dict[str, Any], **top: Any) -> Workflow:
    workflow_files.write(bench.root, "w", a_file(*steps, **top))
    return Workflow("project//workflows/w")


def test_a_workflow_gets_the_inputs_as_parameters(bench: Bench) -> None:
    step = a_step("a", *sh('printf %s "$AKM_PARAMS" > seen'))
    target = a_workflow(bench, step, params={"n": {"type": "integer"}})
    result = bench.run(target, inputs={"n": 3})
    row = bench.row()
    assert (row["status"], row["target_kind"]) == ("completed", "workflow")
    assert row["target_ref"] == "project//workflows/w"
    assert (bench.root / "seen").read_text() == '{"n":3}'
    assert f"run_id={bench.detail()['runId']} status=completed\n" in Path(result.log).read_text()


def test_an_active_run_is_gone_on_with_without_parameters(bench: Bench) -> None:
    target = a_workflow(bench, a_step("a"), a_step("b"), params={"n": {"type": "integer"}})
    first = bench.run(target, inputs={"n": 1}, max_steps=1)
    assert (first.status, first.exit_status) == ("active", 0)
    second = bench.run(target, inputs={"n": 2})
    assert second.status == "completed"
    assert len({row["metadata_json"].partition('"runId":"')[2][:36] for row in bench.rows()}) == 1


def test_a_failed_run_fails_its_task_and_says_how_to_go_on(bench: Bench) -> None:
    result = bench.run(a_workflow(bench, a_step("a", "false")))
    assert (bench.row()["status"], bench.detail()["reason"], result.exit_status) == (
        "failed",
        "run_failed",
        1,
    )
    assert "akm workflow resume" in result.outcome.notices[0]


def test_a_run_out_of_time_is_failed_and_can_be_gone_on_with(bench: Bench) -> None:
    result = bench.run(a_workflow(bench, a_step("a", *sh("exec sleep 60"))), timeout_ms=50)
    assert (result.status, bench.detail()["reason"]) == ("failed", "timeout")
    assert "Go on: `akm workflow run" in result.outcome.notices[0]


def test_an_engine_reads_the_content_on_its_input(bench: Bench) -> None:
    (bench.root / ".akm").mkdir()
    (bench.root / ".akm/config.toml").write_text(
        '[defaults]\nengine = "reader"\n[engines.reader]\nkind = "agent"\ncommand = ["cat"]\n'
    )
    result = bench.run(Command(content="Say $ARGUMENTS.", arguments="hello"))
    assert "\nSay hello.\n" in Path(result.log).read_text()
    assert '"engine":"reader"' in bench.row()["metadata_json"]
    assert result.shown()["result"]["target"] == {"kind": "command", "engine": "reader"}


def test_a_preset_gets_the_content_and_writes_its_log_for_people(
    bench: Bench,
) -> None:
    folder = bench.root / "bin"
    folder.mkdir()
    (folder / "opencode").write_text('#!/bin/sh\nprintf "%s|" "$@"\n')
    (folder / "opencode").chmod(0o755)
    bench.environment["PATH"] = f"{folder}:{os.environ['PATH']}"
    (bench.root / ".akm").mkdir()
    (bench.root / ".akm/config.toml").write_text(
        '[defaults]\nengine = "coder"\n[engines.coder]\nkind = "agent"\npreset = "opencode"\n'
        'model = "fast"\n[models.fast]\ncoder = "a/b"\n'
    )
    result = bench.run(Command(content="Say hello."))
    assert "\nrun|--model|a/b|Say hello.|" in Path(result.log).read_text()
