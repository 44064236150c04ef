"""Secrets in texts and JSON values: longest first, in keys too, and never half of one at a cut."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akm.engine.redaction import MARK, NOTHING, SHORTEST, Redaction
from akm.engine.runners.base import Outcome, failed


def test_the_longer_secret_goes_first() -> None:
    assert Redaction(["password", "password-longer"]).text("password-longer password") == f"{MARK} {MARK}"


def test_keys_and_nested_texts_are_replaced() -> None:
    redaction = Redaction(["s3cr3t-value"])
    assert redaction.value({"s3cr3t-value": ["x s3cr3t-value", 7, None, True]}) == {
        MARK: [f"x {MARK}", 7, None, True]
    }


def test_a_secret_that_json_escapes_is_found_in_json_text() -> None:
    value = 'line one\n"quoted" ü'
    for text in (json.dumps({"k": value}), json.dumps({"k": value}, ensure_ascii=False)):
        assert Redaction([value]).text(text) == json.dumps({"k": MARK})


@pytest.mark.parametrize("value", ["1234567", "", "completed"])
def test_short_values_and_words_that_rows_need_stay(value: str) -> None:
    redaction = Redaction([value], spared={"completed"})
    assert redaction.text(f"a {value} b") == f"a {value} b"
    assert redaction.left == bool(value)


@given(st.text(min_size=SHORTEST, max_size=30), st.integers(min_value=0, max_value=40), st.text(max_size=20))
def test_no_text_that_is_cut_anywhere_ends_in_much_of_a_secret(secret: str, cut: int, before: str) -> None:
    whole = before + secret
    shown = Redaction([secret]).text(whole[: len(before) + cut], is_cut=True)
    for length in range(SHORTEST, len(secret) + 1):
        assert not shown.removesuffix(MARK).endswith(secret[:length]) or secret[:length] in MARK + before


def test_an_outcome_is_redacted_whole() -> None:
    secret = "s3cr3t-value"
    outcome = failed(secret, f"d {secret}", text=f"t {secret}", warnings=(f"w {secret}",))
    redacted = outcome.redacted(Redaction([secret]))
    assert secret not in repr(redacted)
    assert redacted.failure_reason == "reported_failure"
    good = Outcome("completed", result=[secret], has_result=True, session_id=secret)
    good = good.redacted(Redaction([secret]))
    assert (good.result, good.session_id) == ([MARK], MARK)


def test_nothing_to_replace_changes_nothing() -> None:
    outcome = Outcome("completed", text="x")
    assert outcome.redacted(NOTHING) is outcome
