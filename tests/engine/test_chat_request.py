"""The body of a request to a model, and the URL that it goes to."""

from __future__ import annotations

import json
from typing import Any

import pytest
from runner_dispatches import a_model

from akm.engine.runners.chat import request
from akm.workflow.prompt import Prompt


def body(inference: dict[str, Any] | None = None, schema: Any = None, **runner: Any) -> dict[str, Any]:
    target = a_model("http://127.0.0.1/v1", inference=inference, **runner)
    written: dict[str, Any] = json.loads(request.write(target, "small", Prompt("Do it."), schema))
    del written["model"], written["messages"], written["stream"]
    return written


@pytest.mark.parametrize(
    ("base_url", "url", "shown"),
    [
        ("http://h/v1", "http://h/v1/chat/completions", "http://h/v1/chat/completions"),
        ("http://h:1//", "http://h:1/chat/completions", "http://h:1/chat/completions"),
        ("https://h", "https://h/chat/completions", "https://h/chat/completions"),
        ("https://h/d?v=1#x", "https://h/d/chat/completions?v=1", "https://h/d/chat/completions"),
    ],
)
def test_path_of_the_protocol_is_put_behind_the_base(base_url: str, url: str, shown: str) -> None:
    assert request.endpoint(base_url) == (url, shown)


@pytest.mark.parametrize(
    "base_url",
    ["", "h/v1", "file:///x", "http:///v1", "http://[bad", "http://a@h", "http://h:x", "http://h:99999"],
)
def test_what_is_no_url_of_a_host_is_refused(base_url: str) -> None:
    with pytest.raises(ValueError):
        request.endpoint(base_url)


def test_engine_s_parameters_are_sent_and_the_file_s_win() -> None:
    assert body(maxTokens=9, temperature=0) == {"max_tokens": 9, "temperature": 0}
    given = {"max_tokens": 5, "reasoning_effort": "low", "context_length": 99}
    assert body(given, maxTokens=9, temperature=0.5) == {
        "max_tokens": 5,
        "temperature": 0.5,
        "reasoning_effort": "low",
    }


def test_extra_parameters_of_engine_and_file_are_joined_by_name() -> None:
    assert body({"extra_params": {"a": 1, "b": 1}}, extraParams={"b": 0, "c": 0}) == {"a": 1, "b": 1, "c": 0}


def test_extra_parameters_of_a_damaged_plan_change_nothing_of_the_protocol() -> None:
    target = a_model("http://h", extraParams={"model": "other", "messages": [], "stream": True})
    written = json.loads(request.write(target, "small", Prompt("Do it."), None))
    assert (written["model"], written["stream"], len(written["messages"])) == ("small", False, 1)


def test_thinking_is_said_in_both_spellings_and_leaves_other_arguments_of_the_template() -> None:
    assert body({"enable_thinking": False}, extraParams={"chat_template_kwargs": {"x": 1}}) == {
        "enable_thinking": False,
        "chat_template_kwargs": {"x": 1, "enable_thinking": False},
    }


def test_text_is_sent_as_it_is() -> None:
    prompt = Prompt("Größe \U0001f600 \0", "Sei knapp.")
    sent = request.write(a_model("http://h"), "small", prompt, None)
    assert "Größe \U0001f600".encode() in sent
    assert [one["content"] for one in json.loads(sent)["messages"]] == [prompt.system, prompt.user]
