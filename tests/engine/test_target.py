"""What the word after `run` and `status` means: a run that exists, or a workflow."""

from __future__ import annotations

import pytest
from builders import publish
from places import Place
from workflow_files import a_step

from akm.engine import target
from akm.engine.target import Existing, Fresh
from akm.errors import AkmError, NotFoundError, UsageError

FIRST = "aaaaaaaa-0000-4000-8000-000000000001"
SECOND = "aaaaaaaa-0000-4000-8000-000000000002"


def resolve(place: Place, text: str, *, new: bool = False, has_params: bool = False) -> Existing | Fresh:
    return target.resolve(place.db, place.work, text, new=new, has_params=has_params)


@pytest.mark.parametrize("text", [FIRST, "aaaaaaaa-0000-4000-8000-000000000001"[:-1] + "1", "aaaa"])
def test_an_id_or_a_unique_beginning_of_it_is_a_run(place: Place, text: str) -> None:
    publish(place.db, id=FIRST)
    assert resolve(place, text) == Existing(FIRST, is_attached=False)


def test_an_ambiguous_beginning_lists_the_candidates(place: Place) -> None:
    publish(place.db, id=FIRST)
    publish(place.db, id=SECOND)
    with pytest.raises(UsageError) as refused:
        resolve(place, "aaaaaaaa")
    assert FIRST in refused.value.message
    assert SECOND in refused.value.message


def test_a_word_of_an_ids_shape_is_never_tried_as_a_ref(place: Place) -> None:
    place.write(a_step("a"), name="deadbeef")
    with pytest.raises(NotFoundError) as refused:
        resolve(place, "deadbeef")
    assert refused.value.code == "WORKFLOW_NOT_FOUND"


@pytest.mark.parametrize("text", ["aaaa%", "aaaa____", "%", "aaaaaaa*"])
def test_wildcards_mean_themselves(place: Place, text: str) -> None:
    publish(place.db, id=FIRST)
    with pytest.raises(AkmError) as refused:
        resolve(place, text)
    assert refused.value.exit_status in (1, 2)


@pytest.mark.parametrize("given", [{"new": True}, {"has_params": True}])
def test_a_run_takes_neither_new_nor_parameters(place: Place, given: dict[str, bool]) -> None:
    publish(place.db, id=FIRST)
    with pytest.raises(UsageError, match=FIRST):
        resolve(place, FIRST, **given)


def test_parameters_for_an_active_run_name_it_its_scope_and_what_helps(place: Place) -> None:
    place.write(a_step("a"), a_step("b"))
    run_id = place.run(max_steps=1).run["id"]
    with pytest.raises(UsageError) as refused:
        resolve(place, "w", has_params=True)
    said = f"{refused.value.message} {refused.value.hint}"
    for part in (
        run_id,
        place.work.scope_key,
        f"workflow run {run_id}",
        f"workflow abandon {run_id}",
        "--new",
    ):
        assert part in said


@pytest.mark.parametrize("text", ["w", "workflows/w", "project//workflows/w", "./workflows/w.md"])
def test_every_spelling_of_a_workflow_attaches_to_its_active_run(place: Place, text: str) -> None:
    place.write(a_step("a"), a_step("b"))
    run_id = place.run(max_steps=1).run["id"]
    assert resolve(place, text) == Existing(run_id, is_attached=True)


def test_a_word_that_is_neither_run_nor_workflow_is_not_found(place: Place) -> None:
    with pytest.raises(NotFoundError) as refused:
        resolve(place, "nosuch")
    assert (refused.value.exit_status, refused.value.code) == (1, "WORKFLOW_NOT_FOUND")


def test_status_means_the_newest_run_of_a_ref_here(place: Place) -> None:
    place.write(a_step("a"))
    place.run(now=lambda: "2027-01-01T00:00:00.000Z")
    newest = place.run(now=lambda: "2027-01-02T00:00:00.000Z").run["id"]
    assert target.shown(place.db, place.work, "w", all_scopes=False) == newest


def test_status_of_a_ref_without_a_run_says_where_it_looked(place: Place) -> None:
    place.write(a_step("a"))
    with pytest.raises(NotFoundError, match=str(place.root)) as refused:
        target.shown(place.db, place.work, "w", all_scopes=False)
    assert "--all-scopes" in str(refused.value.hint)


@pytest.mark.parametrize("text", ["", " ", "w#a"])
def test_a_ref_filter_that_is_no_ref_is_refused(place: Place, text: str) -> None:
    with pytest.raises(UsageError) as refused:
        target.listed_refs(place.work, text)
    assert refused.value.code == "INVALID_FLAG_VALUE"


def test_a_qualified_ref_filter_matches_without_its_file(place: Place) -> None:
    assert target.listed_refs(place.work, "gone//workflows/x") == ("gone//workflows/x",)
