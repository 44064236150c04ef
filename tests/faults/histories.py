"""Small workflows that use every feature between them, and what people do while they run.

How they are driven, killed and compared is said elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import repositories_made
from gates import judged
from workflow_files import a_file, a_map, a_step, items, sh
from workflow_files import write as write_file

Step = dict[str, Any]
CONFIG = """
[defaults]
engine = "writer"
[engines.writer]
kind = "agent"
command = ["sh", "writer.sh"]
pass_env = ["ATTEMPT"]
[engines.judge]
kind = "agent"
command = ["sh", "judge.sh"]
pass_env = ["ATTEMPT"]
[workflow]
judge_engine = "judge"
"""
#: Says in which loop it works, as the feedback in its prompt tells.
WRITER = r"""
prompt=$(cat)
loop=$(printf '%s' "$prompt" | sed -n 's/^.*Turned down in l\([0-9]\).*$/\1/p' | tail -n 1)
case $AKM_STEP_ID in
shaped)
    case $prompt in
    *'does not match'*) printf 'Here it is:\n```json\n{"loop": "second", "size": 1.0}\n```\n' ;;
    *) echo 'no object' ;;
    esac ;;
never) echo "no object, after $loop" ;;
*) echo "written after ${loop:-nothing}" ;;
esac
"""
JUDGE = r"""
cat > /dev/null
loop=${AKM_UNIT_ID##*:}
case "$AKM_UNIT_ID $ATTEMPT" in
twice.gate:l[12]*|strict.gate:l[123]*)
    printf '{"complete": false, "missing": [" a source "], "feedback": "Turned down in %s."}' "$loop" ;;
down.gate:l1\ 1) echo 'I cannot say.' ;;
*) echo 'Well: {"complete": true, "missing": []}' ;;
esac
"""


@dataclass(frozen=True)
class History:
    """A workflow, and what a person does each time that it waits or has stopped.

    `decisions` has by step, in order, values to approve with, or (in a tuple) notes to reject with.
    `resumes`: so often a stopped run is put right, by making the file `mended-<n>`, and resumed.
    `is_ordered`: units end one by one, so that the commits are always the same.
    `tokens` is what every unit reports to have spent.
    """

    write: Callable[[Path], None]
    decisions: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    resumes: int = 0
    is_ordered: bool = True
    tokens: int | None = None


def _file(root: Path, *steps: Step, name: str = "w", **top: Any) -> None:
    write_file(root, name, a_file(*steps, **top))


def _each(step_id: str, *argv: str, **unit: Any) -> Step:
    """Describe a map whose units run one after the other."""
    return a_map(step_id, *argv, concurrency=1, **unit)


def _engines(root: Path) -> None:
    (root / ".akm").mkdir()
    (root / ".akm/config.toml").write_text(CONFIG)
    (root / "writer.sh").write_text(WRITER)
    (root / "judge.sh").write_text(JUDGE)


def _values(root: Path) -> None:
    """Values of every kind that JSON has, with and without a schema, empty and null, and a vote."""
    odd = items(1, 2.0, 1e20, -0.0, 1e-7, "ü", "", [], {"b": 1, "a": [None, True]}, 1)
    item = ("sh", "-c", 'printf %s "$AKM_ITEM"')
    _file(
        root,
        _each("typed", *item, output={}),
        _each("plain", *item, over="steps.typed.output"),
        {"id": "vote", "map": _each("vote", *item, output={})["map"] | {"reducer": "vote"}},
        a_step("empty", "true"),
        a_step("null", "echo", "null", output={"type": "null"}),
        a_step("word", "echo", '"word"', output={"type": "string"}),
        a_step("blank", "printf", '""', output={"type": "string"}),
        a_step("beyond", "printf", r"\360\237\230\200\rx\n\n"),
        a_step("end", *sh('printf %s "$AKM_INPUTS"'), inputs=("steps.typed.output", "steps.beyond.output")),
        params=odd,
    )


def _failures(root: Path) -> None:
    """Items that fail in each way, and a step that goes on with the others."""
    script = (
        'case "$AKM_ITEM" in 1) exit 3 ;; 2) echo no JSON ;; 3) sleep 9 ;; 4) kill $$ ;; *) echo 5 ;; esac'
    )
    _file(
        root,
        _each("a", *sh(script), on_error="continue", timeout="150ms", output={"type": "integer"}),
        _each("b", *sh('printf %s "$AKM_ITEM"; false'), on_error="continue"),
        a_step("c", *sh('printf %s "$AKM_INPUTS"'), inputs=("steps.a.output", "steps.b.output")),
        params=items(0, 1, 2, 3, 4, 5),
    )


def _retries(root: Path) -> None:
    """Units that succeed at their third attempt."""
    script = 'echo "attempt $ATTEMPT"; test "$ATTEMPT" -ge 3'
    retry = {"max": 5, "on": ["non_zero_exit"]}
    more = {"retry": retry, "exec": {"command": list(sh(script)), "pass_env": ["ATTEMPT"]}}
    _file(root, a_step("a", **more), _each("b", **more), params=items("x", "y"))


def _mended(root: Path) -> None:
    """A map and a child that fail until the cause is put right."""
    _file(root, a_step("say", *sh("echo said; test -e mended-2")), name="child")
    _file(
        root,
        _each("a", *sh('echo "$AKM_ITEM"; test "$AKM_ITEM" != 2 -o -e mended-1')),
        {"id": "call", "unit": {"workflow": "workflows/child"}},
        a_step("b", *sh('printf %s "$AKM_INPUTS"'), inputs=("steps.a.output", "steps.call.output")),
        params=items(1, 2, 3),
    )


def _judged(root: Path) -> None:
    """Judges that reject, and outputs of engines that have a schema."""
    _engines(root)
    shape = {"type": "object", "required": ["loop"]}
    steps: list[Step] = [
        {"id": "twice", "gate": {"max_loops": 4}},
        {"id": "shaped", "gate": {"max_loops": 2}, "output": shape},
        a_step("command", "echo", "done"),
        {"id": "end", "inputs": ["steps.twice.output", "steps.shaped.output"]},
    ]
    _file(root, *steps, body=judged("twice", "shaped", "command"))


def _exhausted(root: Path) -> None:
    """A judge that rejects every loop of the first set, so that the run is resumed."""
    _engines(root)
    _file(root, {"id": "strict", "gate": {"max_loops": 2}}, a_step("b"), body=judged("strict"))


def _missed(root: Path) -> None:
    """An output that never fits, in every loop of two sets."""
    _engines(root)
    _file(root, {"id": "never", "gate": {"max_loops": 2}, "output": {"type": "object"}}, a_step("b"))


def _outage(root: Path) -> None:
    """A judge whose first answer is none."""
    _engines(root)
    _file(root, {"id": "down", "gate": {"max_loops": 2}}, a_step("b"), body=judged("down"))


def _approved(root: Path) -> None:
    """A person that rejects and then approves, with a value and without."""
    _engines(root)
    value = {"type": "object", "required": ["n"]}
    steps: list[Step] = [
        {"id": "a", "gate": {"approve": True, "max_loops": 3, "value": value}},
        a_step("b", *sh('printf %s "$AKM_INPUTS"'), inputs=("steps.a.output", "steps.a.approval")),
        a_step("c", "echo", "1.50", output={"type": "number"}) | {"gate": {"approve": True}},
    ]
    _file(root, *steps)


def _routed(root: Path) -> None:
    """Routes that match, take their default, are skipped, and finally match nothing."""

    def route(name: str, source: str, *when: tuple[str, str], default: str | None = None) -> Step:
        branches = [{"match": match, "step": step} for match, step in when]
        return {
            "id": name,
            "route": {"input": source, "when": branches} | ({"default": default} if default else {}),
        }

    _file(
        root,
        a_step("a", "echo", "2.0", output={"type": "number"}),
        route("one", "steps.a.output", ("1", "no"), ("2", "yes")),
        a_step("no"),
        route("two", "steps.a.output", ("x", "yes"), default="inner"),
        a_step("yes", "echo", "yes"),
        route("inner", "steps.yes.output", ("yes", "last"), ("no", "left")),
        a_step("left"),
        a_step("last"),
        route("none", "steps.yes.output", ("maybe", "end")),
        a_step("end"),
    )


def _children(root: Path) -> None:
    """Children with a schema, without, without output, and with children of their own."""
    _file(root, a_step("say", *sh('printf %s "$AKM_PARAMS"')), name="text", params={"n": {"default": 1}})
    _file(root, a_step("say", "echo", '{"x": 2.0}', output={"type": "object"}), name="value")
    _file(root, a_step("say", "true"), name="nothing")
    _file(
        root, {"id": "down", "unit": {"workflow": "workflows/text"}}, a_step("end", "echo", "1"), name="deep"
    )

    def call(name: str, child: str, **unit: Any) -> Step:
        return {"id": name, "unit": {"workflow": f"workflows/{child}", **unit}}

    _file(
        root,
        call("text", "text", **{"with": {"n": {"value": 2.5}}}),
        call("value", "value", output={"type": "object"}),
        call("plain", "value"),
        call("nothing", "nothing"),
        call("deep", "deep", output={}),
        a_step("end", *sh('printf %s "$AKM_INPUTS"'), inputs=("steps.text.output", "steps.value.output")),
    )


def _stopped_children(root: Path) -> None:
    """A child that fails and is left behind, and one that waits for a person."""
    _file(root, a_step("say", "false"), name="bad")
    _file(root, a_step("say", "echo", "ok") | {"gate": {"approve": True}}, name="waits")
    _file(
        root,
        {"id": "left", "unit": {"workflow": "workflows/bad", "on_error": "continue"}},
        {"id": "held", "unit": {"workflow": "workflows/waits"}},
        a_step("end", *sh('printf %s "$AKM_INPUTS"'), inputs=("steps.held.output",)),
    )


def _used_up(root: Path) -> None:
    """A budget of units that is used up in the middle of a map."""
    _file(root, a_step("a"), _each("b", "echo", "x"), params=items(1, 2, 3, 4), budget={"max_units": 3})


def _spent(root: Path) -> None:
    """A budget of tokens that the last unit of a step uses up."""
    _file(root, _each("a", "echo", "x"), a_step("b"), params=items(1, 2), budget={"max_tokens": 20})


def _secret(root: Path) -> None:
    """An env asset with a secret that is printed, raw and within JSON."""
    for folder in ("env", "secrets"):
        (root / folder).mkdir()
    (root / "env/prod.env").write_text("REGION=eu-west-17\nTOKEN=key ${secret:API_KEY}\n")
    (root / "secrets/API_KEY").touch(0o600)
    (root / "secrets/API_KEY").write_text('canary-"5f1e0c7a9b\n')
    printed = sh("""printf '{"%s": ["%s"]}' "$REGION" "$REGION" """)
    _file(
        root,
        a_step("a", *sh('echo "$TOKEN"'), env=["env/prod"]),
        a_step("b", *printed, env=["env/prod"], output={"type": "object"}),
        _each("c", *sh('echo "$TOKEN" >&2; false'), env=["env/prod"], on_error="continue"),
        params=items(1),
    )


def _repository(root: Path) -> None:
    """Make a repository whose commit, which is part of a plan, always has the same name."""
    repositories_made.git(root, "init", "-q")
    (root / "kept.txt").write_text("kept")
    repositories_made.git(root, "add", "kept.txt")
    tree = repositories_made.git(root, "write-tree").strip()
    text = root / ".git/text"
    text.write_text(f"tree {tree}\nauthor T <t@e> 0 +0000\ncommitter T <t@e> 0 +0000\n\nOne.\n")
    commit = repositories_made.git(root, "hash-object", "-t", "commit", "-w", str(text)).strip()
    repositories_made.git(root, "update-ref", "HEAD", commit)


def _worktrees(root: Path) -> None:
    """Units in worktrees, of which some leave work behind."""
    _repository(root)
    script = 'cat kept.txt; test "$AKM_ITEM" = 1 || echo new > new.txt'
    _file(root, _each("a", *sh(script), isolation="worktree"), a_step("b"), params=items(1, 2))


def _large(root: Path) -> None:
    """An output that is cut."""
    _file(root, a_step("a", *sh("head -c 8500000 /dev/zero | tr '\\0' x")), a_step("b"))


def _beside(root: Path) -> None:
    """Units that run side by side."""
    over = a_map("a", *sh('printf %s "$AKM_ITEM"'), concurrency=3)
    _file(root, over, a_map("b", over="steps.a.output", concurrency=2), params=items(*range(7)))


HISTORIES = {
    "values": History(_values),
    "failures": History(_failures),
    "retries": History(_retries),
    "mended": History(_mended, resumes=2),
    "judged": History(_judged),
    "exhausted": History(_exhausted, resumes=1),
    "missed": History(_missed, resumes=1),
    "outage": History(_outage, resumes=1),
    "approved": History(_approved, decisions={"a": (("Turned down in l1.",), {"n": 1.0}), "c": (None,)}),
    "routed": History(_routed),
    "children": History(_children),
    "stopped-children": History(_stopped_children, decisions={"say": (None,)}, resumes=1),
    "used-up": History(_used_up),
    "spent": History(_spent, tokens=10),
    "secret": History(_secret),
    "worktrees": History(_worktrees),
    "large": History(_large),
    "beside": History(_beside, is_ordered=False),
}
