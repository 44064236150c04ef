"""The main job with the installed command: run a workflow, then read about it in every way there is."""

from __future__ import annotations

import json

from installed import ROOT, Place

EXAMPLE = str(ROOT / "examples" / "repo-report.md")


def test_the_example_completes_on_a_machine_that_never_ran_akm(fresh: Place) -> None:
    texts = fresh.folder("texts")
    for number in range(6):
        (texts / f"{number}.md").write_text("one two\nthree\n")
    done = fresh.run("workflow", "run", EXAMPLE, "-p", f"directory={texts}")
    assert done.status == 0, done.err
    assert done.result["done"] is True
    assert [step["unitCount"] for step in done.result["executed"]] == [1, 6, 1]
    results = fresh.rows("SELECT result_json FROM workflow_run_units WHERE step_id = 'total'")
    assert "6 files, 12 lines, 18 words; 0 could not be read" in results[0][0]


def test_status_list_and_log_agree_as_text_and_as_json(fresh: Place) -> None:
    ran = fresh.run("workflow", "run", EXAMPLE, "-p", f"directory={fresh.folder('empty')}").result["run"]
    status = fresh.run("workflow", "status", ran["id"][:8], "--units").result
    (listed,) = fresh.run("workflow", "list").result["runs"]
    events = fresh.run("log", "--run", ran["id"]).result["events"]
    assert status["run"] == listed == ran
    assert [event["eventType"] for event in events][:: len(events) - 1] == [
        "workflow_started",
        "workflow_finished",
    ]
    assert {unit["unitId"] for unit in status["units"]} == {
        event["metadata"]["unitId"] for event in events if event["eventType"] == "workflow_unit_finished"
    }
    texts = [
        fresh.run(*words, "--format", "text")
        for words in (("workflow", "status", EXAMPLE), ("workflow", "list"), ("log",))
    ]
    assert all(text.status == 0 and ran["id"][:8] in text.out for text in texts)
    assert all("completed" in text.out for text in texts)
    assert texts[2].out.count("\n") == len(events)


def test_lists_are_read_line_by_line_with_jsonl(fresh: Place) -> None:
    for _time in range(2):
        assert fresh.run("workflow", "run", EXAMPLE, "-p", f"directory={fresh.folder('empty')}").status == 0
    lines = fresh.run("workflow", "list", "--format", "jsonl").out.splitlines()
    assert [json.loads(line) for line in lines] == fresh.run("workflow", "list").result["runs"]


def test_a_run_that_stopped_goes_on_where_it_was(place: Place) -> None:
    empty = f"directory={place.folder('empty')}"
    first = place.run("workflow", "run", EXAMPLE, "-p", empty, "--max-steps", "1")
    again = place.run("workflow", "run", first.result["run"]["id"][:8])
    assert [step["stepId"] for step in first.result["executed"]] == ["discover"]
    assert [step["stepId"] for step in again.result["executed"]] == ["count", "total"]
    assert place.rows("SELECT count(*) FROM workflow_run_unit_attempts") == [(2,)]
