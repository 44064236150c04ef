"""What a person reads and types when a run has stopped: the way on, the family of a run, bad input."""

from __future__ import annotations

import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import workflow_files
from builders import dump
from workflow_files import a_file, a_map, a_step, items, sh

Run = Callable[..., Any]
WAITS = {"gate": {"approve": True}}


@pytest.fixture
def project(home: Path, migrated: Path) -> Path:
    """A project with an empty ledger."""
    (home / "data").mkdir()
    shutil.copyfile(migrated, home / "data/state.db")
    return home / "project"


def write(project: Path, *steps: dict[str, Any], name: str = "w", **top: Any) -> None:
    workflow_files.write(project, name, a_file(*steps, **top))


def calling(ref: str, **unit: Any) -> dict[str, Any]:
    return {"id": "call", "unit": {"workflow": f"workflows/{ref}", **unit}}


def a_family(project: Path, leaf: dict[str, Any]) -> None:
    """Write root -> middle -> leaf."""
    write(project, leaf, name="leaf")
    write(project, calling("leaf"), name="middle")
    write(project, calling("middle"), a_step("end"))


def needs_a_file(project: Path) -> dict[str, Any]:
    return a_step("deep", "test", "-e", str(project / "ok"))


def family(run: Run) -> dict[str, dict[str, Any]]:
    """Return the runs by the name of their workflow."""
    found = run("workflow", "list", "--children").result["runs"]
    return {one["workflowRef"].rpartition("/")[2]: one for one in found}


def type_all(run: Run, commands: list[str]) -> list[int]:
    """Type commands as they were printed; returns the exit status of each."""
    return [run(*shlex.split(one)[1:]).status for one in commands]


def printed(text: str) -> list[str]:
    """Read the commands behind `Go on` in a text for people."""
    (line,) = re.findall(r"Go on(?: with it)?: (.+)", text)
    return str(line).split(", then ")


@pytest.mark.parametrize("ask", [("run", "--new", "w"), ("status", "w")])
def test_what_is_printed_of_a_family_that_failed_at_its_leaf_leads_to_its_end(
    project: Path, run: Run, ask: tuple[str, ...]
) -> None:
    a_family(project, needs_a_file(project))
    assert run("workflow", "run", "w").status == 1
    told = run("workflow", *ask, "--format", "text")
    (project / "ok").touch()
    commands = printed(told.out)
    assert type_all(run, commands) == [0, 0], commands


def test_a_refused_run_names_the_way_on_of_its_family(project: Path, run: Run) -> None:
    a_family(project, needs_a_file(project))
    run("workflow", "run", "w")
    runs = family(run)
    for name in ("w", "middle", "leaf"):
        refused = run("workflow", "run", runs[name]["id"])
        assert refused.status == 2
        assert f"akm workflow resume {runs['w']['id']} --cascade" in refused.error["hint"]


def test_a_run_that_no_child_stopped_needs_no_cascade(project: Path, run: Run) -> None:
    write(project, a_step("a", "false"))
    ended = run("workflow", "run", "w")
    run_id = ended.result["run"]["id"]
    way_out = [f"akm workflow resume {run_id}", f"akm workflow run {run_id}"]
    assert ended.result["wayOut"] == way_out
    assert run("workflow", "status", run_id).result["wayOut"] == way_out


def test_a_child_that_waits_for_a_person_is_named_wherever_its_root_is_asked_about(
    project: Path, run: Run
) -> None:
    a_family(project, a_step("deep") | WAITS)
    told = run("workflow", "run", "w", "--format", "text").out
    runs = family(run)
    assert printed(told)[0] == f"akm workflow approve {runs['leaf']['id'][:8]}"
    refused = run("workflow", "approve", runs["w"]["id"])
    assert (refused.status, runs["leaf"]["id"] in refused.error["hint"]) == (2, True)
    assert type_all(run, printed(told)) == [0, 0, 0]


def test_null_can_be_given_as_the_value_of_an_approval(project: Path, run: Run) -> None:
    write(project, a_step("a") | {"gate": {"approve": True, "value": {"type": ["string", "null"]}}})
    run_id = run("workflow", "run", "w").result["run"]["id"]
    assert run("workflow", "approve", run_id).error["code"] == "MISSING_REQUIRED_ARGUMENT"
    approved = run("workflow", "approve", run_id, "--value", "null")
    assert (approved.status, approved.result["run"]["status"]) == (0, "completed")


@pytest.mark.parametrize(
    "verb",
    ["fork --from a", "retry", "cancel", "approve", "reject", "abandon", "resume", "export"],
)
def test_a_verb_that_takes_a_run_alone_says_so_when_a_workflow_is_named(
    project: Path, run: Run, verb: str
) -> None:
    write(project, a_step("a", "false"))
    run("workflow", "run", "w")
    name, *flags = verb.split()
    for workflow in ("w", "workflows/w", "workflows/w.md"):
        refused = run("workflow", name, workflow, *flags)
        assert (refused.status, refused.error["code"]) == (1, "WORKFLOW_NOT_FOUND")
        assert f"There is no run '{workflow}': give a run's id" in refused.error["error"]
        assert "akm workflow list" in refused.error["hint"]
    assert run("workflow", name, "0000", *flags).error["error"] == "There is no run '0000'."


def test_retrying_failed_items_beside_an_active_run_names_what_can_be_typed(project: Path, run: Run) -> None:
    write(project, a_map("a", *sh(f'test -e "{project}/ok"'), on_error="continue"), params=items(1, 2))
    source = run("workflow", "run", "w").result["run"]["id"]
    write(project, a_step("a"), a_step("b"))
    active = run("workflow", "run", "w", "--new", "--max-steps", "1").result["run"]["id"]
    refused = run("workflow", "retry", source, "--failed-only")
    assert (refused.status, refused.error["code"]) == (2, "RESOURCE_ALREADY_EXISTS")
    commands = re.findall(r"`(.+?)`", refused.error["hint"])
    beside = f"akm workflow fork {source} --from a --new"
    assert commands == [f"akm workflow run {active}", f"akm workflow abandon {active}", beside]
    assert refused.error["hint"].count("--new") == 1
    assert type_all(run, [commands[2], commands[0]]) == [0, 0]
    assert "fork beside it with --new" in run("workflow", "fork", source, "--from", "a").error["hint"]


def test_approving_a_child_says_how_its_root_goes_on(project: Path, run: Run) -> None:
    a_family(project, a_step("deep") | WAITS)
    run("workflow", "run", "w")
    told = run("workflow", "approve", family(run)["leaf"]["id"], "--format", "text").out
    (line,) = re.findall(r"^Approved.*Go on: (.+)", told)
    assert type_all(run, line.split(", then ")) == [0, 0]


def test_of_a_killed_family_every_run_is_shown_with_one_word_and_is_led_on_by_its_root(
    project: Path, run: Run, process: Run
) -> None:
    killing = a_step("deep", *sh(f'test -e "{project}/ok" || kill -9 "$PPID"'))
    a_family(project, killing)
    assert process("workflow", "run", "w").status == -9
    runs = family(run)
    onward = f"akm workflow run {runs['w']['id']}"
    assert {name: one["next"] for name, one in runs.items()} == dict.fromkeys(("w", "middle", "leaf"), onward)
    listed = run("workflow", "list", "--children", "--format", "text").out
    assert listed.count("interrupted") == 3
    tree = run("workflow", "status", "w", "--format", "text").out.partition("CHILD")[2]
    assert (tree.count("interrupted"), tree.count("active")) == (2, 0)
    for name in ("middle", "leaf"):
        told = run("workflow", "status", runs[name]["id"], "--format", "text").out
        assert printed(told) == [f"akm workflow run {runs['w']['id'][:8]}"]
    (project / "ok").touch()
    assert type_all(run, [onward]) == [0]


def test_a_child_between_two_units_has_the_word_of_its_root(project: Path, run: Run, process: Run) -> None:
    a_family(project, a_step("deep", *sh('kill -9 "$PPID"')))
    assert process("workflow", "run", "w").status == -9
    leaf = family(run)["leaf"]["id"]
    with closing(sqlite3.connect(project.with_name("data") / "state.db")) as ledger, ledger:
        for table in ("workflow_run_unit_attempts", "workflow_run_units"):
            ledger.execute(f"UPDATE {table} SET status = 'failed' WHERE run_id = ?", (leaf,))
    assert "status    interrupted" in run("workflow", "status", leaf, "--format", "text").out


def test_an_active_child_of_a_stopped_root_is_led_on_by_reopening_the_root(project: Path, run: Run) -> None:
    a_family(project, needs_a_file(project))
    run("workflow", "run", "w")
    runs = family(run)
    for name in ("leaf", "middle"):
        assert run("workflow", "resume", runs[name]["id"]).status == 0
    shown = run("workflow", "status", runs["leaf"]["id"]).result
    assert (shown["run"]["next"], shown["wayOut"][0]) == (f"akm workflow resume {runs['w']['id']}",) * 2
    assert run("workflow", "status", "w", "--format", "text").out.count("paused") == 2
    (project / "ok").touch()
    assert type_all(run, shown["wayOut"]) == [0, 0]


def test_a_reopened_child_that_its_root_went_on_without_is_driven_by_itself(project: Path, run: Run) -> None:
    write(project, needs_a_file(project), name="leaf")
    write(project, calling("leaf", on_error="continue"))
    run("workflow", "run", "w")
    leaf = family(run)["leaf"]["id"]
    assert run("workflow", "resume", leaf).status == 0
    (project / "ok").touch()
    assert type_all(run, [run("workflow", "status", leaf).result["run"]["next"]]) == [0]
    assert family(run)["leaf"]["status"] == "completed"


def test_a_refused_cascade_writes_nothing(project: Path, run: Run, home: Path) -> None:
    write(project, needs_a_file(project), name="leaf")
    write(project, calling("leaf", on_error="continue"), a_step("end"))
    run_id = run("workflow", "run", "w").result["run"]["id"]
    before = dump(home / "data/state.db")
    assert run("workflow", "resume", run_id, "--cascade").status == 2
    assert dump(home / "data/state.db") == before


def test_a_child_that_its_parent_went_on_without_is_left_as_it_is(project: Path, run: Run) -> None:
    write(project, a_step("deep", "false"), name="leaf")
    write(project, calling("leaf", on_error="continue"), needs_a_file(project))
    failed = run("workflow", "run", "w").result
    assert failed["wayOut"][0] == f"akm workflow resume {failed['run']['id']}"
    (project / "ok").touch()
    assert run("workflow", "retry", failed["run"]["id"], "--cascade").status == 0
    assert family(run)["leaf"]["status"] == "failed"


def test_a_child_left_behind_by_a_completed_root_is_done_again_in_a_fork(project: Path, run: Run) -> None:
    write(project, a_step("deep", "false"), name="leaf")
    write(project, calling("leaf", on_error="continue"))
    root = run("workflow", "run", "w").result["run"]["id"]
    shown = run("workflow", "status", family(run)["leaf"]["id"]).result
    assert shown["wayOut"] == [f"akm workflow fork {root} --from call"]


def test_retry_with_cascade_reopens_and_drives_a_family_in_one_go(project: Path, run: Run) -> None:
    a_family(project, needs_a_file(project))
    run_id = run("workflow", "run", "w").result["run"]["id"]
    (project / "ok").touch()
    assert run("workflow", "retry", run_id).status == 1
    assert run("workflow", "retry", run_id, "--cascade").status == 0
    assert {one["status"] for one in family(run).values()} == {"completed"}


def test_retry_refuses_to_cascade_into_a_fork(project: Path, run: Run, home: Path) -> None:
    write(project, a_map("a", "false", on_error="continue"), params=items(1))
    run_id = run("workflow", "run", "w").result["run"]["id"]
    before = dump(home / "data/state.db")
    refused = run("workflow", "retry", run_id, "--failed-only", "--cascade")
    assert (refused.status, refused.error["code"]) == (2, "INVALID_FLAG_VALUE")
    assert dump(home / "data/state.db") == before


def test_status_shows_the_tree_of_children_and_a_child_its_parent(project: Path, run: Run) -> None:
    a_family(project, needs_a_file(project))
    run("workflow", "run", "w")
    runs = {name: one["id"] for name, one in family(run).items()}
    told = run("workflow", "status", "w", "--format", "text").out
    assert re.search(rf"^{runs['middle'][:8]} +project//workflows/middle +failed +call +call$", told, re.M)
    assert re.search(rf"^  {runs['leaf'][:8]} +project//workflows/leaf +failed +call +deep$", told, re.M)
    child = run("workflow", "status", runs["leaf"], "--format", "text").out
    assert f"child of  {runs['middle']}" in child


def test_a_list_with_children_says_whose_they_are_and_one_without_does_not(project: Path, run: Run) -> None:
    a_family(project, a_step("deep"))
    run("workflow", "run", "w")
    middle = family(run)["middle"]
    told = run("workflow", "list", "--children", "--format", "text").out
    assert re.search(rf"^{middle['id'][:8]} +{middle['parentRunId'][:8]} ", told, re.M)
    assert "CHILD OF" not in run("workflow", "list", "--format", "text").out


def test_progress_names_the_steps_above_a_childs_step(project: Path, run: Run) -> None:
    a_family(project, a_step("deep"))
    told = run("workflow", "run", "w").err.splitlines()
    assert told[:3] == ["call: 1 unit", "call > call: 1 unit", "call > call > deep: 1 unit"]
    assert told[3:6] == ["call > call > deep: completed", "call > call: completed", "call: completed"]


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("cancel", "RUN", "--grace", "10x"), "--grace"),
        (("cancel", "RUN", "--grace", "0"), "--grace"),
        (("run", "RUN", "--wait-lock", "soon"), "--wait-lock"),
        (("run", "w", "--new", "--dry-run", "--wait-lock", "soon"), "--wait-lock"),
        (("run", "w", "--new", "--dry-run", "-p", "odd=1"), "odd"),
        (("run", "w", "--new", "--dry-run", "--gates", "odd"), "--gates"),
        (("run", "RUN", "--wait-lock", "5s", "--skip-if-locked"), "contradict"),
        (("retry", "RUN", "--wait-lock", "soon"), "--wait-lock"),
        (("retry", "RUN", "--timeout", "soon"), "--timeout"),
        (("fork", "RUN"), "--from"),
        (("fork", "RUN", "--from", "nosuch"), "its steps are a, b"),
        (("fork", "RUN", "--from", "b"), "step a before it is failed"),
        (("fork", "RUN", "--from", "a", "-p", "odd=1"), "odd"),
        (("approve", "RUN"), "does not wait"),
        (("approve", "RUN", "--value", "yes"), "no JSON"),
        (("reject", "RUN"), "does not wait"),
        (("abandon", "RUN"), "failed already"),
    ],
)
def test_bad_input_is_one_sentence_and_writes_nothing(
    project: Path, run: Run, home: Path, arguments: tuple[str, ...], word: str
) -> None:
    write(project, a_step("a", "false"), a_step("b"))
    run_id = run("workflow", "run", "w").result["run"]["id"]
    before = dump(home / "data/state.db")
    refused = run("workflow", *(run_id if one == "RUN" else one for one in arguments))
    assert (refused.status, refused.out) == (2, "")
    assert word in refused.error["error"]
    assert refused.error["error"].count("\n") == 0
    assert dump(home / "data/state.db") == before


def test_a_waiting_step_is_decided_once(project: Path, run: Run) -> None:
    write(project, a_step("a") | WAITS, a_step("b"))
    run_id = run("workflow", "run", "w").result["run"]["id"]
    assert run("workflow", "reject", run_id, "--note", "no").status == 0
    for verb in ("reject", "approve"):
        again = run("workflow", verb, run_id)
        assert (again.status, "does not wait" in again.error["error"]) == (2, True)


def test_a_missing_file_is_not_answered_with_a_list_of_runs(run: Run) -> None:
    missing = run("workflow", "run", "./nosuch.md")
    assert (missing.status, "workflow create" in missing.error["hint"]) == (1, True)


@pytest.fixture
def driver(project: Path) -> Iterator[int]:
    """The id of a process that drives the workflow w in a unit that does not end by itself."""
    write(project, a_step("a", *sh("sleep 60")))
    process = subprocess.Popen(
        [sys.executable, "-m", "akm", "workflow", "run", "w"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        assert process.stderr.readline() == "a: 1 unit\n"
        yield process.pid
        assert process.wait(60) == 1
    finally:
        process.kill()
        process.communicate()


def test_a_run_that_is_waited_for_is_told_with_its_driver(run: Run, driver: int) -> None:
    waited = run("workflow", "run", "w", "--wait-lock", "100ms")
    assert waited.status == 75
    assert f"a: waiting up to 0.1 s for process {driver} " in waited.err
    (found,) = run("workflow", "list").result["runs"]
    stopped = run("workflow", "cancel", found["id"])
    assert (stopped.status, stopped.result["wayOut"]) == (0, [f"akm workflow run {found['id']}"])


def test_abandoning_a_driven_run_says_who_still_works_on_it_and_how_to_stop_that(
    run: Run, driver: int
) -> None:
    (found,) = run("workflow", "list").result["runs"]
    abandoned = run("workflow", "abandon", found["id"])
    assert abandoned.status == 0
    assert f"still driven by process {driver} " in abandoned.err
    stopped = run("workflow", "cancel", found["id"])
    assert stopped.status == 0
    assert stopped.result["wayOut"][0] == f"akm workflow resume {found['id']}"


def test_abandoning_a_run_that_nobody_drives_warns_of_nobody(project: Path, run: Run) -> None:
    write(project, a_step("a"), a_step("b"))
    run_id = run("workflow", "run", "w", "--max-steps", "1").result["run"]["id"]
    assert run("workflow", "abandon", run_id).err == ""
