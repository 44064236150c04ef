"""The stored form of a plan: which keys it has, and which plans of other versions can still be read."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from akm.workflow.hashing import canonical
from akm.workflow.parsing.document import Budget, Retry
from akm.workflow.plan import (
    ChildTarget,
    CommandTarget,
    CwdIdentity,
    EnvBinding,
    GateNode,
    InputBinding,
    MapNode,
    Plan,
    PlanStep,
    RouteNode,
    ShellTarget,
    Source,
    UnitNode,
)
from akm.workflow.plan_text.plan_json import decode, digest, encode
from akm.workflow.prices import Price

SHELL = ShellTarget(("true",), "hash", None, timeout_ms=5)
UNIT = UnitNode("a", "Do it.", SHELL)


def a_plan(root: Any = UNIT, **changes: Any) -> Plan:
    step = PlanStep("a", 0, root, GateNode("a.gate", "a"))
    return Plan(**{"title": "t", "steps": (step,), "max_concurrency": 8, **changes})


def test_the_smallest_plan_has_no_optional_key() -> None:
    assert encode(a_plan()) == canonical(
        {
            "irVersion": 6,
            "title": "t",
            "execution": {"maxConcurrency": 8},
            "steps": [
                {
                    "stepId": "a",
                    "title": "a",
                    "sequenceIndex": 0,
                    "gate": {
                        "kind": "gate",
                        "id": "a.gate",
                        "stepId": "a",
                        "criteria": [],
                        "maxLoops": 1,
                        "frozenJudge": None,
                    },
                    "root": {
                        "kind": "unit",
                        "id": "a",
                        "instructions": "Do it.",
                        "onError": "fail",
                        "environment": [],
                        "frozenTarget": {
                            "kind": "shell",
                            "contentHash": "hash",
                            "exec": {"command": ["true"], "timeoutMs": 5},
                        },
                    },
                }
            ],
        }
    )


def test_an_unbounded_timeout_is_written_as_null_and_read_back() -> None:
    plan = a_plan(UnitNode("a", "", ShellTarget(("true",), "h", None, timeout_ms=None)))
    assert '"timeoutMs":null' in encode(plan)
    assert decode(encode(plan)) == plan


def test_a_digest_is_that_of_the_text() -> None:
    assert digest(encode(a_plan())) == digest(encode(a_plan()))
    assert digest(encode(a_plan())) != digest(encode(a_plan(title="u")))


texts = st.text(min_size=1, max_size=8)
names = st.lists(texts, max_size=2, unique=True).map(tuple)
values = st.none() | st.booleans() | st.integers() | texts | st.lists(st.integers(), max_size=2)
schemas = st.none() | st.just({}) | st.just({"type": "string", "default": 1.5})
identities = st.none() | st.builds(
    CwdIdentity, texts, texts, st.none() | st.integers(0), st.none() | st.integers(0)
)
shells = st.builds(
    ShellTarget,
    st.lists(texts, min_size=1, max_size=3).map(tuple),
    texts,
    identities,
    st.none() | texts,
    names,
    st.none() | st.integers(1),
)
commands = st.builds(
    CommandTarget,
    texts,
    st.dictionaries(texts, values, max_size=3),
    st.builds(lambda extra: {**extra, "kind": "agent"}, st.dictionaries(texts, values, max_size=2)),
    st.none() | texts,
    st.none() | st.integers(1, 64),
    identities,
)
input_bindings = st.builds(InputBinding, st.just("literal"), texts, values) | st.builds(
    InputBinding, st.just("reference"), texts, from_=texts, schema=schemas
)
children = st.builds(
    ChildTarget, texts, texts, input_bindings=st.lists(input_bindings, max_size=2).map(tuple)
)
environments = st.builds(EnvBinding, st.just("pass-through"), texts) | st.builds(
    EnvBinding, st.just("env-ref"), texts, detail=st.just({"keys": ["A"], "precedence": 0})
)
sources = st.none() | st.builds(Source, texts, st.integers(0, 9), st.integers(0, 9))
units = st.builds(
    UnitNode,
    texts,
    st.text(max_size=20),
    shells | commands | children,
    names,
    schemas,
    st.none() | st.builds(Retry, st.integers(0, 5), names),
    st.sampled_from(["fail", "continue"]),
    names,
    st.lists(environments, max_size=2).map(tuple),
    st.sampled_from(["none", "worktree"]),
    sources,
    st.none() | texts,
)
maps = st.builds(
    MapNode, texts, texts, units, st.integers(1, 64), st.sampled_from(["collect", "vote"]), sources
)
routes = st.builds(
    RouteNode, texts, texts, st.lists(st.tuples(st.text(), texts), max_size=2).map(tuple), st.none() | texts
)


@st.composite
def steps(draw: st.DrawFn, position: int) -> PlanStep:
    criteria = draw(st.just(()) | st.tuples(texts))
    judge = draw(st.none() | commands) if criteria else None
    step_id = draw(texts)
    gate = GateNode("s.gate", step_id, criteria, draw(st.integers(1, 9)), judge, draw(st.booleans()))
    return PlanStep(step_id, position, draw(units | maps | routes), gate, draw(schemas))


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    count, amount = st.none() | st.integers(1), st.floats(0, 1e300)
    budget = Budget(draw(count), draw(count), draw(st.none() | st.floats(1e-9, 1e300)))
    prices = draw(st.dictionaries(texts, st.builds(Price, amount, amount), max_size=2))
    params = draw(
        st.none() | st.dictionaries(texts, st.just({}) | st.just({"type": "integer"}), min_size=1, max_size=2)
    )
    spine = tuple(draw(steps(position)) for position in range(draw(st.integers(1, 3))))
    width, digest = draw(st.integers(1, 64)), draw(st.none() | texts)
    return Plan(draw(st.text(max_size=5)), spine, width, digest, params, budget, prices)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(plans())
def test_every_plan_reads_back_as_an_equal_plan_with_the_same_text(plan: Plan) -> None:
    text = encode(plan)
    assert decode(text) == plan
    assert encode(decode(text)) == text
