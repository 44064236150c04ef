"""Any task file is a task or is refused in a sentence, and what is written as one says what was meant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import workflow_texts
from effort import fuzz
from hypothesis import strategies as st
from refusals import REFUSED, outcome
from workflow_texts import DATA, anything, scalars

from akm.errors import UsageError
from akm.tasks.catalog import File
from akm.tasks.files import convert as task_convert
from akm.tasks.files import source, wishes, yaml_emit
from akm.tasks.files.wishes import Wish

TASKS = [path.read_bytes() for path in sorted(DATA.glob("tasks/**/*.yml"))] + [
    b'version: 4\nuses: akm/command\nwith:\n  content: "x."\nschedule: "@daily"\ninputs:\n  a: {}\n',
    b"version: 4\nrun: |\n  true\nshell: sh\ntimeout: 10m\nenv: { A: 1 }\nschedule:\n  - cron: '@daily'\n",
    b"version: 4\nuses: workflows/release\ninputs:\n  n: { type: integer, default: 3 }\nredact: [A]\n",
    b"version: 4\nrun: x\nschedule:\n  - cron: '@daily'\n    enabled: true\n",
    b"schema_version: 1\nworkflow: workflows/release\nschedule: '@daily'\nenabled: true\n",
]
TASK_KEYS: dict[str, Any] = {
    "name": scalars,
    "description": scalars,
    "tags": st.lists(scalars, max_size=2),
    "timeout": st.sampled_from(["10m", "10 m", "90s", 5, None, "9999999999d", -1, True]),
    "schedule": st.sampled_from(["@daily", "0 3 * * *", "x"])
    | st.lists(st.fixed_dictionaries({"cron": st.just("@daily")}, optional={"inputs": anything}), max_size=2),
    "env": st.dictionaries(workflow_texts.names, scalars, max_size=2) | scalars,
    "inputs": st.dictionaries(workflow_texts.names, workflow_texts.schemas, max_size=2),
    "output": workflow_texts.schemas,
    "maxSteps": scalars,
    "engine": scalars,
    "redact": st.lists(workflow_texts.names, max_size=2),
    "nobody": anything,
}
TARGETS = st.sampled_from(
    [
        {"uses": "akm/command", "with": {"content": "Say x."}},
        {"run": "true", "shell": "sh"},
        {"uses": "workflows/release"},
        {"uses": "scripts/../x"},
        {"uses": "tasks/x"},
        {},
    ]
)


@st.composite
def task_files(draw: st.DrawFn) -> bytes:
    """Draw a task file: one that is at hand, damaged, or one of the grammar's keys."""
    if draw(st.booleans()):
        few = draw(st.fixed_dictionaries({}, optional=TASK_KEYS))
        return json.dumps({"version": 4} | draw(TARGETS) | few, ensure_ascii=False).encode(errors="replace")
    raw = draw(st.sampled_from(TASKS))
    at, gone = draw(st.integers(0, len(raw))), draw(st.sampled_from([0, 1, 5, 20]))
    return raw[:at] + draw(workflow_texts.PIECES | st.just(b"")) + raw[at + gone :]


@fuzz(200, raw=task_files())
def test_a_task_file_is_a_task_or_is_refused_and_what_is_converted_is_one(raw: bytes, tmp_path: Path) -> None:
    file = File("team", tmp_path, tmp_path / "tasks" / "nightly.yml")
    file.path.parent.mkdir(exist_ok=True)
    file.path.write_bytes(raw)
    outcome(lambda: source.read(file.path, bundle="team", root=tmp_path), several=True)
    made = outcome(lambda: task_convert.convert(file), several=True)
    if made != REFUSED:
        task = source.parse(made.text.encode(), file.path, bundle="team", root=tmp_path)
        assert task.id == "nightly"
        assert not any("\n" in note for note in made.notes)


#: Text that is hard on YAML.
HARD = st.lists(
    st.sampled_from(
        ["a", " ", "\n", "\t", "\r", ": ", "#", "- ", "'", '"', "\x85", "\u2028", "\ufeff", "|", "%", "é"]
    )
    | st.text(st.characters(exclude_categories=("Cs",)), max_size=2),
    min_size=1,
    max_size=6,
).map("".join)


@fuzz(250, prompt=HARD, name=st.none() | HARD, value=anything | HARD)
def test_a_new_task_says_what_was_wished_or_is_refused(
    prompt: str, name: str | None, value: Any, tmp_path: Path
) -> None:
    wish = Wish("@daily", prompt=prompt, name=name, params={"a": value}, timeout_ms=5)
    raw = yaml_emit.emit(wishes.document(wish)).encode("utf-8", "surrogatepass")
    path = tmp_path / "nightly.yml"
    task = outcome(lambda: source.parse(raw, path, bundle="team", root=tmp_path), several=True)
    if task != REFUSED:
        assert task.target.content == prompt
        # Titles are trimmed.
        assert task.name == (None if name is None else name.strip())
        assert task.inputs["a"].default == value
        assert type(task.inputs["a"].default) is type(value)


def test_what_is_wished_in_plain_words_is_not_refused(tmp_path: Path) -> None:
    raw = yaml_emit.emit(wishes.document(Wish("@daily", prompt="Say x.\nAnd y."))).encode()
    assert source.parse(raw, tmp_path / "a.yml", bundle="team", root=tmp_path).target
    with pytest.raises(UsageError):
        wishes.document(Wish("@daily"))
