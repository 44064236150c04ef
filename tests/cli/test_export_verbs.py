"""`akm workflow export` and `import`: a run leaves one ledger and is shown by another."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import workflow_files
from workflow_files import a_file, a_step, sh

Run = Callable[..., Any]


@pytest.fixture
def elsewhere(home: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Let the commands that follow be those of another machine, with a ledger of its own."""
    return lambda: monkeypatch.setenv("AKM_DATA_DIR", str(home / "other"))


def failed_run(run: Run, home: Path) -> str:
    workflow_files.write(home / "project", "w", a_file(a_step("a", "false"), a_step("b")))
    return str(run("workflow", "run", "w").result["run"]["id"])


def test_a_run_that_is_taken_over_shows_as_it_was(
    run: Run, home: Path, elsewhere: Callable[[], None]
) -> None:
    run_id = failed_run(run, home)
    shown = run("workflow", "status", run_id, "--attempts", "--units").result
    logged = run("log", "--run", run_id, "--format", "json").result
    done = run("workflow", "export", run_id[:8], "--out", "run.json").result
    assert (done["run"], done["file"]) == (run_id, str(home / "project/run.json"))
    elsewhere()
    taken = run("workflow", "import", "run.json").result
    assert (taken["run"], taken["status"], taken["changed"]) == (run_id, "failed", True)
    assert taken["counts"] == {
        "runs": 1,
        "steps": 2,
        "units": 1,
        "attempts": 1,
        "events": len(logged["events"]),
    }
    assert "obstacle" not in taken
    assert run("workflow", "status", run_id, "--attempts", "--units").result == shown
    listed = run("workflow", "list", "--all-scopes").result["runs"]
    assert [found["id"] for found in listed] == [run_id]
    again = run("workflow", "import", "run.json")
    assert (again.status, again.result["changed"]) == (0, False)


def test_without_a_file_the_document_is_printed_whatever_the_format(run: Run, home: Path) -> None:
    run_id = failed_run(run, home)
    printed = run("workflow", "export", run_id, "--format", "text").out
    assert json.loads(printed)["runs"][0]["run"]["id"] == run_id
    assert printed == run("workflow", "export", run_id).out


def test_a_run_whose_directory_is_not_here_says_so_and_can_only_be_shown(
    run: Run, home: Path, elsewhere: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = failed_run(run, home)
    run("workflow", "export", run_id, "--out", str(home / "run.json"))
    (home / "second").mkdir()
    monkeypatch.chdir(home / "second")
    shutil.rmtree(home / "project")
    elsewhere()
    taken = run("workflow", "import", str(home / "run.json"))
    assert taken.result["obstacle"] == f"its directory {home / 'project'} is not on this machine"
    assert "not be gone on with" in run("workflow", "import", str(home / "run.json"), "--format", "text").out
    assert run("workflow", "status", run_id).status == 0
    assert run("workflow", "resume", run_id).status == 0
    went_on = run("workflow", "run", run_id)
    assert went_on.status == 1
    assert f"its base directory {home / 'project'} is gone" in went_on.out


def test_a_run_that_was_taken_over_is_gone_on_with_where_its_directory_is(
    run: Run, home: Path, elsewhere: Callable[[], None]
) -> None:
    workflow_files.write(home / "project", "w", a_file(a_step("a", *sh("test -e ready"))))
    run_id = run("workflow", "run", "w").result["run"]["id"]
    run("workflow", "export", run_id, "--out", "run.json")
    elsewhere()
    run("workflow", "import", "run.json")
    (home / "project/ready").touch()
    run("workflow", "resume", run_id)
    assert run("workflow", "run", run_id).result["run"]["status"] == "completed"
    refused = run("workflow", "import", "run.json")
    assert (refused.status, refused.error["code"]) == (2, "RESOURCE_ALREADY_EXISTS")


def test_what_is_no_export_is_refused_and_no_run_appears(run: Run, home: Path) -> None:
    (home / "project/bad.json").write_text('{\n  "format": }')
    ended = run("workflow", "import", "bad.json")
    assert ended.status == 2
    assert "line 2, column 13" in ended.error["error"]
    assert run("workflow", "import", "none.json").status == 1
    assert run("workflow", "list", "--all-scopes").result["runs"] == []
