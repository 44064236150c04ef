"""Workflows of real users and of bundles, with an engine that is a small script."""

from __future__ import annotations

import shutil

import pytest
from installed import ROOT, Place

RELEASE = ROOT.parent / "shared" / "data" / "workflows" / "release.md"
ENGINE = """
[defaults]
engine = "writer"

[engines.writer]
kind = "agent"
preset = "generic"
command = ["sh", "-c", "wc -c; echo written"]
"""
BUNDLED = """---
type: workflow
steps:
  - id: greet
    unit: { exec: { command: [echo, hello] } }
---
# Bundled

## greet

Greet.
"""


@pytest.mark.skipif(not RELEASE.exists(), reason="the users' files are not beside the repository")
def test_a_users_prose_workflow_completes_with_a_script_as_its_engine(place: Place) -> None:
    (place.folder("config") / "config.toml").write_text(ENGINE)
    file = shutil.copy(RELEASE, place.work)
    done = place.run("workflow", "run", file)
    assert done.status == 0, done.err
    units = place.run("workflow", "status", "release.md", "--units").result["units"]
    assert [(unit["unitId"], unit["status"], unit["engine"]) for unit in units] == [
        ("publish:solo", "completed", "writer"),
        ("tag:solo", "completed", "writer"),
    ]
    results = place.rows("SELECT result_json FROM workflow_run_units")
    assert all("written" in row[0] for row in results)


def test_a_prose_workflow_without_an_engine_is_refused_before_anything_is_written(place: Place) -> None:
    file = place.workflow("prose", BUNDLED.replace("\n    unit: { exec: { command: [echo, hello] } }", ""))
    done = place.run("workflow", "run", file)
    assert done.status == 78, done.err
    assert "engine" in done.error["error"]
    assert place.rows("SELECT count(*) FROM workflow_runs") == [(0,)]


def test_a_workflow_of_a_bundle_is_run_by_its_ref(place: Place) -> None:
    workflows = place.folder("team-files/workflows")
    (workflows / "bundled.md").write_text(BUNDLED)
    assert place.run("bundle", "add", "team", "../team-files").status == 0
    done = place.run("workflow", "run", "team//workflows/bundled")
    assert done.status == 0, done.err
    assert done.result["run"]["workflowRef"] == "team//workflows/bundled"
    listed = place.run("workflow", "list", "--ref", "workflows/bundled").result["runs"]
    assert [run["id"] for run in listed] == [done.result["run"]["id"]]
