"""Whole files: the rules of each field, and what an accepted field becomes."""

from __future__ import annotations

import pytest

from akm.workflow.parsing.compile import Compiled, compile
from akm.workflow.parsing.document import Budget, Defaults, Document, Exec, Retry, Step
from akm.workflow.parsing.findings import Finding


def compiled(frontmatter: str, ids: str = "a b c") -> Compiled:
    body = "".join(f"## {name}\n\nDo it.\n\n" for name in ids.split())
    return compile(f"---\n{frontmatter}\n---\n\n{body}".encode(), name="x.md")


def errors(frontmatter: str, ids: str = "a") -> list[Finding]:
    found = compiled(frontmatter, ids)
    assert found.document is None, "the file was accepted"
    return list(found.findings)


def only(frontmatter: str, ids: str = "a") -> Finding:
    (finding,) = errors(frontmatter, ids)
    return finding


def document(frontmatter: str, ids: str = "a") -> Document:
    found = compiled(frontmatter, ids)
    assert found.document is not None, found.findings
    return found.document


def step(fields: str) -> Step:
    """Compile one step from lines in flow style, such as `unit: { timeout: 5s }`."""
    return document(f"steps:\n  - id: a\n    {fields}").steps[0]


def step_error(fields: str) -> Finding:
    return only(f"steps:\n  - id: a\n    {fields}")


def test_every_key_of_a_unit_arrives():
    unit = step(
        "unit: { engine: my-writer, model: ' big ', timeout: 30s, retry: { max: 2, on: [timeout, aborted] }, "
        "on_error: continue, output: { type: object }, env: [env/a, ' env/b '], isolation: worktree }"
    ).unit
    assert unit is not None
    assert (unit.engine, unit.model, unit.timeout, unit.on_error) == ("my-writer", "big", 30_000, "continue")
    assert unit.retry == Retry(2, ("timeout", "aborted"))
    assert (unit.output, unit.env, unit.isolation) == ({"type": "object"}, ("env/a", "env/b"), "worktree")


def test_a_command_arrives_as_written():
    unit = step(
        'unit: { exec: { command: ["echo", "$HOME; x", " "], cwd: ./a//b/, pass_env: [HOME, _X1] } }'
    ).unit
    assert unit is not None
    assert unit.exec == Exec(("echo", "$HOME; x", " "), "a/b", ("HOME", "_X1"))


def test_a_step_with_neither_unit_nor_map_is_a_prose_unit():
    assert step("gate: { max_loops: 3 }").unit is not None


def test_an_absent_field_stays_absent():
    made = document("steps: [{ id: a }]")
    assert made.defaults == Defaults()
    assert made.budget == Budget()
    assert made.params is None
    assert made.steps[0].unit is not None
    assert made.steps[0].unit.timeout is None


def test_defaults_budget_and_params_arrive():
    made = document(
        "description: D\nparams: { n: { type: integer, default: 3 } }\n"
        "budget: { max_units: 5, max_tokens: 900, max_cost: 2.5 }\n"
        "defaults: { engine: w, model: m, timeout: none, on_error: fail, "
        "llm: { temperature: 0, max_tokens: 5, "
        "supports_json_schema: true, extra_params: { top_k: 1 }, context_length: 9, enable_thinking: false, "
        "reasoning_effort: low } }\nsteps: [{ id: a }]"
    )
    assert made.description == "D"
    assert made.params == {"n": {"type": "integer", "default": 3}}
    assert made.budget == Budget(5, 900, 2.5)
    assert (made.defaults.engine, made.defaults.timeout, made.defaults.on_error) == ("w", "none", "fail")
    assert made.defaults.llm is not None
    assert made.defaults.llm["extra_params"] == {"top_k": 1}


@pytest.mark.parametrize(
    "envelope",
    [
        "type: workflow",
        "when_to_use: Often\ntags: [a, b]\nxrefs: [skills/x, 'skill:y']\nupdated: 2026-07-17\nstatus: draft",
        "timestamp: 2026-07-17T01:02:03Z\nstale_after: 2027-01-01\nprovenance: { any: [thing] }\ntags: []",
        "generated: { by: me, at: 2026-01-01 }\nverified: [{ by: you }, { by: me }]",
    ],
)
def test_the_envelope_of_any_asset_is_accepted(envelope):
    assert document(f"{envelope}\nsteps: [{{ id: a }}]")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("type: 3", "`type` must be text"),
        ("description: [a]", "`description` must be text, but is a list"),
        ("description:", "`description` must be text, but is empty"),
        ("tags: a", "`tags` must be a list"),
        ("tags: [a, ' ']", "`tags[1]` must not be blank"),
        ("status: wip", "`draft`, `stable`, `deprecated`"),
        ("generated: { at: 2026-01-01 }", "`generated` lacks `by`"),
        ("verified: [{ by: '' }]", "`verified[0].by` must not be blank"),
        ("provenance: me", "`provenance` must be a mapping"),
        ("params: [a]", "`params` must be a mapping"),
        ("params: { a-b: { type: string } }", "`params.a-b` must be called by letters"),
        ("params: { a: [] }", "`params.a` must be a mapping"),
        ("params: { a: { type: strnig } }", "`params.a` is no proper schema"),
        ("budget: { max_units: 0 }", "whole number of 1 or more, but is 0"),
        ("budget: { max_tokens: true }", "whole number of 1 or more, but is true"),
        ("budget: { max_tokens: 1.5 }", "but is 1.5"),
        ("budget: { max_cost: 0 }", "`budget.max_cost` must be a number above 0, but is 0"),
        ("budget: { max_cost: -0.5 }", "above 0, but is -0.5"),
        ("budget: { max_cost: .inf }", "is not a finite number"),
        ("budget: { max_cost: 0.0 }", "above 0, but is 0"),
        ("budget: { max_cost: true }", "above 0, but is true"),
        ("budget: { max_cost: 5 USD }", "above 0, but is text"),
        ("max_cost: 5", "max_cost"),
        ("budget: { units: 1 }", "allowed are `max_units`, `max_tokens`, `max_cost`"),
        ("defaults: { engine: My_Engine }", "must be an engine name"),
        ("defaults: { engine: " + "a" * 64 + " }", "must be an engine name"),
        ("defaults: { model: ' ' }", "must not be blank"),
        ("defaults: { llm: { temperature: hot } }", "must be a number"),
        ("defaults: { llm: { max_tokens: 0 } }", "1 or more"),
        ("defaults: { llm: { enable_thinking: yes } }", "must be true or false, but is text"),
        ("defaults: { llm: { extra_params: { temperature: 1 } } }", "is set by the engine itself"),
        ("defaults: { llm: { extra_params: { a: " + "x" * 65536 + " } } }", "64 KiB"),
        ("defaults: { exec: 1 }", "`defaults` has an unknown key `exec`"),
        ("defaults: { \ufeffmodel: small }", r"`defaults` has an unknown key `\ufeffmodel`"),
    ],
)
def test_a_faulty_value_outside_the_steps_is_one_finding_on_its_line(text, words):
    finding = only(f"# first\n{text}\nsteps: [{{ id: a }}]")
    assert words in finding.message
    assert (finding.line, finding.code) == (3, "invalid-markdown-workflow")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ("unit: []", "`unit` must be a mapping of keys to values, but is a list"),
        ("unit: { exec: { command: echo hi } }", "since no shell is involved"),
        ("unit: { exec: { command: [] } }", "is an empty list; name the program"),
        ("unit: { exec: { command: [sleep, 5] } }", "`unit.exec.command[1]` must be text"),
        ('unit: { exec: { command: [a, ""] } }', "is an empty argument"),
        ('unit: { exec: { command: ["a\\0b"] } }', "NUL"),
        ("unit: { exec: { cwd: a } }", "lacks `command`"),
        ("unit: { exec: { command: [a], pass_env: [] } }", "is an empty list"),
        ("unit: { exec: { command: [a], pass_env: [A, A] } }", "a second time"),
        ("unit: { exec: { command: [a], pass_env: [1A] } }", "name of an environment variable"),
        ("unit: { exec: { command: [a] }, llm: { max_tokens: 1 } }", "`unit.llm` cannot stand beside `exec`"),
        ("unit: { timeout: 0 }", "between 1 and 2147483647 ms, but is 0 ms"),
        ("unit: { timeout: 35792m }", "but is 2147520000 ms"),
        ("unit: { timeout: 1.5 }", "such as `500ms`"),
        ("unit: { timeout: true }", "such as `500ms`"),
        ("unit: { timeout: }", "such as `500ms`"),
        ("unit: { on_error: skip }", "one of `fail`, `continue`"),
        ("unit: { retry: { max: 1 } }", "lacks `on`"),
        ("unit: { retry: { on: [timeout] } }", "lacks `max`"),
        ("unit: { retry: { max: -1, on: [timeout] } }", "0 or more"),
        ("unit: { retry: { max: 1, on: [] } }", "is an empty list"),
        ("unit: { retry: { max: 1, on: [time_out] } }", "must be one of `timeout`"),
        ("unit: { env: [a, ' a'] }", "a second time"),
        ("unit: { isolation: container }", "one of `none`, `worktree`"),
        ("unit: { isolation: worktree, llm: { max_tokens: 1 } }", "cannot stand beside `llm`"),
        ("unit: { output: { type: objekt } }", "`unit.output` is no proper schema"),
        ("unit: { workflow: w, exec: { command: [a] } }", "`unit.exec` cannot stand beside `workflow`"),
        ("unit: { workflow: w, env: [a] }", "`unit.env` cannot stand beside `workflow`"),
        ("unit: { workflow: w, isolation: worktree }", "cannot stand beside `workflow`"),
        ("unit: { with: { n: 1 } }", "the unit has no `workflow`"),
        ("unit: { workflow: w, with: { n: { from: params.x, or: 1 } } }", "exactly `{from: <reference>}`"),
        ("unit: { workflow: w, with: { a.b: 1 } }", "binds `a.b`"),
        ("map: { unit: {} }", "lacks `over`"),
        ("map: { over: params.x, concurrency: 0 }", "1 or more"),
        ("map: { over: params.x, reducer: sum }", "one of `collect`, `vote`"),
        ("map: { over: params.x, unit: { workflow: w } }", "cannot fan out"),
        ("map: { over: params.x }\n    unit: {}", "`unit` cannot stand beside `map`; put it inside"),
        ("gate: { max_loops: 0 }", "1 or more"),
        ("gate: { approve: 1 }", "must be true or false"),
        ("gate: { schema: { type: object } }", "unknown key `schema`"),
        ("inputs: []", "is an empty list"),
        ("inputs: steps.a.output", "must be a list"),
        ("output: text", "must be a mapping"),
    ],
)
def test_a_faulty_field_of_a_step_is_one_finding_that_names_the_step(fields, words):
    finding = step_error(fields)
    assert words in finding.message
    assert finding.message.startswith("Step `a`")
    assert finding.line >= 4


def test_each_key_that_a_command_excludes_is_an_error_of_its_own():
    found = errors(
        "steps:\n- id: a\n  unit:\n    exec: { command: [a] }\n    engine: e\n    model: m\n    llm: {}"
    )
    assert [finding.line for finding in found] == [6, 7, 8]


@pytest.mark.parametrize(
    ("written", "milliseconds"),
    [("500", 500), ("'500'", 500), ("500ms", 500), ("' 2S '", 2000), ("10m", 600_000), ("None", "none")],
)
def test_a_timeout_is_milliseconds_or_none(written, milliseconds):
    unit = step(f"unit: {{ timeout: {written} }}").unit
    assert unit is not None
    assert unit.timeout == milliseconds


def test_hours_are_suggested_in_minutes():
    assert step_error("unit: { timeout: 2h }").suggestion == "120m"


def test_there_are_no_upper_bounds_and_width_is_clamped():
    made = step(
        "map: { over: params.x, concurrency: 500, unit: { retry: { max: 999, on: [timeout] } } }\n"
        "    gate: { max_loops: 1000, approve: true }"
    )
    assert made.map is not None
    assert made.map.concurrency == 64
    assert made.map.unit.retry == Retry(999, ("timeout",))
    assert (made.gate.max_loops, made.gate.approve) == (1000, True)


def test_a_child_workflow_is_given_literals_and_references():
    unit = (
        document(
            "params: { x: {} }\nsteps:\n- id: a\n- id: b\n  unit: { workflow: team//workflows/c, with: "
            "{ n: 1, s: [{ k: v }], p: { from: params.x }, q: { from: ' steps.a.output.k[0] ' } } }",
            "a b",
        )
        .steps[1]
        .unit
    )
    assert unit is not None
    assert unit.workflow == "team//workflows/c"
    assert unit.bindings == {
        "n": 1,
        "s": [{"k": "v"}],
        "p": {"from": "params.x"},
        "q": {"from": "steps.a.output.k[0]"},
    }


@pytest.mark.parametrize(
    ("frontmatter", "line", "suggestion"),
    [
        ("descripton: x\nsteps: [{ id: a }]", 2, "description"),
        ("steps:\n- id: a\n  units: {}", 4, "unit"),
        ("steps:\n- id: a\n  exec: { command: [x] }", 4, "unit: { exec: ... }"),
        ("steps:\n- id: a\n  unit:\n    exec: { comand: [x], command: [x] }", 5, "command"),
        ("steps:\n- id: a\n  gate: { maxLoops: 2 }", 4, "max_loops"),
        ("steps:\n- id: a\n  unit: { llm: { temprature: 1 } }", 4, "temperature"),
    ],
)
def test_an_unknown_key_is_named_with_the_allowed_ones_and_the_nearest(frontmatter, line, suggestion):
    finding = only(frontmatter)
    assert (finding.line, finding.suggestion) == (line, suggestion)
    assert "allowed are" in finding.message


def test_outputs_of_a_run_are_explained():
    suggestion = only("outputs: { x: 1 }\nsteps: [{ id: a }]").suggestion
    assert suggestion is not None
    assert "no outputs of its own" in suggestion


@pytest.mark.parametrize(
    ("frontmatter", "words"),
    [
        ("type: workflow", "lacks `steps`"),
        ("steps: []", "at least one step"),
        ("steps:", "`steps` must be a list, but is empty"),
        ("steps: { a: {} }", "`steps` must be a list, but is a mapping"),
        ("steps: [a]", "Step 1 must be a mapping"),
        ("steps: [{ unit: {} }]", "Step 1 lacks an `id`"),
        ("steps: [{ id: 7 }]", "Step 1: `id` must be text"),
        ("steps: [{ id: a.b }]", "Step 1: `id` must be letters"),
        ("- id: a", "The frontmatter must be a mapping"),
    ],
)
def test_a_file_without_usable_steps_says_so_once(frontmatter, words):
    assert words in only(frontmatter, "a").message


def test_the_section_of_a_step_with_a_faulty_id_is_not_reported_as_well():
    assert only("steps: [{ id: a.b }, { id: c }]", "a.b c").suggestion == "a-b"


def test_ids_are_unique():
    finding = only("steps:\n  - id: a\n  - id: b\n  - id: a", "a b")
    assert finding.line == 5
    assert "line 3" in finding.message


def test_an_empty_frontmatter_lacks_steps():
    found = compile(b"---\n---\n", name="x.md").findings
    assert ["lacks `steps`" in finding.message for finding in found] == [True]


def test_a_fault_deep_in_a_schema_is_anchored_to_its_line():
    finding = only(
        "params:\n  n:\n    type: object\n    properties:\n      k:\n        type: strnig\nsteps: [{ id: a }]"
    )
    assert finding.line in (6, 7)
    assert "/properties/k" in finding.message


def test_all_faults_come_at_once_in_file_order():
    found = errors(
        "tag: [x]\nbudget: { max_units: none }\nsteps:\n- id: a\n  unit: { exec: { command: ls } }\n"
        "- id: b\n  inputs: [steps.z.output]",
        "a c",
    )
    assert [finding.line for finding in found] == [2, 3, 6, 7, 8, 15]
