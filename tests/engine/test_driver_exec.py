"""What a unit's process can do to its run: too much output, too large a context, pipes and directories."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from builders import event_types
from places import Place
from workflow_files import a_step, sh

RETRY = {"max": 3, "on": ["timeout", "spawn_failed", "non_zero_exit", "parse_error", "aborted"]}


def python(code: str) -> tuple[str, ...]:
    return (sys.executable, "-I", "-S", "-c", code)


def failed_once(place: Place, reason: str) -> str:
    """Drive, expect one attempt that failed for `reason`, and return what is told of it."""
    result = place.run()
    assert result.exit_status == 1
    assert [row[1:] for row in place.attempts()] == [(1, "failed", reason)]
    return result.executed[-1].summary


def test_the_context_of_the_engine_is_not_shadowed_by_what_is_passed_through(place: Place) -> None:
    place.write(
        {
            "id": "a",
            "unit": {
                "exec": {"command": list(sh("echo $AKM_RUN_ID $MINE")), "pass_env": ["AKM_RUN_ID", "MINE"]}
            },
        }
    )
    environment = {**os.environ, "AKM_RUN_ID": "outer", "MINE": "mine"}
    run_id = place.run(environment=environment).run["id"]
    assert place.output("a") == f"{run_id} mine"


@pytest.mark.parametrize(("size", "status"), [(98_304, "completed"), (98_305, "failed")])
def test_a_context_up_to_its_limit_is_passed_and_one_byte_more_is_not_started(
    place: Place, size: int, status: str
) -> None:
    filling = size - len('{"steps.a.output":""}')
    place.write(
        a_step("a", *python(f"print('y' * {filling})")),
        a_step("b", *sh('touch started; printf %s "$AKM_INPUTS" | wc -c'), inputs=("steps.a.output",)),
    )
    place.run()
    assert place.row("SELECT status FROM workflow_run_steps WHERE step_id = 'b'")["status"] == status
    assert (place.root / "started").exists() == (status == "completed")
    if status == "completed":
        assert place.output("b").strip() == str(size)
    else:
        assert place.attempts()[-1] == ("b:solo", 1, "failed", "exec_context_too_large")


def test_too_much_output_for_a_schema_is_no_value(place: Place) -> None:
    command = python("import sys; sys.stdout.write('[' + '1,' * 4718592 + '1]')")
    place.write(a_step("a", *command, output={"type": "array"}, retry=RETRY))
    failed_once(place, "exec_output_limit")


def test_a_child_that_holds_the_output_open_makes_the_capture_incomplete(place: Place) -> None:
    place.write(a_step("a", *sh("echo out; sleep 60 & exit 0"), retry=RETRY))
    failed_once(place, "exec_capture_incomplete")


def test_a_child_that_holds_only_the_error_output_open_is_a_notice(place: Place) -> None:
    place.write(a_step("a", *sh("echo out; sleep 3 >/dev/null & exit 0")))
    result = place.run()
    assert (result.exit_status, place.output("a")) == (0, "out")
    assert "error output" in result.executed[0].notices[0]


def test_a_directory_that_came_to_lead_out_is_not_entered_and_not_retried(
    place: Place, tmp_path: Path
) -> None:
    (place.root / "inner").mkdir()
    unit = {"exec": {"command": ["touch", "here"], "cwd": "inner"}, "retry": RETRY}
    place.write(a_step("z"), {"id": "a", "unit": unit})
    place.run(max_steps=1)
    (place.root / "inner").rmdir()
    (tmp_path / "outside").mkdir()
    (place.root / "inner").symlink_to(tmp_path / "outside")
    assert place.run().exit_status == 1
    assert place.attempts()[0] == ("a:solo", 1, "failed", "exec_cwd_escape")
    assert list((tmp_path / "outside").iterdir()) == []


def test_a_timeout_ends_grandchildren_too_and_is_retried_when_asked(place: Place) -> None:
    script = "sleep 300 & echo $! >> children; wait"
    place.write(a_step("a", *sh(script), timeout="300ms", retry={"max": 1, "on": ["timeout"]}))
    assert place.run().exit_status == 1
    assert [row[1:] for row in place.attempts()] == [(1, "failed", "timeout"), (2, "failed", "timeout")]
    children = (place.root / "children").read_text().split()
    assert len(children) == 2
    assert [child for child in children if is_alive(child)] == []


def is_alive(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_failed_step_is_told_apart_from_a_completed_one_by_its_event(place: Place) -> None:
    place.write(a_step("a"), a_step("b", "false"))
    place.run()
    assert event_types(place.db).count("workflow_step_completed") == 1
    updated = place.row("SELECT * FROM events WHERE event_type = 'workflow_step_updated'")
    assert json.loads(updated["metadata_json"])["status"] == "failed"
    assert "workflow_finished" not in event_types(place.db)


def test_prose_is_handed_to_the_configured_engine(place: Place) -> None:
    (place.root / ".akm").mkdir()
    (place.root / ".akm/config.toml").write_text(
        '[defaults]\nengine = "echo"\n[engines.echo]\nkind = "agent"\npreset = "generic"\ncommand = ["cat"]\n'
    )
    place.write({"id": "a"}, body={"a": "Say MARK."})
    result = place.run()
    assert result.exit_status == 0, result.executed
    assert "Say MARK." in place.output("a")
    unit = place.row("SELECT * FROM workflow_run_units")
    assert (unit["runner"], unit["engine"]) == ("agent", "echo")
