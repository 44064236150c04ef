"""The workflow verbs as a person and as a program use them: envelopes, sentences and exit statuses."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import workflow_files
from builders import finished
from workflow_files import a_file, a_map, a_step, items, sh

from akm.services import attempts
from akm.services.attempts import Wanted
from akm.store.opening import open_database

Run = Callable[..., Any]


@pytest.fixture
def project(home: Path, migrated: Path) -> Path:
    """A project with an empty ledger."""
    (home / "data").mkdir()
    shutil.copyfile(migrated, home / "data/state.db")
    return home / "project"


def write(project: Path, *steps: dict[str, Any], name: str = "w", **top: Any) -> Path:
    return workflow_files.write(project, name, a_file(*steps, **top))


def started(run: Run, project: Path) -> str:
    """Start a run of two steps, stop it after the first one and return its id."""
    write(project, a_step("a"), a_step("b"))
    return str(run("workflow", "run", "w", "--max-steps", "1").result["run"]["id"])


def test_run_tells_what_it_did_in_one_document(project: Path, run: Run) -> None:
    write(project, a_step("a", "echo", "1"))
    ended = run("workflow", "run", "w")
    assert ended.status == 0
    result = ended.result
    assert (result["ok"], result["done"], result["stepsProcessed"]) == (True, True, 1)
    (step,) = result["executed"]
    expected = {"stepId": "a", "ok": True, "status": "completed", "unitCount": 1, "failedUnits": 0}
    assert {key: step[key] for key in expected} == expected
    assert result["run"]["workflowRef"] == "project//workflows/w"
    assert not {"aborted", "timedOut", "warnings", "resumed"} & result.keys()
    assert "a: completed" in ended.err


def test_a_failed_run_is_a_result_and_not_an_error(project: Path, run: Run) -> None:
    write(project, a_step("a", "false"))
    ended = run("workflow", "run", "w")
    assert (ended.status, ended.result["ok"], ended.result["run"]["status"]) == (1, False, "failed")


def test_quiet_says_nothing_on_the_way(project: Path, run: Run) -> None:
    write(project, a_step("a"))
    assert run("workflow", "run", "w", "-q").err == ""


def test_parameters_come_in_both_spellings(project: Path, run: Run) -> None:
    write(project, a_step("a"), params={"n": {"type": "integer"}, "s": {"type": "string"}})
    ended = run("workflow", "run", "w", "-p", "n=3", "--s", "001")
    assert ended.result["run"]["params"] == {"n": 3, "s": "001"}


@pytest.mark.parametrize(
    ("arguments", "status", "code"),
    [
        (("run", "nosuch"), 1, "WORKFLOW_NOT_FOUND"),
        (("run", "deadbeef"), 1, "WORKFLOW_NOT_FOUND"),
        (("run", "w", "-p", "x=1"), 2, "UNKNOWN_FLAG"),
        (("run", "w", "--timeout", "soon"), 2, "INVALID_FLAG_VALUE"),
        (("run", "w", "--max-steps", "0"), 2, "INVALID_FLAG_VALUE"),
        (("run",), 2, "MISSING_REQUIRED_ARGUMENT"),
        (("run", "prose"), 78, "INVALID_CONFIG_FILE"),
        (("run", "broken"), 2, "WORKFLOW_SOURCE_INVALID"),
        (("status", "nosuch"), 1, "WORKFLOW_NOT_FOUND"),
        (("status", "w"), 1, "WORKFLOW_NOT_FOUND"),
        (("resume", "dead"), 1, "WORKFLOW_NOT_FOUND"),
        (("abandon", "w"), 1, "WORKFLOW_NOT_FOUND"),
        (("list", "--ref", "nosuch"), 1, "WORKFLOW_NOT_FOUND"),
        (("list", "--limit", "0"), 2, "INVALID_FLAG_VALUE"),
        (("plan", "nosuch"), 1, "WORKFLOW_NOT_FOUND"),
        (("plan", "broken"), 2, "WORKFLOW_SOURCE_INVALID"),
        (("create", "Bad Name"), 2, "INVALID_FLAG_VALUE"),
    ],
)
def test_a_mistake_is_one_envelope_on_standard_error(
    project: Path, run: Run, arguments: tuple[str, ...], status: int, code: str
) -> None:
    write(project, a_step("a"))
    write(project, {"id": "a"}, name="prose")
    write(project, {"id": "a", "units": {}}, name="broken")
    ended = run("workflow", *arguments)
    assert (ended.status, ended.out) == (status, "")
    assert (ended.error["ok"], ended.error["code"]) == (False, code)
    assert ended.error["error"].endswith((".", "?"))


def test_the_text_of_a_run_says_what_to_do_next(project: Path, run: Run) -> None:
    started(run, project)
    paused = run("workflow", "run", "w", "--new", "--max-steps", "1", "--format", "text").out
    assert "paused at step b. Go on: akm workflow run " in paused
    write(project, a_step("a", *sh("echo why; exit 3")), name="bad")
    failed = run("workflow", "run", "bad", "--format", "text").out
    assert "a     failed" in failed
    assert "Go on: akm workflow resume " in failed
    assert "why" in failed


def test_a_stopped_step_is_not_called_failed(project: Path, run: Run) -> None:
    write(project, a_step("a", "sleep", "60"))
    ended = run("workflow", "run", "w", "--timeout", "1ms", "--format", "text")
    assert ended.status == 1
    assert "timed out at step a" in ended.out
    assert "failed" not in ended.out.partition("\n")[2]


def test_status_shows_steps_and_on_request_units_and_attempts(project: Path, run: Run) -> None:
    run_id = started(run, project)
    shown = run("workflow", "status", run_id[:6]).result
    assert shown["run"]["id"] == run_id
    assert [step["status"] for step in shown["workflow"]["steps"]] == ["completed", "pending"]
    assert "units" not in shown
    full = run("workflow", "status", "w", "--units", "--attempts").result
    assert [row["unitId"] for row in (*full["units"], *full["attempts"])] == ["a:solo", "a:solo"]
    text = run("workflow", "status", run_id, "--units", "--format", "text").out
    assert run_id in text
    assert "status    paused (active, and nobody is driving it)" in text
    assert f"Go on with it: akm workflow run {run_id[:8]}" in text


def test_long_unit_ids_are_cut_for_people_and_whole_for_programs(project: Path, run: Run) -> None:
    write(project, a_map("a", "false", on_error="continue"), params=items("x"))
    text = run("workflow", "run", "w", "--format", "text")
    unit_id = run("workflow", "status", "w", "--units").result["units"][0]["unitId"]
    assert len(unit_id) == len("a.unit:") + 64
    for said in (text.err, run("workflow", "status", "w", "--units", "--format", "text").out):
        assert unit_id not in said
        assert unit_id[:19] in said


def test_the_id_that_a_list_shows_is_taken_by_every_verb(project: Path, run: Run) -> None:
    run_id = started(run, project)
    shown = run("workflow", "list", "--format", "text").out.splitlines()[1].split()[0]
    assert run_id.startswith(shown)
    assert run("workflow", "status", shown).result["run"]["id"] == run_id
    assert run("log", "--run", shown).result["run"] == run_id
    assert run("workflow", "abandon", shown).result["run"]["status"] == "failed"
    resumed = run("workflow", "resume", shown).result
    assert (resumed["run"]["id"], resumed["run"]["status"], resumed["changed"]) == (run_id, "active", True)
    assert run("workflow", "run", shown).result["run"]["id"] == run_id


def test_resuming_an_active_run_changes_nothing_and_says_so(project: Path, run: Run) -> None:
    run_id = started(run, project)
    assert run("workflow", "resume", run_id).result["changed"] is False
    assert "active already" in run("workflow", "resume", run_id, "--format", "text").out


def test_abandoning_twice_is_refused_clearly(project: Path, run: Run) -> None:
    run_id = started(run, project)
    assert run("workflow", "abandon", run_id).status == 0
    again = run("workflow", "abandon", run_id)
    assert (again.status, "failed already" in again.error["error"]) == (2, True)


def test_a_completed_run_is_neither_resumed_nor_abandoned(project: Path, run: Run) -> None:
    write(project, a_step("a"))
    run_id = run("workflow", "run", "w").result["run"]["id"]
    assert run("workflow", "resume", run_id).status == 2
    assert run("workflow", "abandon", run_id).status == 2
    assert "nothing was left to do" in run("workflow", "run", run_id, "--format", "text").out


def test_a_list_names_the_place_it_searched_and_all_scopes_shows_the_rest(
    project: Path, run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = started(run, project)
    assert str(project) in run("workflow", "list", "--format", "text").out
    (home / "elsewhere").mkdir()
    monkeypatch.chdir(home / "elsewhere")
    here = run("workflow", "list").result
    assert (here["runs"], here["results"], here["scopeKey"][:7]) == ([], [], "dir:v1:")
    text = run("workflow", "list", "--format", "text").out
    assert text == f"No runs in {home / 'elsewhere'}; --all-scopes shows those of every directory.\n"
    everywhere = run("workflow", "list", "--all-scopes").result
    assert ([one["id"] for one in everywhere["runs"]], everywhere["scopeKey"]) == ([run_id], None)
    assert run("workflow", "status", run_id).status == 0
    assert run("workflow", "run", run_id).result["run"]["status"] == "completed"


def test_a_list_can_be_filtered_cut_and_printed_line_by_line(project: Path, run: Run) -> None:
    run_id = started(run, project)
    write(project, a_step("a"), name="other")
    other = run("workflow", "run", "other").result["run"]["id"]
    assert [one["id"] for one in run("workflow", "list").result["runs"]] == [other, run_id]
    assert [one["id"] for one in run("workflow", "list", "--active").result["runs"]] == [run_id]
    assert [one["id"] for one in run("workflow", "list", "--ref", "other").result["runs"]] == [other]
    assert run("workflow", "list", "--ref", "gone//workflows/x").result["runs"] == []
    assert run("workflow", "list", "--ref", "x' OR 1=1").status in (1, 2)
    assert [one["id"] for one in run("workflow", "list", "--limit", "1", "--offset", "1").result["runs"]] == [
        run_id
    ]
    lines = run("workflow", "list", "--format", "jsonl").out.splitlines()
    assert [json.loads(line)["id"] for line in lines] == [other, run_id]
    assert "There may be more" in run("workflow", "list", "--limit", "1", "--format", "text").out


def test_a_list_marks_the_run_of_a_killed_driver_and_another_workflow_still_starts(
    project: Path, run: Run, process: Run
) -> None:
    write(project, a_step("a", *sh('kill -9 "$PPID"')))
    assert process("workflow", "run", "w").status == -9
    (shown,) = run("workflow", "list").result["runs"]
    assert (shown["status"], shown["interrupted"]) == ("active", True)
    assert shown["next"] == f"akm workflow run {shown['id']}"
    write(project, a_step("a"), name="other")
    assert run("workflow", "run", "other").status == 0


def test_plan_writes_nothing(home: Path, run: Run) -> None:
    write(home / "project", a_step("a"), params=items(1), budget={"max_units": 3})
    shown = run("workflow", "plan", "w").result
    assert (shown["published"], shown["irVersion"], len(shown["planHash"])) == (False, 6, 64)
    assert "true (0 arguments)" in run("workflow", "plan", "w", "--format", "text").out
    assert not (home / "data").exists()


def test_plan_leaves_the_database_as_it_is(project: Path, run: Run) -> None:
    started(run, project)
    files = {path: path.read_bytes() for path in project.with_name("data").rglob("*") if path.is_file()}
    run("workflow", "plan", "w")
    assert {
        path: path.read_bytes() for path in project.with_name("data").rglob("*") if path.is_file()
    } == files


def test_lint_tells_every_finding_and_exits_1_for_an_error(home: Path, run: Run) -> None:
    project = home / "project"
    write(project, a_step("a"), name="good")
    assert run("workflow", "lint").status == 0
    write(project, {"id": "a", "units": {}}, a_step("b", inputs=("steps.c.output",)), name="bad")
    write(project, {"id": "a"}, name="prose")
    ended = run("workflow", "lint")
    assert ended.status == 1
    result = ended.result
    assert (result["ok"], result["summary"]["files"]) == (False, 3)
    assert result["summary"]["errors"] == sum(one["severity"] == "error" for one in result["findings"]) >= 2
    first = result["findings"][0]
    assert first["path"] == "workflows/bad.md"
    text = run("workflow", "lint", "workflows/bad.md", "--format", "text").out
    assert f"workflows/bad.md:{first['line']}: error: " in text
    assert text.endswith("1 file, 2 errors, 0 warnings.\n")
    assert run("workflow", "lint", "workflows/prose.md").status == 0
    assert not (home / "data").exists()


def test_create_writes_a_file_that_lint_takes(home: Path, run: Run) -> None:
    made = run("workflow", "create", "release").result
    assert made == {
        "ok": True,
        "ref": "project//workflows/release",
        "path": str(home / "project/workflows/release.md"),
        "bundleDir": str(home / "project"),
    }
    assert run("workflow", "lint", "release").status == 0
    again = run("workflow", "create", "release")
    assert (again.status, again.error["code"]) == (2, "RESOURCE_ALREADY_EXISTS")
    assert run("workflow", "create", "release", "--force").status == 0
    assert run("workflow", "create", "x", "--path", "../..").error["code"] == "PATH_ESCAPE_VIOLATION"


def test_create_takes_a_file_or_prints_the_template(home: Path, run: Run) -> None:
    source = write(home / "project", a_step("a"), name="source")
    made = run("workflow", "create", "copy", "--from", str(source)).result
    assert Path(made["path"]).read_text() == source.read_text()
    printed = run("workflow", "create", "x", "--print").out
    assert printed.startswith("---\ntype: workflow\n")
    assert sorted(os.listdir(home / "project/workflows")) == ["copy.md", "source.md"]
    (home / "project/bad.md").write_text("no frontmatter")
    assert run("workflow", "create", "y", "--from", "bad.md").status == 2


def test_looking_at_a_ledger_that_is_not_there_finds_nothing(home: Path, run: Run) -> None:
    assert home.is_dir()
    assert run("workflow", "list").result["runs"] == []
    assert run("log").result["events"] == []
    assert run("workflow", "status", "deadbeef").status == 1


def test_a_completed_run_shows_what_its_last_step_gave(project: Path, run: Run) -> None:
    write(project, a_step("a"), a_step("b", "printf", r"one\ntwo"))
    assert run("workflow", "run", "w").result["output"] == "one\ntwo"
    assert "\n\none\ntwo\n\n" in run("workflow", "run", "w", "--new", "--format", "text").out
    assert "\n\none\ntwo\n\n" in run("workflow", "status", "w", "--format", "text").out


def test_a_long_output_is_left_to_status(project: Path, run: Run) -> None:
    write(project, a_step("a", *sh("head -c 70000 /dev/zero | tr '\\0' x")))
    assert "output" not in run("workflow", "run", "w").result
    shown = run("workflow", "status", "w").result
    assert len(shown["workflow"]["steps"][-1]["evidence"]["output"]) == 70000
    text = run("workflow", "status", "w", "--format", "text").out
    assert "x" * 4000 + "… (cut" in text
    assert "x" * 4001 not in text


def test_a_run_that_is_not_completed_has_no_output(project: Path, run: Run) -> None:
    write(project, a_step("a", "echo", "1"), a_step("b", "false"))
    assert "output" not in run("workflow", "run", "w").result


def spent(project: Path, run_id: str) -> None:
    """Write a judge's and a writer's attempts into a run, past akm's runners."""
    with open_database(project.parent / "data/state.db", synchronous="normal") as db:
        for unit_id, phase, ending in (
            ("b:solo", "unit", {"tokens": 1200, "cost": 0.5, "session_id": "0123456789abcdef"}),
            ("b.gate:l1", "gate", {"tokens": 3, "cost": 0.00001}),
            ("b:solo", "unit", {"status": "failed", "failure_reason": "timeout", "result_json": LONG}),
        ):
            wanted = Wanted(unit_id, "b", "b", phase, "h", "agent", "writer", "small")
            reserved = attempts.reserve(db, run_id, wanted, at=LATE)
            attempts.finish(db, run_id, finished(reserved, **{"status": "completed"} | ending), at=LATE)


LATE = "2099-01-01T00:00:00.000Z"
LONG = json.dumps("why " * 100)


def test_status_shows_what_was_spent_by_step_and_by_model(project: Path, run: Run) -> None:
    run_id = started(run, project)
    spent(project, run_id)
    usage = run("workflow", "status", run_id).result["usage"]
    assert {name: usage[name] for name in ("dispatches", "gates", "tokens", "cost")} == {
        "dispatches": 3,
        "gates": 1,
        "tokens": 1203,
        "cost": 0.50001,
    }
    assert [(one["stepId"], one["attempts"]) for one in usage["bySteps"]] == [("a", 1), ("b", 3)]
    assert [(one["engine"], one["model"], one["attempts"]) for one in usage["byModels"]] == [
        ("writer", "small", 3)
    ]
    text = run("workflow", "status", run_id, "--format", "text").out
    assert "spent     3 dispatches, 1 gate call, 1203 tokens, cost 0.5000" in text
    assert "ENGINE" not in text
    lines = run("workflow", "status", run_id, "--units", "--format", "text").out.splitlines()
    assert ["b", "3", "1203", "0.5000"] in [line.split() for line in lines]
    assert ["writer", "small", "3", "1203", "0.5000"] in [line.split() for line in lines]


def test_units_and_attempts_are_tables_that_can_be_read(project: Path, run: Run) -> None:
    run_id = started(run, project)
    spent(project, run_id)
    lines = run("workflow", "status", run_id, "--units", "--format", "text").out.splitlines()
    rows = {line.split()[0]: line for line in lines if ":" in line}
    assert rows["b:solo"].split()[1:8] == ["unit", "failed", "2", "-", "-", "timeout", "-"]
    assert rows["b:solo"].endswith("…")
    assert len(rows["b:solo"]) < 220
    assert rows["b.gate:l1"].split()[1:6] == ["gate", "completed", "1", "3", "<0.0001"]
    journal = run("workflow", "status", run_id, "--attempts", "--format", "text").out.splitlines()
    shown = [line.split()[:4] for line in journal if ":solo" in line or ".gate" in line]
    assert [row[0] for row in shown] == ["a:solo", "b.gate:l1", "b:solo", "b:solo"]
    assert [line for line in journal if "01234567…" in line]
    assert not [line for line in journal if "0123456789abcdef" in line]


def test_a_run_tells_what_it_has_spent_over_all_its_invocations(project: Path, run: Run) -> None:
    run_id = started(run, project)
    spent(project, run_id)
    text = run("workflow", "run", run_id, "--format", "text").out
    assert "Spent so far: 4 dispatches, 1 gate call, 1203 tokens, cost 0.5000." in text
    again = run("workflow", "run", run_id).result
    assert (again["usage"]["dispatches"], again["usage"]["cost"]) == (4, 0.50001)


def test_a_run_of_commands_says_nothing_about_money(project: Path, run: Run) -> None:
    write(project, a_step("a"))
    assert "Spent" not in run("workflow", "run", "w", "--format", "text").out
    assert "spent     1 dispatch, 0 tokens\n" in run("workflow", "status", "w", "--format", "text").out


def test_a_ceiling_in_money_without_a_price_is_refused_at_the_start_and_a_warning_in_a_plan(
    project: Path, run: Run
) -> None:
    (project / ".akm").mkdir()
    engine = 'kind = "llm"\nbase_url = "http://127.0.0.1:9"\nmodel = "m1"\n'
    (project / ".akm/config.toml").write_text(f'[defaults]\nengine = "e"\n[engines.e]\n{engine}')
    write(project, {"id": "a"}, budget={"max_cost": 2})
    refused = run("workflow", "run", "w")
    assert refused.status == 78
    assert "[prices.m1]" in refused.error["error"]
    planned = run("workflow", "plan", "w").result
    assert planned["budget"] == {"maxCost": 2.0}
    assert [warning for warning in planned["warnings"] if "[prices.m1]" in warning]
    assert run("workflow", "list").result["runs"] == []
