"""Identifiers and their prefixes."""

from __future__ import annotations

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akm import ids

HEX = st.text("0123456789abcdef-", min_size=1, max_size=36)


def test_new_ids_are_random_uuids_in_their_usual_writing() -> None:
    made = [ids.new() for _ in range(200)]
    assert len(set(made)) == 200
    for text in made:
        parsed = uuid.UUID(text)
        assert (str(parsed), parsed.version, parsed.variant) == (text, 4, uuid.RFC_4122)
        assert ids.is_prefix(text)


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("abcd", True),
        ("0123abcd-0", True),
        ("abc", False),
        ("", False),
        ("abcg", False),
        ("ABCD", False),
        ("abcd%", False),
        ("abc_", False),
        ("abcd\n", False),
        ("a" * 36, True),
        ("a" * 37, False),
    ],
)
def test_a_prefix_has_four_or_more_characters_of_an_id(text: str, is_one: bool) -> None:
    assert ids.is_prefix(text) is is_one


@given(HEX, HEX)
def test_the_range_of_a_prefix_holds_exactly_what_starts_with_it(prefix: str, text: str) -> None:
    for candidate in (text, prefix + text, prefix):
        assert (prefix <= candidate < ids.prefix_end(prefix)) == candidate.startswith(prefix)
