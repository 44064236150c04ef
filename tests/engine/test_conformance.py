"""Small workflows with what the original akm-cli did with each of them."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import workflow_files
from places import Place

from akm.errors import AkmError

CASES = Path(__file__).parents[3] / "shared/data/conformance/exec-cases.json"


def cases() -> list[Any]:
    if not CASES.is_file():
        skip = pytest.mark.skip(reason=f"the cases of the original are not at {CASES}")
        return [pytest.param({}, id="absent", marks=skip)]
    return [pytest.param(case, id=case["name"]) for case in json.loads(CASES.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("case", cases())
def test_a_case_ends_as_it_does_in_the_original(case: dict[str, Any], place: Place, tmp_path: Path) -> None:
    workflow_files.write(place.root, case["name"], case["file"])
    given = [(name, str(tmp_path / "count") if text == "COUNTER" else text) for name, text in case["params"]]
    expected = case["expect"]
    if "run" not in expected:
        check_refused(place, case["name"], given, expected)
        return
    environment = {**os.environ, "LEAK_ME": "1", "KEEP_ME": "2"}
    assert place.run(case["name"], given, environment=environment).exit_status == expected["exit"]
    assert place.status() == expected["run"]
    for step_id, wanted in expected["steps"].items():
        check_step(place, step_id, wanted)
    check_journal(place, expected)


def check_refused(place: Place, target: str, given: Any, expected: dict[str, Any]) -> None:
    with pytest.raises(AkmError) as refused:
        place.run(target, given)
    assert refused.value.exit_status == expected["exit"]
    assert refused.value.code == expected.get("code", refused.value.code)
    assert place.rows("SELECT id FROM workflow_runs") == []


def check_step(place: Place, step_id: str, wanted: dict[str, Any]) -> None:
    found = place.row("SELECT * FROM workflow_run_steps WHERE step_id = ?", step_id)
    assert found["status"] == wanted["status"]
    if "output" in wanted:
        assert place.output(step_id) == wanted["output"]
    if "output_ends_with_truncation_block" in wanted:
        assert "[__akm_exec_output_truncated__]" in place.output(step_id)[-300:]


def check_journal(place: Place, expected: dict[str, Any]) -> None:
    journal = place.rows("SELECT * FROM workflow_run_unit_attempts ORDER BY unit_id, attempt")
    reasons = [[row["step_id"], row["failure_reason"]] for row in journal if row["failure_reason"]]
    assert reasons == expected["failure_reasons"]
    assert Counter(row["step_id"] for row in journal) == Counter(expected["attempts"])
