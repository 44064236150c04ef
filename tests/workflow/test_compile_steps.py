"""Rules that span steps: references, routes, advisories, and the template a new file starts from."""

from __future__ import annotations

import pytest

from akm.workflow.parsing.compile import Compiled, compile
from akm.workflow.parsing.findings import Finding
from akm.workflow.template import MARKERS, TEMPLATE


def compiled(frontmatter: str, ids: str = "a b c", rubric: str = "") -> Compiled:
    body = "".join(f"## {name}\n\nDo it.\n\n{rubric}\n\n" for name in ids.split())
    return compile(f"---\n{frontmatter}\n---\n\n{body}".encode(), name="x.md")


def only(found: Compiled) -> Finding:
    (finding,) = found.findings
    return finding


def middle(fields: str, params: str = "params: { items: {} }") -> Compiled:
    """Compile three steps a, b, c, of which b has the given fields on line 5."""
    return compiled(f"{params}\nsteps:\n- id: a\n- {{ id: b, {fields} }}\n- id: c")


@pytest.mark.parametrize(
    "fields",
    [
        "inputs: [steps.a.output]",
        "inputs: [' steps.a.output.x-y[0].z ']",
        "map: { over: params.items }",
        "map: { over: steps.a.output }",
        "unit: { workflow: w, with: { n: { from: params.items }, m: { from: steps.a.output } } }",
        "route: { input: params.items, when: [{ match: x, step: c }] }",
        "route: { input: steps.a.output.x, when: [{ match: x, step: c }], default: c }",
    ],
)
def test_references_back_are_accepted(fields):
    found = middle(fields)
    assert found.findings == ()
    assert found.document is not None


@pytest.mark.parametrize(
    "position",
    [
        "inputs: [{}]",
        "map: {{ over: {} }}",
        "unit: {{ workflow: w, with: {{ n: {{ from: {} }} }} }}",
        "route: {{ input: {}, when: [{{ match: x, step: c }}] }}",
    ],
)
@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ("steps.z.output", "does not exist"),
        ("steps.b.output", "its own step"),
        ("steps.c.output", "runs later"),
        ("steps.a", "is not a reference"),
        ("a", "is not a reference"),
        ("steps.a.output.x()", "is not a reference"),
    ],
)
def test_every_other_reference_is_an_error_that_says_which_kind(position, reference, words):
    found = middle(position.format(reference))
    finding = only(found)
    assert found.document is None
    assert words in finding.message
    assert (finding.line, finding.message.startswith("Step `b`: `")) == (5, True)


@pytest.mark.parametrize(
    ("reference", "suggestion"),
    [("a", "steps.a.output"), ("steps.a", "steps.a.output"), ("${{ steps.a.output }}", "steps.a.output")],
)
def test_a_malformed_reference_to_a_step_is_repaired(reference, suggestion):
    assert only(middle(f"inputs: ['{reference}']")).suggestion == suggestion


def test_a_misspelt_step_is_suggested_among_the_earlier_ones():
    frontmatter = "steps:\n- id: research\n- id: write\n  inputs: [steps.reserch.output]"
    assert only(compiled(frontmatter, "research write")).suggestion == "steps.research.output"


def test_a_parameter_is_no_input():
    assert "every step sees anyway" in only(middle("inputs: [params.items]")).message


def test_fanning_out_over_an_undeclared_parameter_is_an_advisory_when_parameters_are_declared():
    found = middle("map: { over: params.item }")
    finding = only(found)
    assert found.document is not None
    assert (finding.severity, finding.suggestion) == ("warning", "params.items")
    assert middle("map: { over: params.item }", "description: no parameters").findings == ()


@pytest.mark.parametrize(
    "fields",
    [
        "route: { input: params.item, when: [{ match: x, step: c }] }",
        "unit: { workflow: w, with: { n: { from: params.item } } }",
    ],
)
def test_elsewhere_an_undeclared_parameter_is_an_error(fields):
    found = middle(fields)
    assert found.document is None
    assert only(found).suggestion == "params.items"


@pytest.mark.parametrize(
    ("fields", "advised"),
    [
        ("unit: { exec: { command: [x] } }, gate: { max_loops: 2 }", True),
        ("map: { over: params.items, unit: { exec: { command: [x] } } }, gate: { max_loops: 2 }", True),
        ("unit: { exec: { command: [x] } }, gate: { max_loops: 1 }", False),
        ("gate: { max_loops: 2 }", False),
    ],
)
def test_loops_of_a_judged_command_are_an_advisory(fields, advised):
    frontmatter = f"steps:\n- {{ id: a, {fields} }}"
    found = compiled(frontmatter, "a", "### gate\n\n- ok")
    assert found.document is not None
    assert [finding.severity for finding in found.findings] == ["warning"] * advised
    assert compiled(frontmatter, "a").findings == ()


def test_a_route_arrives_with_its_matches_as_text():
    found = middle(
        "route: { input: params.items, default: c, when: [{ match: true, step: c }, { match: 3, step: c }, "
        "{ match: 1.0, step: c }, { match: pass, step: c }, { match: null, step: c }] }"
    )
    assert found.document is not None
    route = found.document.steps[1].route
    assert route is not None
    assert [match for match, _ in route.when] == ["true", "3", "1", "pass", "null"]
    assert route.default == "c"


@pytest.mark.parametrize(
    ("route", "words"),
    [
        ("input: params.items, when: [{ match: x, step: z }]", "does not exist"),
        ("input: params.items, when: [{ match: x, step: b }]", "its own step"),
        ("input: params.items, when: [{ match: x, step: a }]", "stands earlier"),
        ("input: params.items, when: [{ match: x, step: c }], default: a", "stands earlier"),
        ("input: params.items, when: [{ match: 1, step: c }, { match: '1', step: c }]", "a second time"),
        ("input: params.items, when: []", "is an empty list"),
        ("input: params.items, when: [{ match: [x], step: c }]", "must be one value"),
        ("input: params.items, when: [{ step: c }]", "lacks `match`"),
        ("input: params.items, when: [{ match: x }]", "lacks `step`"),
        ("input: params.items", "lacks `when`"),
        ("when: [{ match: x, step: c }]", "lacks `input`"),
        ("input: params.items, when: [{ match: x, step: c }], else: c", "unknown key `else`"),
    ],
)
def test_a_faulty_route_is_one_finding(route, words):
    found = middle(f"route: {{ {route} }}")
    assert found.document is None
    assert words in only(found).message


@pytest.mark.parametrize("other", ["unit: {}", "map: { over: params.items }"])
def test_a_route_stands_alone(other):
    found = middle(f"route: {{ input: params.items, when: [{{ match: x, step: c }}] }}, {other}")
    assert "cannot stand beside `route`" in only(found).message


def test_inputs_of_a_route_are_an_advisory():
    found = middle("inputs: [steps.a.output], route: { input: params.items, when: [{ match: x, step: c }] }")
    assert found.document is not None
    assert "does nothing on a route" in only(found).message


def test_a_route_that_takes_every_later_step_is_an_advisory():
    first = "- { id: a, route: { input: params.x, when: [{ match: x, step: b }], default: %s } }"
    rest = "\n- id: b\n- id: c"
    taken = compiled("steps:\n" + first % "c" + rest)
    assert taken.document is not None
    assert [(it.code, it.severity) for it in taken.findings] == [("route-takes-all", "warning")]
    assert compiled("steps:\n" + first % "b" + rest).findings == ()


def test_the_template_compiles_with_nothing_but_its_stub_warnings():
    found = compile(TEMPLATE.encode(), name="new.md")
    assert found.document is not None
    assert {finding.code for finding in found.findings} == {"placeholder-stub"}
    assert len(found.findings) == sum(TEMPLATE.count(marker) for marker in MARKERS)


def test_a_filled_in_template_has_no_warning():
    text = TEMPLATE
    for marker in MARKERS:
        text = text.replace(marker, "Something real.")
    assert compile(text.encode(), name="new.md").findings == ()
