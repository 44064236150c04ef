"""Suggestions for misspelt names."""

from __future__ import annotations

from akm.workflow.spelling import closest, did_you_mean


def test_the_nearest_known_name_is_found_in_any_case() -> None:
    assert closest("minlenght", ["maxLength", "minLength", "type"]) == "minLength"
    assert did_you_mean("Writter", ["writer"]) == ' Did you mean "writer"?'


def test_nothing_is_suggested_when_nothing_is_near() -> None:
    assert closest("zzz", ["type"]) is None
    assert did_you_mean("zzz", []) == ""
