"""The frontmatter as YAML: which scalars mean what, what is refused, and on which line."""

from __future__ import annotations

import pytest

from akm.workflow.parsing.frontmatter import MAX_DEPTH, MAX_NODES, compose, plain
from akm.workflow.parsing.yaml_faults import YamlFault


def fault(text: str) -> YamlFault:
    with pytest.raises(YamlFault) as raised:
        compose(text)
    return raised.value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2026-07-17", "2026-07-17"),
        ("2026-07-17T10:00:00Z", "2026-07-17T10:00:00Z"),
        ("yes", "yes"),
        ("no", "no"),
        ("on", "on"),
        ("off", "off"),
        ("22:30", "22:30"),
        ("1_000", "1_000"),
        ("0b11", "0b11"),
        ("=", "="),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("12", 12),
        ("-3", -3),
        ("010", 10),
        ("0o17", 15),
        ("0x1F", 31),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        ("1.", 1.0),
        (".5", 0.5),
        ("٣", "٣"),
        ('"12"', "12"),
        ("'true'", "true"),
        ("!!str 12", "12"),
        ("|\n  12\n", "12\n"),
    ],
)
def test_a_scalar_means_what_the_core_rules_of_yaml_1_2_say(text, value):
    found = plain(compose(f"key: {text}"))["key"]
    assert found == value
    assert type(found) is type(value)


def test_on_is_a_key_like_any_other():
    assert plain(compose("retry: { max: 1, on: [timeout] }")) == {"retry": {"max": 1, "on": ["timeout"]}}


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: 1\nb: 2\na: 3", 3, "the key `a` stands twice, first on line 1"),
        ("a:\n\tb: 1", 2, "indented with a tab"),
        ("a: *x", 1, "`*x` is an alias"),
        ("x: &x 1\na: *x", 2, "`*x` is an alias"),
        ("a:\n  <<: { b: 1 }", 2, "`<<` is a merge key"),
        ("a: !!python/object:os.system x", 1, "is a tag"),
        ("a: !!int '1'", 1, "is a tag"),
        ("a: 1\n2: b", 2, "a key is not text"),
        ("[a]: b", 1, "a key is a mapping or a list"),
        ("a: {{ x }}/b", 1, "put a text with `{`"),
        ("a: |\n\tx", 2, "indented with a tab"),
        ("a: 1\n \tb: 2", 2, "indented with a tab"),
        ("a: 1\nb\nc: 2\n", 2, "lacks its `:`"),
        ("null: b", 1, "a key is not text"),
        ("a: .inf", 1, "not a finite number"),
        ("a: -.INF", 1, "not a finite number"),
        ("a: .nan", 1, "not a finite number"),
        ("a: 1e999", 1, "too large"),
        ("a: " + "9" * 5000, 1, "too large"),
        ("a: b: c", 1, "in quotes"),
        ("a: 1\n b: 2", 2, "in quotes"),
        ("a: @x", 1, "cannot begin with `@`"),
        ("a:\n  - `x`", 2, "cannot begin with ```"),
        ("a: [1", 1, "`]`"),
        ("b: 1\na: [1,\n  2\nc: 3\n", 2, "`]`"),
        ("a: {b: 1\nc: 3\n", 1, "`}`"),
        ('a: "x\nb: 1\n', 1, "never closed"),
        ("a: \x01", 1, "U+0001"),
        ("a: 1\n--- \nb: 2", 2, "more than one YAML document"),
        ("a:" + " {a:" * (MAX_DEPTH + 1) + "}" * (MAX_DEPTH + 1), 1, "nested deeper"),
        ("a: " + "[" * 5000, 1, "nested"),
    ],
)
def test_a_fault_is_one_sentence_with_its_line(text, line, words):
    found = fault(text)
    assert words in found.reason
    assert found.line == line
    assert "\n" not in found.reason


def test_the_number_of_values_is_bounded():
    assert "more than" in fault("a: [" + "1," * MAX_NODES + "]").reason


def test_a_key_called_like_a_merge_key_is_text_in_quotes():
    assert plain(compose('"<<": 1')) == {"<<": 1}


def test_a_value_has_the_line_of_its_key_and_an_element_its_own():
    root = compose("\nunit:\n  exec:\n    command:\n      - echo\n      - hello\n")
    assert isinstance(root.value, dict)
    unit = root.value["unit"]
    assert unit.line == 2
    assert isinstance(unit.value, dict)
    command = unit.value["exec"]
    assert command.line == 3
    assert isinstance(command.value, dict)
    argv = command.value["command"]
    assert isinstance(argv.value, tuple)
    assert [node.line for node in argv.value] == [5, 6]


@pytest.mark.parametrize("text", ["", "\n", "# only a comment\n"])
def test_an_empty_text_is_an_empty_mapping(text):
    assert plain(compose(text)) == {}
