"""What `plan` says of a workflow, and that it says it without a ledger."""

from __future__ import annotations

from pathlib import Path

import pytest
from outcomes import done
from places import Place
from workflow_files import a_map, a_step, items

from akm.engine.files import preview

REAL = Path(__file__).parents[3] / "shared/data/workflows"


def test_a_preview_has_the_hash_that_a_run_gets(place: Place) -> None:
    place.write(a_step("a"), a_map("b", concurrency=2), params=items(1), budget={"max_units": 9})
    shown = preview.plan(place.work, "w")
    assert shown["published"] is False
    assert (shown["params"]["items"]["default"], shown["budget"]) == ([1], {"maxUnits": 9})
    assert [(step["stepId"], step["kind"], step["targetKind"]) for step in shown["steps"]] == [
        ("a", "unit", "shell"),
        ("b", "map", "shell"),
    ]
    assert (shown["steps"][1]["concurrency"], shown["steps"][1]["over"]) == (2, "params.items")
    place.fake(done)
    assert place.row("SELECT plan_hash FROM workflow_runs")["plan_hash"] == shown["planHash"]


def test_a_missing_engine_is_a_warning(place: Place) -> None:
    place.write({"id": "a"})
    shown = preview.plan(place.work, "w")
    assert any("defaults.engine" in text for text in shown["warnings"])


@pytest.mark.skipif(not REAL.is_dir(), reason=f"real files are not at {REAL}")
def test_every_real_workflow_can_be_previewed(place: Place) -> None:
    for path in sorted(REAL.glob("*.md")):
        assert preview.plan(place.work, str(path))["steps"], path.name
