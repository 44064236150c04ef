"""What a refusal looks like: an error of akm's own, with one sentence for each thing that is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from akm.errors import AkmError

REFUSED = "refused"


def check_sentence(text: str, *endings: str) -> None:
    """Check that a text is one sentence on one line; it may have other endings than a full stop."""
    assert text.isprintable(), text
    # A suggestion may end the line, in the file's own words.
    assert text.endswith((".", "?", *endings)) or ". Try: " in text, text


def check(error: AkmError, *, several: bool = False) -> None:
    """Check the form of an error; `several`: it may tell more than one fault, each on a line of its own."""
    assert type(error) is not AkmError, error
    for line in error.message.split("\n") if several else [error.message]:
        check_sentence(line, *(":" if several else ""))


def outcome(act: Callable[[], Any], *, several: bool = False) -> Any:
    """Return what an act returns, or REFUSED when akm refuses it in the form that it should."""
    try:
        return act()
    except AkmError as error:
        check(error, several=several)
        return REFUSED
