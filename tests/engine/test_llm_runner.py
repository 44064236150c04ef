"""Llm units against a real server: what is asked, what is made of answers, and each fault's reason."""

from __future__ import annotations

import os
import socket
import threading
from pathlib import Path
from typing import Any

import pytest
from chat_server import (
    Act,
    ChatServer,
    answered,
    certificate,
    complains,
    completion,
    drip,
    endless,
    raw,
    says,
    serving,
    silence,
    streams,
)
from runner_dispatches import a_dispatch, a_model, run

from akm.engine.abort import Abort
from akm.engine.redaction import Redaction
from akm.engine.runners import llm
from akm.engine.runners.base import Outcome
from akm.engine.runners.chat.terms import Surroundings
from akm.workflow.plan import EnvBinding
from akm.workflow.prompt import Prompt

SCHEMA = {"type": "object", "required": ["ok"], "properties": {"ok": {"type": "boolean"}}}
KEY = "sk-an-unspeakable-key"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


class Asking:
    """Asks a server without waiting between tries; `waits` are the seconds that it would have waited."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    def ask(
        self, server: ChatServer | str, *, runner: dict[str, Any] | None = None, **overrides: Any
    ) -> Outcome:
        timeout = {"timeout_ms": overrides.pop("timeout_ms")} if "timeout_ms" in overrides else {}
        inference = overrides.pop("inference", None)
        url = server if isinstance(server, str) else server.url
        target = a_model(url, inference=inference, **timeout, **(runner or {}))
        around = Surroundings(random=lambda: 1.0, wall_clock=lambda: 0.0, wait=self._wait)
        return llm.run(a_dispatch(target, **overrides), surroundings=around)

    def _wait(self, _abort: Abort, seconds: float) -> None:
        self.waits.append(seconds)


@pytest.fixture
def asking() -> Asking:
    return Asking()


def test_model_is_asked_with_the_unit_s_prompt_and_its_words_are_the_text(asking: Asking) -> None:
    with serving(says("Found it.\n", tokens=(7, 5))) as server:
        outcome = asking.ask(server, instructions="Find  the\tbug.")
    assert (outcome.status, outcome.text, outcome.session_id) == ("completed", "Found it.", None)
    assert (outcome.tokens, outcome.input_tokens, outcome.output_tokens) == (12, 7, 5)
    asked = server.asked[0]
    assert asked.path == "/v1/chat/completions"
    assert asked.body.keys() == {"model", "messages", "stream"}
    assert (asked.body["model"], asked.body["stream"]) == ("small", False)
    assert [one["role"] for one in asked.body["messages"]] == ["user"]
    assert "Find  the\tbug." in asked.prompt
    assert "run-1" in asked.prompt
    assert "authorization" not in asked.headers


def test_judge_s_question_goes_out_in_its_two_parts(asking: Asking) -> None:
    with serving(says("{}")) as server:
        asking.ask(server, prompt=Prompt("Is it good?", "You judge."))
    assert server.asked[0].body["messages"] == [
        {"role": "system", "content": "You judge."},
        {"role": "user", "content": "Is it good?"},
    ]


def test_runner_is_chosen_by_the_kind_of_the_engine() -> None:
    with serving(says("yes")) as server:
        assert run(a_dispatch(a_model(server.url))).text == "yes"


def test_key_is_sent_and_nothing_of_the_surroundings_is(
    asking: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(says("yes")) as server, serving(says("I am a proxy")) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("ALL_PROXY", proxy.url)
        asking.ask(server, runner={"apiKeyEnv": "THE_KEY"}, environment={"THE_KEY": KEY + "\n", "OTHER": "o"})
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert proxy.asked == []


@pytest.mark.parametrize(
    ("environment", "word"), [({}, "not set"), ({"THE_KEY": " "}, "not set"), ({"THE_KEY": "a\nb"}, "header")]
)
def test_key_that_is_missing_or_cannot_be_sent_is_named_and_nothing_is_sent(
    asking: Asking, environment: dict[str, str], word: str
) -> None:
    with serving(says("yes")) as server:
        outcome = asking.ask(server, runner={"apiKeyEnv": "THE_KEY"}, environment=environment)
    assert outcome.failure_reason == "dispatch_error"
    assert "THE_KEY" in str(outcome.diagnostic)
    assert word in str(outcome.diagnostic)
    assert server.asked == []


def test_env_assets_are_refused_and_nothing_is_sent(asking: Asking) -> None:
    with serving(says("yes")) as server:
        outcome = asking.ask(server, bound=[EnvBinding("env-ref", "env/x")])
    assert (outcome.failure_reason, server.asked) == ("env_unsupported", [])


@pytest.mark.parametrize("base_url", ["", "ftp://host", "http://", "http://me:pw@127.0.0.1"])
def test_plan_without_a_usable_url_fails_the_unit(asking: Asking, base_url: str) -> None:
    outcome = asking.ask(base_url)
    assert outcome.failure_reason == "dispatch_error"
    assert "base_url of engine checker" in str(outcome.diagnostic)
    assert "pw" not in str(outcome.diagnostic)


def test_host_that_cannot_exist_is_no_outage(asking: Asking) -> None:
    outcome = asking.ask("http://a..b/v1")
    assert (outcome.failure_reason, asking.waits) == ("dispatch_error", [])
    assert "check base_url of engine checker" in str(outcome.diagnostic)


def test_certificate_is_checked_against_the_bundle_that_the_environment_names(
    asking: Asking, tmp_path: Path
) -> None:
    bundle = certificate(tmp_path)
    with serving(says("yes"), tls=bundle) as server:
        trusted = asking.ask(server, environment={"REQUESTS_CA_BUNDLE": str(bundle)})
        unknown = asking.ask(server, environment={})
        missing = asking.ask(server, environment={"CURL_CA_BUNDLE": str(tmp_path / "none.pem")})
    assert (trusted.text, len(server.asked), asking.waits) == ("yes", 1, [])
    assert unknown.failure_reason == missing.failure_reason == "dispatch_error"
    assert "not trusted" in str(unknown.diagnostic)
    assert "CURL_CA_BUNDLE" in str(missing.diagnostic)


def test_abort_cuts_an_encrypted_line_as_well(asking: Asking, tmp_path: Path) -> None:
    bundle = certificate(tmp_path)
    with serving(drip, tls=bundle) as server:
        abort = Abort()
        stopper = threading.Thread(target=lambda: server.waiting.wait(30) and abort.set("SIGINT"))
        stopper.start()
        environment = {"REQUESTS_CA_BUNDLE": str(bundle)}
        outcome = asking.ask(server, timeout_ms=None, abort=abort, environment=environment)
        stopper.join()
        assert server.hung_up.wait(30)
    assert outcome.failure_reason == "aborted"


def test_prompt_that_is_no_text_is_not_sent(asking: Asking) -> None:
    with serving(says("yes")) as server:
        assert asking.ask(server, instructions="\ud800").failure_reason == "dispatch_error"
    assert server.asked == []


# One exchange: the act, the reason, and a word of the diagnostic.
FINAL: dict[str, tuple[Act, str, str]] = {
    "no key wanted": (complains(401, "Invalid key"), "dispatch_error", "api_key_env of engine checker"),
    "no access": (complains(403, "No"), "dispatch_error", "403 (Forbidden): No"),
    "no model": (complains(404, "No such model"), "dispatch_error", "the model 'small'"),
    "bad request": (complains(400, "max_tokens is too large"), "dispatch_error", "max_tokens is too large"),
    "filtered prompt": (complains(400, "no", code="content_filter"), "llm_content_filter", "content_filter"),
    "redirect": (answered(b"", 307, Location="http://other.test/v1"), "dispatch_error", "other.test"),
    "redirect to nowhere": (answered(b"", 302), "dispatch_error", "elsewhere"),
    "redirect without end": (endless(b"HTTP/1.1 307 X\r\n\r\n"), "dispatch_error", "elsewhere"),
    "filtered answer": (says("", "content_filter"), "llm_content_filter", "filter"),
    "refusal": (says(None, refusal="I will not."), "content_policy_reject", "I will not"),
    "cut answer": (says("Half an ans", "length"), "quality_rejected", "max_tokens"),
    "empty answer": (says(""), "quality_rejected", "answered nothing"),
    "blank answer": (says(" \n\t"), "quality_rejected", "answered nothing"),
    "null answer": (says(None), "quality_rejected", "answered nothing"),
    "no choices": (answered({"choices": []}), "quality_rejected", "answered nothing"),
    "empty body": (answered(b""), "quality_rejected", "answered nothing"),
    "a page": (answered("<html>busy</html>", Content_Type="text/html"), "llm_invalid_json", "not JSON"),
    "half of the JSON": (answered('{"choices": [{"mess'), "llm_invalid_json", "not JSON"),
    "a list": (answered([1]), "llm_invalid_json", "no JSON object"),
    "odd choices": (answered({"choices": [1]}), "llm_invalid_json", "no message"),
    "odd content": (says(17), "llm_invalid_json", "no text"),
    "deep JSON": (answered("[" * 200_000), "llm_invalid_json", "nested"),
    "endless number": (answered("1" * 10_000), "llm_invalid_json", "not JSON"),
    "10 MB": (says("x" * 10_000_000), "quality_rejected", "8 MiB"),
    "10 MB of error": (complains(400, "x" * 10_000_000), "dispatch_error", "400 (Bad Request)."),
    "broken compression": (
        answered(b"no gzip", Content_Encoding="gzip"),
        "llm_invalid_json",
        "compression",
    ),
    "error as an answer": (answered({"error": {"message": "odd"}}), "dispatch_error", "odd"),
    "refusal as an answer": (answered({"error": {"message": "No", "code": 403}}), "dispatch_error", "403"),
    "stream of numbers": (streams(1), "llm_invalid_json", "JSON objects"),
    "error in a stream": (streams({"error": "tired"}), "dispatch_error", "tired"),
    "cut stream answer": (
        streams({"choices": [{"delta": {"content": "Ha"}, "finish_reason": "length"}]}),
        "quality_rejected",
        "max_tokens",
    ),
}


@pytest.mark.parametrize("name", FINAL)
def test_fault_that_asking_again_does_not_mend_has_its_reason_and_is_asked_once(
    name: str, asking: Asking
) -> None:
    act, reason, word = FINAL[name]
    with serving(act) as server:
        outcome = asking.ask(server)
    assert (outcome.status, outcome.failure_reason) == ("failed", reason)
    assert word in str(outcome.diagnostic)
    assert str(outcome.diagnostic).startswith('llm unit "build:solo"')
    assert len(str(outcome.diagnostic)) < 700
    assert (len(server.asked), asking.waits) == (1, [])


PASSING: dict[str, tuple[Act, str, str]] = {
    "too many": (complains(429, "Slow down"), "llm_rate_limit", "Slow down"),
    "down": (complains(503), "cooldown", "503"),
    "locked": (complains(500, "database is locked"), "cooldown", "database is locked"),
    "status nobody knows": (complains(599), "cooldown", "599"),
    "server's timeout": (complains(408), "cooldown", "408"),
    "down inside": (answered({"error": {"message": "late", "code": 502}}), "cooldown", "502"),
    "no answer": (raw(b""), "cooldown", "closed without an answer"),
    "reset": (raw(b"", reset=True), "cooldown", "reset"),
    "no HTTP": (raw(b"SSH-2.0\r\n"), "cooldown", "not HTTP"),
    "cut head": (raw(b"HTTP/1.1 2"), "cooldown", "not HTTP"),
    "cut body": (raw(HEAD + b'Content-Length: 999\r\n\r\n{"choi'), "cooldown", "broke off"),
    "cut chunks": (raw(HEAD + b'Transfer-Encoding: chunked\r\n\r\n5\r\n{"ch'), "cooldown", "broke off"),
    "cut stream": (streams({"choices": [{"delta": {"content": "Ha"}}]}, done=False), "cooldown", "broke off"),
}


@pytest.mark.parametrize("name", PASSING)
def test_fault_that_may_pass_is_asked_twice_more_with_growing_waits(name: str, asking: Asking) -> None:
    act, reason, word = PASSING[name]
    with serving(act) as server:
        outcome = asking.ask(server)
    assert (outcome.status, outcome.failure_reason) == ("failed", reason)
    assert word in str(outcome.diagnostic)
    assert (len(server.asked), asking.waits) == (3, [0.5, 1.0])


def test_refused_connection_is_tried_again_and_is_an_outage(asking: Asking) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    outcome = asking.ask(f"http://127.0.0.1:{port}/v1")
    assert outcome.failure_reason == "cooldown"
    assert "refused" in str(outcome.diagnostic)
    assert asking.waits == [0.5, 1.0]


def test_answer_after_faults_is_an_answer(asking: Asking) -> None:
    with serving(complains(500), complains(429), says("at last")) as server:
        assert asking.ask(server).text == "at last"


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("7", 7), ("99999", 30), ("Thu, 01 Jan 1970 00:00:09 GMT", 9), ("0", 0), ("soon", 0.5)],
)
def test_server_s_wish_for_a_wait_is_honoured_up_to_half_a_minute(
    asking: Asking, header: str, seconds: float
) -> None:
    with serving(answered(b"", 503, Retry_After=header), says("yes")) as server:
        assert asking.ask(server).is_ok
    assert asking.waits == [seconds]


def test_wait_beyond_the_deadline_is_not_begun(asking: Asking) -> None:
    with serving(answered(b"", 429, Retry_After="20")) as server:
        outcome = asking.ask(server, timeout_ms=10_000)
    assert (outcome.failure_reason, len(server.asked), asking.waits) == ("llm_rate_limit", 1, [])


@pytest.mark.parametrize("act", [silence, drip])
def test_deadline_ends_the_wait_and_hangs_up(act: Act, asking: Asking) -> None:
    with serving(act) as server:
        outcome = asking.ask(server, timeout_ms=100)
        assert server.hung_up.wait(30)
    assert outcome.failure_reason == "timeout"
    assert "100 ms" in str(outcome.diagnostic)


@pytest.mark.parametrize("act", [silence, drip])
def test_abort_ends_even_an_unbounded_wait_and_hangs_up(act: Act, asking: Asking) -> None:
    abort = Abort()
    with serving(act) as server:

        def stop() -> None:
            server.waiting.wait(30)
            abort.set("SIGINT")

        stopper = threading.Thread(target=stop)
        stopper.start()
        outcome = asking.ask(server, timeout_ms=None, abort=abort)
        stopper.join()
        assert server.hung_up.wait(30)
    assert outcome.failure_reason == "aborted"
    assert "SIGINT" in str(outcome.diagnostic)


def test_abort_ends_a_wait_between_two_tries() -> None:
    abort = Abort()
    with serving(complains(500)) as server:
        around = Surroundings(wait=lambda one, _seconds: one.set("SIGTERM"))
        outcome = llm.run(a_dispatch(a_model(server.url), abort=abort), surroundings=around)
    assert (outcome.failure_reason, len(server.asked)) == ("aborted", 1)


def test_run_that_is_stopped_already_sends_nothing(asking: Asking) -> None:
    abort = Abort()
    abort.set("SIGINT")
    with serving(says("yes")) as server:
        assert asking.ask(server, abort=abort).failure_reason == "aborted"
    assert server.asked == []


@pytest.mark.parametrize(
    ("text", "kept", "warned"),
    [
        ("a\0b", "a\0b", False),
        ("a\ud83d\ude00b", "a\U0001f600b", False),
        ("a\ud800b", "a\ufffdb", True),
        ("database is locked", "database is locked", False),
        ('{"half": ', '{"half": ', False),
        ([{"type": "text", "text": "two "}, {"type": "text", "text": "parts"}], "two parts", False),
    ],
)
def test_odd_text_is_kept_as_text_that_can_be_stored(
    asking: Asking, text: Any, kept: str, warned: bool
) -> None:
    with serving(says(text)) as server:
        outcome = asking.ask(server)
    assert (outcome.status, outcome.text, bool(outcome.warnings)) == ("completed", kept, warned)


def test_bytes_that_are_no_text_are_replaced_with_a_warning(asking: Asking) -> None:
    with serving(answered(b'{"choices": [{"message": {"content": "a\xffb"}}]}')) as server:
        outcome = asking.ask(server)
    assert outcome.text == "a\ufffdb"
    assert "U+FFFD" in outcome.warnings[0]


def test_answer_as_a_stream_is_joined_and_its_open_end_is_not_waited_for(asking: Asking) -> None:
    deltas: list[Any] = [
        {"choices": [{"delta": {"role": "assistant", "content": "Fo"}, "finish_reason": None}]},
        {"choices": [{"delta": {"content": "und \ud83d"}}]},
        {"choices": [{"delta": {"content": "\ude00"}, "finish_reason": "stop"}]},
        {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}},
    ]
    with serving(streams(*deltas, hangs=True)) as server:
        outcome = asking.ask(server, timeout_ms=None)
    assert (outcome.text, outcome.tokens) == ("Found \U0001f600", 7)


def test_tokens_count_for_answers_that_are_no_use(asking: Asking) -> None:
    with serving(says("Half", "length", tokens=(3, 4))) as server:
        outcome = asking.ask(server)
    assert (outcome.text, outcome.tokens) == ("Half", 7)


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [(None, None), ("many", None), ({"prompt_tokens": -1, "completion_tokens": 10**30}, None)],
)
def test_senseless_usage_is_unknown(asking: Asking, usage: Any, tokens: int | None) -> None:
    with serving(answered(completion("yes", usage=usage))) as server:
        outcome = asking.ask(server)
    assert (outcome.is_ok, outcome.tokens) == (True, tokens)


def test_schema_is_sent_where_the_engine_can_and_said_in_the_prompt_where_it_cannot(asking: Asking) -> None:
    with serving(says('{"ok": true}')) as server:
        able = asking.ask(server, schema=SCHEMA, runner={"supportsJsonSchema": True})
        unable = asking.ask(server, schema=SCHEMA)
        asking.ask(
            server,
            schema=SCHEMA,
            runner={"supportsJsonSchema": True},
            inference={"supports_json_schema": False},
        )
    assert able.result == unable.result == {"ok": True}
    sent = server.asked[0].body["response_format"]
    assert (sent["type"], sent["json_schema"]["schema"]) == ("json_schema", SCHEMA)
    assert all("response_format" not in one.body for one in server.asked[1:])
    assert '"required":["ok"]' in server.asked[1].prompt


def test_answer_that_misses_the_schema_is_sent_back_once_and_both_are_paid_for(asking: Asking) -> None:
    with serving(says('{"ok": 1}', tokens=(10, 1)), says('{"ok": true}', tokens=(20, 2))) as server:
        outcome = asking.ask(server, schema=SCHEMA)
    assert (outcome.status, outcome.result) == ("completed", {"ok": True})
    assert (outcome.tokens, outcome.input_tokens, outcome.output_tokens) == (33, 30, 3)
    assert len(server.asked) == 2
    assert "boolean" in server.asked[1].prompt.removeprefix(server.asked[0].prompt)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [("no", "llm_invalid_json"), ('{"ok": ', "llm_invalid_json"), ("{}", "validation_error")],
)
def test_second_miss_fails_the_unit_and_keeps_what_was_said(answer: str, reason: str, asking: Asking) -> None:
    with serving(says(answer, tokens=(1, 1))) as server:
        outcome = asking.ask(server, schema=SCHEMA)
    assert (outcome.failure_reason, outcome.text, outcome.tokens) == (reason, answer, 4)
    assert len(server.asked) == 2


def test_lone_surrogate_is_no_json(asking: Asking) -> None:
    with serving(says('{"ok": "\ud800"}'), says('{"ok": "\\ud800"}')) as server:
        assert asking.ask(server, schema=SCHEMA).failure_reason == "llm_invalid_json"


def test_answer_that_is_cut_or_refused_is_not_sent_back(asking: Asking) -> None:
    with serving(says('{"ok"', "length")) as server:
        assert asking.ask(server, schema=SCHEMA).failure_reason == "quality_rejected"
    assert len(server.asked) == 1


def test_outage_of_the_second_question_keeps_the_tokens_of_the_first(asking: Asking) -> None:
    with serving(says("no", tokens=(1, 1)), complains(404)) as server:
        outcome = asking.ask(server, schema=SCHEMA)
    assert (outcome.failure_reason, outcome.tokens) == ("dispatch_error", 2)


def test_body_of_another_length_than_announced_is_not_taken_for_an_answer(asking: Asking) -> None:
    whole = b'{"choices": [{"message": {"content": "yes"}}]}'
    with serving(raw(HEAD + b"Content-Length: %d\r\n\r\n" % (len(whole) + 1) + whole)) as server:
        assert asking.ask(server).failure_reason == "cooldown"


def test_key_never_stands_in_what_is_said_about_a_fault(asking: Asking) -> None:
    echo = complains(401, "x" * 285 + f"key {KEY} is bad, " + "y" * 5000 + KEY)
    with serving(echo) as server:
        outcome = asking.ask(
            server,
            runner={"apiKeyEnv": "THE_KEY"},
            environment={"THE_KEY": KEY},
            redaction=Redaction([KEY]),
        )
    assert "sk-" not in str(outcome.diagnostic)
    assert "Check the key in THE_KEY." in str(outcome.diagnostic)
    assert len(str(outcome.diagnostic)) < 600


def test_failed_units_leave_no_descriptor_behind() -> None:
    with serving(complains(404)) as server:
        dispatch = a_dispatch(a_model(server.url))
        run(dispatch)
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(9):
            run(dispatch)
        after = len(os.listdir("/proc/self/fd"))
    # Other threads of this process open and close some.
    assert after < before + 9
