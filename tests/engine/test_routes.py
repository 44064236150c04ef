"""Routes: one branch runs, the others are skipped, and so is everything that hangs on a skipped route."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from gates import PASS, Court, rejection
from places import Place
from workflow_files import a_step, sh, write

from akm.errors import UsageError

OLD = Path(__file__).parents[3] / "shared/data/workflows-old-grammar/typed-route.md"


def a_route(step_id: str, source: str, default: str | None = None, **when: str) -> dict[str, Any]:
    """Describe a route; `when` maps what matches to a step."""
    branches = [{"match": match, "step": step} for match, step in when.items()]
    return {
        "id": step_id,
        "route": {"input": source, "when": branches} | ({"default": default} if default else {}),
    }


def statuses(place: Place) -> dict[str, str]:
    rows = place.rows("SELECT step_id, status FROM workflow_run_steps ORDER BY sequence_index")
    return {row["step_id"]: row["status"] for row in rows}


def declared(kind: str = "string") -> dict[str, Any]:
    return {"mood": {"type": kind}}


def test_the_selected_branch_runs_and_the_others_are_skipped(place: Place) -> None:
    steps = [a_route("pick", "params.mood", good="yes", bad="no"), a_step("yes"), a_step("no"), a_step("end")]
    place.write(*steps, params=declared())
    result = place.run(given=[("mood", "bad")])
    assert result.exit_status == 0
    assert statuses(place) == {"pick": "completed", "yes": "skipped", "no": "completed", "end": "completed"}
    assert place.output("pick") == {"selected": "no", "value": "bad"}
    assert [one[0] for one in place.attempts()] == ["end:solo", "no:solo"]
    updated = place.rows("SELECT metadata_json FROM events WHERE event_type = 'workflow_step_updated'")
    assert ['"stepId":"yes","status":"skipped"' in row["metadata_json"] for row in updated] == [True]


@pytest.mark.parametrize(
    ("kind", "value", "match"),
    [("boolean", True, "true"), ("integer", 3, "3"), ("number", 2.5, "2.5"), ("string", "3", "3")],
)
def test_values_match_as_text(place: Place, kind: str, value: Any, match: str) -> None:
    place.write(a_route("pick", "params.mood", **{match: "a"}), a_step("a"), params=declared(kind))
    assert place.run(given={"mood": value}).exit_status == 0
    assert place.output("pick") == {"selected": "a", "value": value}


def test_the_first_match_wins_over_the_default(place: Place) -> None:
    steps = [a_route("pick", "params.mood", "c", x="a"), a_step("a"), a_step("b"), a_step("c")]
    place.write(*steps, params=declared())
    place.run(given=[("mood", "x")])
    assert statuses(place) == {"pick": "completed", "a": "completed", "b": "completed", "c": "skipped"}


@pytest.mark.parametrize(("kind", "value"), [("string", "odd"), ("object", {}), ("array", ["good"])])
def test_what_cannot_be_routed_fails_the_step_and_runs_no_branch(place: Place, kind: str, value: Any) -> None:
    place.write(a_route("pick", "params.mood", good="a"), a_step("a"), params=declared(kind))
    assert place.run(given={"mood": value}).exit_status == 1
    assert statuses(place) == {"pick": "failed", "a": "pending"}
    assert "params.mood" in place.row("SELECT notes FROM workflow_run_steps WHERE step_id = 'pick'")["notes"]
    assert place.attempts() == []


def test_a_skipped_route_selects_nothing_unless_another_selects_its_target(place: Place) -> None:
    steps = [
        a_route("first", "params.mood", left="second", right="other"),
        a_route("second", "params.mood", "shared", left="deep"),
        a_route("other", "params.mood", right="shared"),
        a_step("deep"),
        a_step("shared"),
    ]
    place.write(*steps, params=declared())
    place.run(given=[("mood", "right")])
    assert statuses(place) == {
        "first": "completed",
        "second": "skipped",
        "other": "completed",
        "deep": "skipped",
        "shared": "completed",
    }


def test_the_last_step_skipped_still_completes_the_run(place: Place) -> None:
    place.write(a_route("pick", "params.mood", a="a", b="b"), a_step("a"), a_step("b"), params=declared())
    result = place.run(given=[("mood", "a")])
    assert (result.exit_status, result.run["status"]) == (0, "completed")


def test_a_reference_to_a_skipped_step_says_so(place: Place) -> None:
    steps = [a_route("pick", "params.mood", a="a", b="b"), a_step("a"), a_step("b")]
    place.write(*steps, a_step("end", inputs=("steps.b.output",)), params=declared())
    assert place.run(given=[("mood", "a")]).exit_status == 1
    notes = place.row("SELECT notes FROM workflow_run_steps WHERE step_id = 'end'")["notes"]
    assert "steps.b.output" in notes
    assert "skipped" in notes


def test_the_decision_is_taken_once(place: Place) -> None:
    """A run that stops after its route and goes on later takes the branch that it took then."""
    source = place.root / "mood"
    source.write_text("a\n")
    steps = [a_step("ask", *sh(f"cat {source}")), a_route("pick", "steps.ask.output", a="a", b="b")]
    place.write(*steps, a_step("a"), a_step("b"))
    place.run(max_steps=2)
    source.write_text("b\n")
    assert place.run().exit_status == 0
    assert statuses(place)["a"] == "completed"


def test_a_judged_route_that_is_rejected_blocks_and_chooses_the_same_after_resume(place: Place) -> None:
    court = Court(place)
    court.write(a_route("pick", "params.mood", x="a"), a_step("a"), bodies=("pick",), params=declared())
    assert court.run(rejection(), given=[("mood", "x")]).exit_status == 1
    from akm.services import runs

    runs.resume(place.db, place.row("SELECT id FROM workflow_runs")["id"], at="2027-01-15T08:00:00.000Z")
    assert court.run(PASS).exit_status == 0
    assert place.output("pick") == {"selected": "a", "value": "x"}


@pytest.mark.parametrize("branch", ["canary-5f1e0c7a9b", "another"])
def test_a_secret_that_is_routed_by_is_not_stored_with_the_choice(place: Place, branch: str) -> None:
    canary = "canary-5f1e0c7a9b"
    place.write(a_route("pick", "params.api_token", **{branch: "a"}), a_step("a"),
                params={"api_token": {"type": "string"}})  # fmt: skip
    assert place.run(given=[("api_token", canary)]).exit_status == (branch == "another")
    stored = place.rows("SELECT notes, summary, evidence_json FROM workflow_run_steps")
    assert canary not in repr(stored)
    assert "[REDACTED]" in repr(stored)


@pytest.mark.parametrize("stored", ["{", '{"output":{"selected":"nosuch"}}', '{"output":{}}', '"x"'])
def test_a_stored_choice_that_is_damaged_is_refused_and_skips_nothing(place: Place, stored: str) -> None:
    place.write(a_route("pick", "params.mood", x="a", y="b"), a_step("a"), a_step("b"), params=declared())
    place.run(max_steps=1, given=[("mood", "x")])
    place.db.connection.execute(
        "UPDATE workflow_run_steps SET evidence_json = ? WHERE step_id = 'pick'", (stored,)
    )
    with pytest.raises(UsageError, match=r"pick.*damaged"):
        place.run()
    assert statuses(place) == {"pick": "completed", "a": "pending", "b": "pending"}
    assert (place.status(), place.attempts()) == ("active", [])


@pytest.mark.skipif(not OLD.is_file(), reason=f"the routed file is not at {OLD}")
def test_the_routed_file_of_a_real_bundle_runs_to_its_end(place: Place) -> None:
    text = OLD.read_text()
    write(place.root, "routed", text)
    court = Court(place)
    court.write(a_step("unused"))
    result = place.fake(court._act, "routed", [("include_processes", "true")])
    assert result.run["status"] == "completed", result.shown()
    assert place.output("choose") == {"selected": "finish", "value": True}
