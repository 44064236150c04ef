"""Workflow files as strategies: real ones, what mutations make of them, and frontmatter made key by key."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st
from installed import ROOT

DATA = ROOT.parent / "shared" / "data"
#: Files in today's grammar and in older ones; those beside the checkout only where they are at hand.
REAL = tuple(
    path.read_bytes()
    for folder in (ROOT / "examples", DATA / "workflows", DATA / "workflows-old-grammar")
    for path in sorted(folder.glob("*.md"))
)
# Begins a line, a value or a block that means something to one of the readers.
_PIECES = (
    *(
        "---\n",
        "- ",
        ": ",
        "{",
        "}",
        "[",
        "]",
        '"',
        "'",
        "\n",
        "&a ",
        "*a",
        "<<: ",
        "\t",
        "? ",
        "|\n",
        ">-\n",
    ),
    *("!!int ", "~", "<!-- ", "-->", "```\n", "steps:\n", "params:\n", "## ", "### gate\n", "## Step: x\n"),
    *(
        "Step ID: x\n",
        "### Completion Criteria\n",
        "### Instructions\n",
        "route: ",
        "map: ",
        "over: ",
        "with: ",
    ),
    *(
        "steps.x.output",
        "params.x",
        "approve: true\n",
        "#",
        "\x85",
        "\u2028",
        "\ufeff",
        "\r",
        "\r\n",
        "\0",
        "é",
    ),
    *("1e999", ".inf", "0x10", "1_000", "99999999999999999999", "2026-12-02", "on", "null", "\\ud800", "..."),
    *("%YAML 1.1\n", "$ref: '#'\n", "type: string\n", "default: 1\n", "    ", "{{ params.x }}", "\U0001f600"),
)
PIECES = st.sampled_from([piece.encode() for piece in _PIECES] + [b"\xff", b"\xed\xa0\x80"])


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """Draw a real file with a few spans taken out, doubled, moved or replaced."""
    raw = draw(st.sampled_from(REAL))
    for _ in range(draw(st.integers(1, 4))):
        # Seldom in the fence, without which nothing else is read.
        first = draw(st.integers(min(4, len(raw)), len(raw)))
        end = min(len(raw), first + draw(st.sampled_from([0, 1, 2, 5, 20, 100])))
        target = draw(st.integers(0, len(raw)))
        kind = draw(st.sampled_from(["cut", "put", "replace", "double", "line"]))
        if kind == "line":
            first = raw.rfind(b"\n", 0, first) + 1
            end = raw.find(b"\n", first) + 1 or len(raw)
        span = raw[first:end]
        new = draw(PIECES) if kind in ("put", "replace") else span * (kind == "double") * 2
        raw = raw[:first] + new + (raw[first:] if kind == "put" else raw[end:])
        if kind == "line":
            raw = raw[:target] + span + raw[target:]
    return raw


IDS = "abcd"
names = st.sampled_from(IDS)
texts = st.sampled_from(["", "x", "write it", "é", "yes", "0x10", "1e3", "~", "a: b", "# c", "\U0001f600"])
# Beyond these a float is written without its fraction and reads back as a whole number that is near it.
floats = st.floats(-(2**53), 2**53)
scalars = st.one_of(st.none(), st.booleans(), st.integers(-2, 10**18), floats, texts)
anything = scalars | st.lists(scalars | st.lists(scalars, max_size=2), max_size=3)
anything |= st.dictionaries(texts, anything, max_size=3)
schemas: Any = st.deferred(
    lambda: st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["string", "integer", "number", "boolean", "array", "object", "null"]),
            "enum": st.lists(scalars, min_size=1, max_size=3),
            "description": texts,
            "minimum": st.integers(0, 9),
            "pattern": st.sampled_from(["^a$", "[0-9]+", "(?=a)", "("]),
            "items": schemas,
            "properties": st.dictionaries(names, schemas, max_size=2),
            "required": st.lists(names, max_size=2, unique=True),
            "anyOf": st.lists(schemas, min_size=1, max_size=2),
            "$ref": st.sampled_from(["#", "#", "#/properties/a", "http://x.example/y"]),
        },
    )
)
timeouts = st.sampled_from(["90s", "500ms", "none", 1000, "10m", "0"])
commands = st.fixed_dictionaries(
    {"command": st.lists(st.sampled_from(["true", "é", "a b", "$x"]), min_size=1, max_size=3)},
    optional={"cwd": st.sampled_from([".", "workflows", "../x"]), "pass_env": st.just(["HOME"])},
)
_COMMON: dict[str, Any] = {
    "timeout": timeouts,
    "retry": st.fixed_dictionaries({"max": st.integers(0, 5), "on": st.just(["timeout"])}),
    "on_error": st.sampled_from(["fail", "continue"]),
    "output": schemas,
}
plain_units = st.one_of(
    st.fixed_dictionaries({"exec": commands}, optional=_COMMON),
    st.fixed_dictionaries(
        {},
        optional=_COMMON
        | {
            "engine": st.sampled_from(["writer", "model", "nobody"]),
            "model": st.just("small"),
            "llm": st.just({"temperature": 0.5}) | st.dictionaries(texts, scalars, max_size=2),
            "env": st.lists(texts, min_size=1, max_size=2),
            "isolation": st.sampled_from(["none", "worktree"]),
        },
    ),
)


def references(position: int) -> st.SearchStrategy[str]:
    """Draw references to parameters and to steps before a position; one in ten leads nowhere."""
    forms = ("steps.{}.output", "steps.{}.output.x", "steps.{}.output[0]", "steps.{}.approval")
    sound = ["params.a", "params.b", *(form.format(one) for one in IDS[:position] for form in forms)]
    return st.integers(0, 9).flatmap(
        lambda draw: st.sampled_from(sound if draw else ["params.z", "steps.d.output", "x"])
    )


def steps(position: int, count: int) -> st.SearchStrategy[dict[str, Any]]:
    """Draw the step at a position."""
    later = st.sampled_from(IDS[position + 1 : count] or IDS)
    bound = scalars | references(position).map(lambda ref: {"from": ref})
    children = st.fixed_dictionaries(
        {"workflow": st.sampled_from(["workflows/child", "child", "w", "no//such"])},
        optional={"with": st.dictionaries(st.sampled_from("ab"), bound, max_size=2)},
    )
    maps = st.fixed_dictionaries(
        {"over": references(position), "unit": plain_units},
        optional={"concurrency": st.integers(1, 70), "reducer": st.sampled_from(["collect", "vote"])},
    )
    choice = st.fixed_dictionaries({"match": texts.filter(bool), "step": later})
    routes = st.fixed_dictionaries(
        {"input": references(position), "when": st.lists(choice, min_size=1, max_size=2)},
        optional={"default": later},
    )
    kinds = {"unit": plain_units | children, "map": maps} | (
        {"route": routes} if position + 1 < count else {}
    )
    gates = st.fixed_dictionaries(
        {}, optional={"max_loops": st.integers(0, 10), "approve": st.booleans(), "value": schemas}
    )
    more = {
        "inputs": st.lists(references(position), min_size=1, max_size=2, unique=True),
        "output": schemas,
        "gate": gates,
    }
    chosen = st.one_of(*(st.fixed_dictionaries({key: made}) for key, made in kinds.items()))
    few = st.just({}) | st.fixed_dictionaries({}, optional=more)
    return st.builds(lambda kind, some: {"id": IDS[position], **kind, **some}, chosen, few)


_TOP: dict[str, Any] = {
    "description": st.just("What it is for."),
    "defaults": st.fixed_dictionaries({}, optional={"timeout": timeouts, "engine": st.just("writer")}),
    "budget": st.fixed_dictionaries({}, optional={"max_units": st.integers(1, 9), "max_cost": scalars}),
    "tags": st.lists(texts, max_size=2),
}
_PARAMS = st.fixed_dictionaries({"a": schemas, "b": st.just({"type": "array"})})


@st.composite
def structured(draw: st.DrawFn) -> bytes:
    """Draw a file whose keys are those of the grammar, and now and then with a value of any kind at one."""
    count = draw(st.integers(1, 4))
    spine = [draw(steps(position, count)) for position in range(count)]
    top = draw(st.fixed_dictionaries({}, optional=_TOP))
    front = {"type": "workflow", "params": draw(_PARAMS), **top, "steps": spine}
    if draw(st.integers(0, 3)) == 3:
        holder: dict[str, Any] = draw(st.sampled_from([front, *spine]))
        holder[draw(st.sampled_from([*holder, "no\ufeffbody"]))] = draw(anything)
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in front.items()]
    rubrics = st.sampled_from(["", "", "\n### gate\n\nIt is good.\n"])
    body = [f"## {step_id}\n\nDo it.\n{draw(rubrics)}" for step_id in IDS[:count]]
    return "\n".join(["---", *lines, "---", "", *body]).encode()
