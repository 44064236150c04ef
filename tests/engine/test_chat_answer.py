"""What is read out of the bodies of answers, errors and streams."""

from __future__ import annotations

import json
from typing import Any

import pytest

from akm.engine.runners.chat import answer, stream, usage
from akm.engine.runners.chat.answer import Answer, Complaint
from akm.engine.runners.chat.json_body import Unreadable
from akm.engine.runners.chat.usage import Usage


def read(body: Any, content_type: str = "application/json") -> Answer | Complaint:
    return answer.read(json.dumps(body).encode() if not isinstance(body, bytes) else body, content_type)


def event(text: str, finish: str | None = None) -> str:
    return "data: " + json.dumps({"choices": [{"delta": {"content": text}, "finish_reason": finish}]})


@pytest.mark.parametrize("break_", ["\n", "\r\n", "\r"])
def test_stream_is_read_whatever_its_lines_end_with(break_: str) -> None:
    lines = [
        ": hello",
        "",
        event("one\u2028"),
        "",
        "event: x",
        event("two", "stop"),
        "",
        "data: [DONE]",
        "",
        "",
    ]
    found = read(break_.join(lines).encode(), "text/event-stream; charset=utf-8")
    assert isinstance(found, Answer)
    assert (found.text, found.finish_reason) == ("one\u2028two", "stop")


def test_stream_is_recognised_without_its_type_and_may_end_without_a_mark() -> None:
    found = read((event("one", "stop") + "\n\n").encode(), "text/plain")
    assert isinstance(found, Answer)
    assert found.text == "one"


def test_stream_that_says_neither_reason_nor_end_was_cut() -> None:
    with pytest.raises(stream.CutOff):
        read((event("one") + "\n\n").encode(), "text/event-stream")


def test_mark_of_the_end_cannot_stand_inside_an_answer() -> None:
    assert stream.END not in event("x\ndata: [DONE]").encode()


def test_byte_order_mark_is_no_part_of_the_json() -> None:
    found = read(b"\xef\xbb\xbf" + json.dumps({"choices": [{"message": {"content": "x"}}]}).encode())
    assert isinstance(found, Answer)
    assert found.text == "x"


@pytest.mark.parametrize("body", [b"[]", b"nothing", b'{"choices": "no"}', b'{"choices": [{"message": 1}]}'])
def test_what_is_not_the_protocol_is_unreadable(body: bytes) -> None:
    with pytest.raises(Unreadable):
        read(body)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"error": {"message": "m", "code": 429}}, Complaint(429, "m")),
        ({"error": {"message": "m", "code": "c", "type": "m"}}, Complaint(None, "m / c")),
        ({"error": "m"}, Complaint(None, "m")),
        ({"detail": "m"}, Complaint(None, "m")),
        ({"error": {"code": 7}}, Complaint(None, "")),
        ([], Complaint(None, "")),
        ("m", Complaint(None, "m")),
    ],
)
def test_words_of_an_error_are_found_wherever_they_stand(body: Any, expected: Complaint) -> None:
    assert answer.complaint(body) == expected


def test_error_that_is_no_json_is_quoted_and_a_page_is_not() -> None:
    assert answer.error_words(b"upstream gone") == "upstream gone"
    assert answer.error_words(b" <!doctype html>") == ""


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}, Usage(1, 2, 3)),
        ({"prompt_tokens": 1, "completion_tokens": 2}, Usage(1, 2, 3)),
        ({"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 1}, Usage(1, 2, 3)),
        ({"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 9}, Usage(1, 2, 9)),
        ({"total_tokens": 9}, Usage(None, None, 9)),
        ({"prompt_tokens": True, "completion_tokens": "2", "total_tokens": 1.5}, Usage()),
        ([], Usage()),
    ],
)
def test_usage_is_what_is_sensible_of_it(given: Any, expected: Usage) -> None:
    assert usage.read(given) == expected


def test_usage_of_two_questions_adds_up_as_far_as_it_is_known() -> None:
    assert Usage(1, 2, 3).plus(Usage(None, 5, 5)) == Usage(1, 7, 8)
    assert Usage().plus(Usage()) == Usage()
