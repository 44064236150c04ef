"""What is taken out of text, and that nothing else is."""

from __future__ import annotations

import pytest

from akm.tasks.execution.redaction import MARK, Redactor, configured


@pytest.mark.parametrize(
    "secret",
    [
        "sk-abcdefghij0123456789",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "AKIAABCDEFGHIJKLMNOP",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.abcdefg",
        "-----BEGIN RSA PRIVATE KEY-----\nabc\ndef\n-----END RSA PRIVATE KEY-----",
    ],
)
def test_what_is_shaped_like_a_credential_goes(secret: str) -> None:
    assert Redactor({}).scrub(f"see {secret}") == f"see {MARK}"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Authorization: Bearer abcdefghij0123456789", f"Authorization: Bearer {MARK}"),
        ("https://me:hunter22@host/x", f"https://me:{MARK}@host/x"),
        ('{"password": "hunter22x"}', f'{{"password": "{MARK}"}}'),
    ],
)
def test_what_leads_up_to_a_secret_stays(text: str, left: str) -> None:
    assert Redactor({}).scrub(text) == left


def test_values_of_variables_that_sound_secret_go_from_eight_characters_on() -> None:
    redactor = Redactor({"MY_TOKEN": "12345678", "A_SECRET": "1234567", "PLAIN": "plainvalue"})
    assert redactor.scrub("12345678 1234567 plainvalue") == f"{MARK} 1234567 plainvalue"


def test_a_named_variable_goes_whatever_its_length() -> None:
    assert Redactor({"PIN": "99"}, ["PIN", "UNSET"]).scrub("pin 99") == f"pin {MARK}"


def test_a_secret_that_holds_another_goes_whole() -> None:
    redactor = Redactor({"A_TOKEN": "abcdefgh", "B_TOKEN": "xx-abcdefgh-yy"})
    assert redactor.scrub("xx-abcdefgh-yy") == MARK


def test_a_known_value_inside_something_shaped_like_a_secret_leaves_no_rest_of_it() -> None:
    redactor = Redactor({"PIN": "abc", "MY_TOKEN": "x-AKIAABCDEFGHIJKLMNOP-y"}, ["PIN"])
    assert redactor.scrub("see ghp_abcdefghijklmnopqrstuvwxyz0123456789.") == f"see {MARK}."
    assert redactor.scrub("see x-AKIAABCDEFGHIJKLMNOP-y.") == f"see {MARK}."


def test_secrets_side_by_side_each_have_a_mark() -> None:
    assert Redactor({"PIN": "99"}, ["PIN"]).scrub("9999") == MARK * 2


def test_a_secret_of_several_lines_goes_whole_with_either_line_end() -> None:
    redactor = Redactor({"MY_SECRET": "first-line\nsecond-line\n"})
    assert redactor.scrub("a\nfirst-line\nsecond-line\nb") == f"a\n{MARK}b"
    assert redactor.scrub("first-line\r\nsecond-line") == MARK


def test_ordinary_text_stays() -> None:
    text = "12 tests passed in 3.4 s: https://example.org/a?b=c, secret santa\n"
    assert Redactor({"HOME": "/home/me"}).scrub(text) == text


def test_a_line_of_a_long_secret_goes_when_it_stands_alone() -> None:
    redactor = Redactor({"MY_SECRET": "short\na-line-of-sixteen\nanother-long-line"})
    assert redactor.scrub("[x] a-line-of-sixteen\n[x] another-long-line\nshort") == (
        f"[x] {MARK}\n[x] {MARK}\nshort"
    )


@pytest.mark.parametrize("printed", ["first\\nsecond-\\u00e9", "first\\nsecond-\u00e9"])
def test_a_secret_goes_as_json_writes_it_too(printed: str) -> None:
    assert Redactor({"MY_SECRET": "first\nsecond-\u00e9"}).scrub(f'"{printed}"') == f'"{MARK}"'


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ({"engines": {"a": {"api_key_env": "PLAIN"}, "b": {"kind": "agent"}}}, ["PLAIN"]),
        ({}, []),
        ({"engines": {"a": {"api_key_env": 5}, "b": 3}}, []),
        ({"engines": 3}, []),
    ],
)
def test_the_configuration_names_variables_that_hold_a_credential(
    settings: dict[str, object], names: list[str]
) -> None:
    assert list(configured(settings)) == names
