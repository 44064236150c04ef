"""Parameters and references are taken as what they say, or refused in a sentence."""

from __future__ import annotations

import json
from typing import Any

import workflow_texts
from effort import fuzz
from hypothesis import assume
from hypothesis import strategies as st
from refusals import REFUSED, check_sentence, outcome
from written import RAW_WORDS, WORDS, shaped, spelled

from akm.cli import parameters
from akm.workflow import json_values, params, references
from akm.workflow.schemas import check

FLAGS = parameters.Flags(frozenset({"--format", "--budget", "-o"}), frozenset({"--new", "--quiet", "-q"}))
_ARGUMENTS = (
    "-p",
    "--",
    "-",
    "=",
    "a",
    "b",
    "--new",
    "--format",
    "-o",
    "-q",
    "-1",
    ".5",
    "--params",
    "release",
)


@fuzz(300, args=st.lists(st.sampled_from(_ARGUMENTS) | spelled(*_ARGUMENTS), max_size=6))
def test_a_command_line_is_split_or_refused(args: list[str]) -> None:
    taken = outcome(lambda: parameters.split(list(args), FLAGS))
    if taken == REFUSED:
        return
    assert all(name.isidentifier() for name, _value in taken.parameters)
    # Written in the other way, the parameters are the same.
    if taken.has_target and all(value is not True for _name, value in taken.parameters):
        pairs = (("-p", f"{name}={value}") for name, value in taken.parameters)
        again = [*taken.own, *(word for pair in pairs for word in pair)]
        assert parameters.split(again, FLAGS) == taken


TYPED = st.sampled_from(["1e999", "-1e999", "true", "3", "[1, NaN]", '["a"]', '{"a": 1e999}', "9" * 5000])
TYPED |= spelled("[", "]", "{", "}", '"', ":", ",", "1", "-", "e9", "1e999", "true", "null", "NaN", "\\ud800")
# Numbers are doubles, as in the JSON of a browser.
NUMBERS = st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False, allow_infinity=False)
FLAT: Any = st.none() | st.booleans() | NUMBERS | WORDS
NESTED: Any = FLAT | st.lists(FLAT, max_size=3) | st.dictionaries(WORDS, FLAT, max_size=3)
JSON_VALUES: Any = NESTED | st.lists(NESTED, max_size=3) | st.dictionaries(WORDS, NESTED, max_size=3)
#: Schemas that a workflow may declare.
SOUND = workflow_texts.schemas.filter(lambda schema: "$ref" not in schema and schema.get("pattern") != "(")
PLAIN: Any = st.sampled_from(
    [{}, *({"type": one} for one in ("number", "array", "object", "integer", "boolean"))]
)
NAMES = st.sampled_from(["a", "a", "b"])


@fuzz(
    300,
    declared=st.fixed_dictionaries({"a": PLAIN | SOUND}, optional={"b": SOUND}),
    flags=st.lists(st.tuples(NAMES | NAMES | RAW_WORDS, TYPED | st.just(True)), max_size=3),
)
def test_flags_become_parameters_that_fit_or_are_refused(declared: Any, flags: Any) -> None:
    given = outcome(lambda: params.coerce(flags, declared), several=True)
    if given != REFUSED:
        assert json.loads(json.dumps(given, allow_nan=False)) == given
        params.validate(given, declared)
        params.validate(params.with_defaults(given, declared), declared)


@fuzz(200, value=JSON_VALUES)
def test_a_value_written_as_json_is_that_value(value: Any) -> None:
    kinds = {dict: "object", list: "array", bool: "boolean", str: "string", type(None): "null"}
    schema = {"type": kinds.get(type(value), "number")}
    text = value if isinstance(value, str) else json.dumps(value)
    given = outcome(lambda: params.coerce([("x", text)], {"x": schema}), several=True)
    if json_values.fault(value, allow_nul=False) is None:
        assert given == {"x": value}


REFERENCES = shaped(
    ("", " ", "\n"),
    ("params.", "steps."),
    ("a", "b-2", "_"),
    ("", ".output", ".approval"),
    ("", ".x", "[0]", "[01]", "[-1]", ".x[3].y"),
    ("", " ", "\ufeff"),
)


@fuzz(
    300,
    text=REFERENCES | spelled("params.", "steps.", "a", ".output", "[0]", "[", "]", ".", " ", "${{", "}}"),
)
def test_a_reference_is_one_or_is_refused_and_is_written_as_it_was_read(text: str) -> None:
    try:
        found = references.parse(text)
    except ValueError as error:
        check_sentence(str(error))
        return
    assert references.parse(found.text) == found
    try:
        references.resolve(found, {"a": {"b": [1]}}, {"a": {"a": [None]}, "a.approval": 1})
    except references.ReferenceUnresolved as error:
        check_sentence(str(error))


@fuzz(100, schema=SOUND, value=JSON_VALUES)
def test_what_a_schema_finds_in_a_value_stays_on_one_line(schema: Any, value: Any) -> None:
    assume(json_values.fault(value) is None)
    for found in check(schema, value, root="x", redact=True):
        check_sentence(f"{found}.")
