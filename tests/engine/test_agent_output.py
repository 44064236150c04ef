"""What each tool's output says, read from recorded samples by the preset's description alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from akm.engine.runners import agent_output
from akm.engine.runners.agent_output import Reading
from akm.workflow.presets import PRESETS

SAMPLES = Path(__file__).parent / "samples"


def read(sample: str, text: str | None = None) -> Reading:
    output = PRESETS[sample.partition(".")[0].partition("-")[0]].output
    assert output is not None
    return agent_output.read(output, (SAMPLES / sample).read_text() if text is None else text)


@pytest.mark.parametrize(
    ("sample", "text", "session", "numbers"),
    [
        (
            "claude.json",
            "Zwei Fehler gefunden – einer in `größe.py`. ✓",
            "5f0c9c9e-6f1b-4f7e-9a53-2f6f5f0f7d11",
            (4312, 210, 0.0123),
        ),
        (
            "claude-verbose.json",
            "Zwei Fehler gefunden – einer in `größe.py`. ✓",
            "5f0c9c9e-6f1b-4f7e-9a53-2f6f5f0f7d11",
            (4312, 210, 0.0123),
        ),
        (
            "codex.jsonl",
            "Zwei Dateien: a.py\u2028und b.py ✓",
            "0199a213-81c0-7800-8aa1-bbab2a035a53",
            (24763, 122, None),
        ),
        (
            "opencode.jsonl",
            "Zwei Dateien: größe.py\nund b.py ✓",
            "ses_494719016ffe85dkDMj0FPRbHK",
            (43883, 33, 0.003),
        ),
        (
            "gemini.json",
            "Zwei Fehler – einer in `größe.py`. ✓",
            "d2e1f7a0-4a4c-4a77-8d43-0a9d6a6a1d55",
            (33904, 214, None),
        ),
    ],
)
def test_answer_session_and_usage_are_found(
    sample: str, text: str, session: str, numbers: tuple[int, int, float | None]
) -> None:
    reading = read(sample)
    assert (reading.text, reading.session_id) == (text, session)
    assert (reading.input_tokens, reading.output_tokens, reading.cost) == numbers
    assert reading.tokens == numbers[0] + numbers[1]
    assert (reading.error, reading.fault) == (None, None)


def test_aider_s_text_loses_its_banner_and_its_counts_but_no_line_of_the_answer() -> None:
    reading = read("aider.txt")
    assert str(reading.text).startswith("Zwei Fehler – einer in `größe.py`. ✓\n\ngröße.py\n<<<<<<< SEARCH\n")
    assert str(reading.text).endswith(
        ">>>>>>> REPLACE\n\nApplied edit to größe.py\nModel: this line is the answer's own."
    )
    assert (reading.input_tokens, reading.output_tokens, reading.cost) == (14_300, 1337, 0.05)


@pytest.mark.parametrize(
    ("line", "numbers"),
    [
        ("Tokens: 133 sent, 7 received.", (133, 7, None)),
        (
            "Tokens: 1.2M sent, 3k received. Cost: $1,204.50 message, $2,000.25 session.",
            (1.2e6, 3e3, 2000.25),
        ),
        (
            "Tokens: 12k sent, 1.5k cache write, 3k cache hit, 133 received.\n"
            "Cost: $0.04 message, $0.10 session.",
            (12_000, 133, 0.1),
        ),
        ("I have sent 3 Tokens: they were received.", (None, None, None)),
    ],
)
def test_aider_s_counts_are_read_as_it_writes_them(line: str, numbers: tuple[Any, Any, Any]) -> None:
    reading = read("aider", f"Done.\n{line}\n")
    assert (reading.input_tokens, reading.output_tokens, reading.cost) == numbers


@pytest.mark.parametrize(
    ("sample", "error"),
    [
        ("claude-error.json", "API Error: 529"),
        ("claude-max-turns.json", "error_max_turns"),
        ("codex-error.jsonl", "You've hit your usage limit."),
        ("opencode-error.jsonl", "Rate limit exceeded"),
        ("gemini-error.json", "Reached max session turns"),
    ],
)
def test_a_reported_error_is_found_and_what_it_cost(sample: str, error: str) -> None:
    reading = read(sample)
    assert str(reading.error).startswith(error)
    assert reading.fault is None
    assert reading.tokens == (4522 if "turns" in sample else 0 if "claude" in sample else None)


@pytest.mark.parametrize(
    ("sample", "text", "fault"),
    [
        ("claude", "", "is empty"),
        ("claude", "Execution error", "is not JSON"),
        ("claude", '{"type":"result","subtype":"success","result":"x', "is not JSON"),
        ("claude", '{"type":"result","subtype":"success","result":{"a":1}', "is not JSON"),
        ("claude", '{"type":"result","subtype":"success"}', "holds no answer"),
        ("claude", "[]", "holds no answer"),
        ("claude", '{"type":"result","subtype":"success","result":{"a":1}}', "holds no answer"),
        ("claude", "3", "holds no answer"),
        ("claude", '{"response":"of another tool"}', "holds no answer"),
        ("claude", '{"a":NaN}', "holds NaN"),
        ("gemini", '{"response":null}', "holds no answer"),
        ("codex", "", "holds no line of JSON"),
        ("codex", "Not logged in\n", "holds no line of JSON"),
        (
            "codex",
            '{"type":"thread.started","thread_id":"t"}\n{"type":"tu',
            "a line that is no JSON (line 2)",
        ),
        (
            "codex",
            '{"type":"item.completed","item":{"type":"agent_message","text":"half"}}\n',
            "breaks off before",
        ),
        ("opencode", "plain text\n", "holds no line of JSON"),
    ],
)
def test_what_is_not_in_the_format_is_told(sample: str, text: str, fault: str) -> None:
    reading = read(sample, text)
    assert fault in str(reading.fault)
    assert reading.error is None


def test_what_was_spent_before_a_cut_counts() -> None:
    whole = (SAMPLES / "opencode.jsonl").read_text().splitlines()
    reading = read("opencode", "\n".join([*whole[:4], whole[4][:20]]))
    assert reading.fault is not None
    assert (reading.input_tokens, reading.output_tokens) == (22_086, 8)


def test_an_agent_that_did_its_work_without_a_word_said_nothing() -> None:
    reading = read("codex", '{"type":"turn.completed","usage":{"input_tokens":5,"output_tokens":1}}\n')
    assert (reading.text, reading.fault, reading.tokens) == (None, None, 6)


def test_a_complaint_that_was_overcome_is_no_error_and_one_that_was_not_is() -> None:
    complaint = '{"type":"error","message":"Reconnecting... 1/5"}\n'
    assert read("codex", complaint).error == "Reconnecting... 1/5"
    assert read("codex", f'{complaint}{{"type":"turn.completed"}}\n').error is None


@pytest.mark.parametrize("number", [True, -1, "7", None, [7], 10**30, 1e300])
def test_a_count_that_is_none_is_left_out(number: Any) -> None:
    answer = {"type": "result", "subtype": "success", "result": "x", "usage": {"input_tokens": number}}
    reading = read("claude", json.dumps(answer))
    assert (reading.text, reading.tokens) == ("x", None)


def test_unforeseen_shapes_are_no_answer_and_no_crash() -> None:
    for value in (
        [],
        {},
        3,
        "x",
        [[[]]],
        {"item": 3},
        {"part": []},
        {"error": "no object"},
        {"stats": {"models": 3}},
    ):
        for sample in ("claude", "codex", "opencode", "gemini"):
            assert read(sample, json.dumps(value)).text is None
