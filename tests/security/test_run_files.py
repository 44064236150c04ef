"""A run out of somebody else's file: its plan is a program once it is gone on with, and its paths are not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import repositories_made
from installed import Place
from workflow_files import a_file, a_step, sh


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def exported(place: Place, script: str, **unit: Any) -> dict[str, Any]:
    """Write out a run whose driver was killed by its unit; the next time `script` is all the unit does."""
    once = place.root / "once"
    killing = f'test -e "{once}" || {{ touch "{once}"; kill -9 $PPID; sleep 60; }}; {script}'
    file = place.workflow("w", a_file(a_step("a", *sh(killing), **unit)))
    repositories_made.commit(repositories_made.init(place.work))
    place.run("workflow", "run", file)
    ((run_id,),) = place.rows("SELECT id FROM workflow_runs")
    found: dict[str, Any] = place.run("workflow", "export", run_id).result
    return found


def imported(place: Place, document: dict[str, Any]) -> Place:
    """Take the run over on another machine that stands in the same project."""
    (place.root / "run.json").write_text(json.dumps(document))
    other = Place(place.root / "other")
    done = other.run("workflow", "import", str(place.root / "run.json"), cwd=place.work)
    assert done.status == 0, done.err
    return other


def test_a_path_in_an_imported_run_is_never_taken_for_a_worktree(place: Place) -> None:
    document = exported(place, "true", isolation="worktree")
    (run,) = document["runs"]
    for row in (*run["attempts"], *run["units"]):
        assert row["worktree_path"]
        row["worktree_path"] = str(place.work)
    done = imported(place, document).run("workflow", "run", run["run"]["id"], cwd=place.work)
    assert (place.work / "w.md").exists()
    assert done.result["run"]["status"] == "failed", done.out
    assert "no worktree of this run" in json.dumps(done.result)


def test_importing_a_run_starts_nothing_and_going_on_with_it_does(place: Place) -> None:
    ran = place.root / "ran"
    document = exported(place, f'touch "{ran}"')
    other = imported(place, document)
    other.run("workflow", "status", document["runs"][0]["run"]["id"], cwd=place.work)
    assert not ran.exists()
    assert other.run("workflow", "run", document["runs"][0]["run"]["id"], cwd=place.work).status == 0
    assert ran.exists()
