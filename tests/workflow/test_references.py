"""Which texts are references, what they lead to, and what is said when they lead nowhere."""

from __future__ import annotations

from typing import Any

import pytest

from akm.workflow.references import Reference, ReferenceUnresolved, parse, resolve


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("params.items", Reference("params", "items")),
        ("  params.my-param \n", Reference("params", "my-param")),
        ("steps.build.output", Reference("steps", "build")),
        ("steps.b-2.output.files[0].name", Reference("steps", "b-2", ("files", 0, "name"))),
        ("steps.a.output[10][2]", Reference("steps", "a", (10, 2))),
    ],
)
def test_a_reference_is_read_and_written_back(text: str, expected: Reference) -> None:
    assert parse(text) == expected
    assert parse(text).text == text.strip()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "params",
        "params.",
        "params.a.b",
        "params.1a",
        "steps.a",
        "steps.a.outputs",
        "steps.a.output.",
        "steps.a.output[-1]",
        "steps.a.output[x]",
        "steps.a.output[]",
        "steps..output",
        "item.name",
        "${{ params.a }}",
        "params.a steps.b.output",
        "steps.a.output.b\n.c",
        "steps.a.output[99999999999999]",
        "\ufeffparams.a",
    ],
)
def test_anything_else_is_refused_with_one_sentence(text: str) -> None:
    said = r"is not a reference: write params\.<name> or steps\.<id>\.output"
    with pytest.raises(ValueError, match=said) as refused:
        parse(text)
    assert str(refused.value).isprintable()


def test_a_long_text_is_not_repeated_whole() -> None:
    with pytest.raises(ValueError) as caught:
        parse("x" * 5000)
    assert len(str(caught.value)) < 400


OUTPUTS = {"a": {"files": [{"n": 1}, None], "text": "hi", "zero": 0, "no": False, "empty": []}, "gone": None}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("params.p", [1]),
        ("steps.a.output.files[0].n", 1),
        ("steps.a.output.zero", 0),
        ("steps.a.output.no", False),
        ("steps.a.output.empty", []),
        ("steps.a.output", OUTPUTS["a"]),
    ],
)
def test_a_reference_leads_to_its_value(text: str, expected: Any) -> None:
    assert resolve(parse(text), {"p": [1]}, OUTPUTS) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("params.q", "params.q has no value"),
        ("params.null", "params.null is null"),
        ("steps.b.output", "steps.b.output does not exist"),
        ("steps.gone.output", "steps.gone.output is null"),
        ("steps.a.output.nothing", 'steps.a.output has no property "nothing"'),
        ("steps.a.output.__class__", 'steps.a.output has no property "__class__"'),
        ("steps.a.output.files.length", "steps.a.output.files is an array, not an object"),
        ("steps.a.output.text[0]", "steps.a.output.text is text, not an array"),
        ("steps.a.output[0]", "steps.a.output is an object, not an array"),
        ("steps.a.output.files[2]", r"steps.a.output.files has 2 items: \[2\] is out of range"),
        ("steps.a.output.files[1]", r"steps.a.output.files\[1\] is null"),
        ("steps.a.output.files[1].n", r"steps.a.output.files\[1\] is null, not an object"),
        ("steps.a.output.no.x", "steps.a.output.no is a boolean"),
        ("steps.a.output.zero.x", "steps.a.output.zero is a number"),
    ],
)
def test_a_reference_that_leads_nowhere_names_how_far_it_got(text: str, message: str) -> None:
    with pytest.raises(ReferenceUnresolved, match=message):
        resolve(parse(text), {"p": [1], "null": None}, OUTPUTS)
