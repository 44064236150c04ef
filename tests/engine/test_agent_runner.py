"""Agent units: a prompt in, a text or a checked value out, and which units have a runner at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from runner_dispatches import a_command, a_dispatch, an_agent, python, run

from akm.engine.runners import choose, process, structured
from akm.engine.runners.base import Dispatch, Outcome
from akm.workflow.plan import ChildTarget, CommandTarget, UnitNode

SCHEMA = {"type": "object", "required": ["ok"], "properties": {"ok": {"type": "boolean"}}}
#: Counts its calls in the file `calls` and keeps each prompt in `prompt.<n>`; `$1`, `$2` are its answers.
COUNTING = (
    "sh",
    "-c",
    "n=$(cat calls 2>/dev/null || echo 0); n=$((n + 1)); echo $n > calls; cat > prompt.$n; "
    'if [ $n = 1 ]; then printf "%s" "$1"; else printf "%s" "$2"; fi',
    "counting",
)


def ask(base: Path, *argv: str, runner: dict[str, Any] | None = None, **overrides: Any) -> Outcome:
    return run(a_dispatch(an_agent(base, *argv, **(runner or {})), **overrides))


def test_prompt_arrives_on_standard_input_and_the_output_is_the_text(tmp_path: Path) -> None:
    outcome = ask(tmp_path, "cat", instructions="Find  the\tbug.")
    assert outcome.status == "completed"
    assert "Find  the\tbug." in str(outcome.text)
    assert "run-1" in str(outcome.text)
    assert not str(outcome.text).endswith("\n")


def test_prompt_arrives_as_the_last_argument_when_the_engine_says_so(tmp_path: Path) -> None:
    code = "import sys; print(sys.argv[1], len(sys.argv), repr(sys.stdin.read())); print(sys.argv[-1])"
    outcome = ask(tmp_path, *python(code), "--print", runner={"prompt": "argument"}, instructions="Find it.")
    assert str(outcome.text).startswith("--print 3 ''\n")
    assert "Find it." in str(outcome.text)


def test_prompt_too_long_for_an_argument_is_refused_and_passes_on_standard_input(tmp_path: Path) -> None:
    long = "x" * 3_000_000
    outcome = ask(tmp_path, "echo", runner={"prompt": "argument"}, instructions=long)
    assert outcome.failure_reason == "exec_context_too_large"
    assert ask(tmp_path, "wc", "-c", instructions=long).status == "completed"


def test_agent_that_closes_its_input_early_is_fine(tmp_path: Path) -> None:
    outcome = ask(tmp_path, "sh", "-c", "exec <&-; echo done", instructions="x" * 1_000_000)
    assert outcome.text == "done"


def test_no_output_is_no_text(tmp_path: Path) -> None:
    assert ask(tmp_path, "true").text is None


def test_agent_runs_in_its_base_directory_with_the_allowlist_and_what_its_engine_passes(
    tmp_path: Path,
) -> None:
    surrounding = {"PATH": "/usr/bin:/bin", "SECRET": "s", "AGENT_HOME": "h"}
    outcome = ask(
        tmp_path, "sh", "-c", "pwd; env", runner={"passEnv": ["AGENT_HOME"]}, environment=surrounding
    )
    lines = str(outcome.text).splitlines()
    assert lines[0] == str(tmp_path)
    assert {"AGENT_HOME=h", "AKM_UNIT_ID=build:solo"} <= set(lines)
    assert "SECRET=s" not in lines


def test_context_too_large_for_the_environment_is_left_out_because_the_prompt_has_it(tmp_path: Path) -> None:
    outcome = ask(
        tmp_path, "sh", "-c", 'echo "[$AKM_ITEM][$AKM_ITEM_INDEX]"; wc -c', index=3, item="x" * 200_000
    )
    first, size = str(outcome.text).split("\n")
    assert first == "[][3]"
    assert int(size) > 200_000


def test_failures_have_the_same_reasons_as_those_of_commands(tmp_path: Path) -> None:
    assert ask(tmp_path, "no-such-agent").failure_reason == "spawn_failed"
    assert ask(tmp_path, "false").failure_reason == "non_zero_exit"
    assert run(a_dispatch(an_agent(tmp_path, "sleep", "60", timeout_ms=50))).failure_reason == "timeout"
    dispatch = a_dispatch(an_agent(tmp_path, "cat"))
    dispatch.abort.set("SIGINT")
    assert run(dispatch).failure_reason == "aborted"
    assert str(ask(tmp_path, "false").diagnostic).startswith('agent unit "build:solo" ran "false"')


def test_engines_timeout_counts_when_the_unit_has_none_of_its_own(tmp_path: Path) -> None:
    target = an_agent(tmp_path, "sleep", "60")
    profile = {**target.runner, "timeoutMs": 50}
    asked = CommandTarget("0" * 64, {"engine": "writer"}, profile, cwd_identity=target.cwd_identity)
    assert run(a_dispatch(asked)).failure_reason == "timeout"


def test_answer_that_misses_the_schema_is_sent_back_once_with_what_is_wrong(tmp_path: Path) -> None:
    outcome = ask(tmp_path, *COUNTING, '{"ok": 1}', '{"ok": true}', schema=SCHEMA)
    assert (outcome.status, outcome.result) == ("completed", {"ok": True})
    assert (tmp_path / "calls").read_text() == "2\n"
    assert "boolean" in (tmp_path / "prompt.2").read_text().removeprefix((tmp_path / "prompt.1").read_text())


@pytest.mark.parametrize(("answer", "reason"), [("no", "parse_error"), ("{}", "validation_error")])
def test_second_miss_fails_the_unit(tmp_path: Path, answer: str, reason: str) -> None:
    outcome = ask(tmp_path, *COUNTING, answer, answer, schema=SCHEMA)
    assert outcome.failure_reason == reason
    assert (tmp_path / "calls").read_text() == "2\n"


def test_good_answer_and_failed_program_are_asked_once(tmp_path: Path) -> None:
    assert ask(tmp_path, *COUNTING, '{"ok": true}', "", schema=SCHEMA).is_ok
    assert (tmp_path / "calls").read_text() == "1\n"
    assert not ask(tmp_path, "sh", "-c", "echo ran >> log; exit 1", schema=SCHEMA).is_ok
    assert (tmp_path / "log").read_text() == "ran\n"


def test_both_questions_share_one_timeout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[int] = []

    def supervise(*args: Any, timeout_ms: int, **options: Any) -> process.Exit:
        given.append(timeout_ms)
        return real(*args, timeout_ms=timeout_ms, **options)

    real = process.supervise
    monkeypatch.setattr(process, "supervise", supervise)
    run(a_dispatch(an_agent(tmp_path, "sh", "-c", "sleep 0.01; echo no"), schema=SCHEMA))
    first, second = given
    assert first == 60_000
    assert second < first


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[1]", [1]),
        ('Here:\n```json\n{"a": 1}\n```\nDone.', {"a": 1}),
        ("```\n[1, 2]\n```", [1, 2]),
        ("```JSON\r\n[1, 2]\r\n```\r\n", [1, 2]),
        ('```sh\nrm {x}\n```\n```json\n{"a": {"b": 1}}\n```', {"a": {"b": 1}}),
        ('I think {braces} help: {"a": "}{"} I do.', {"a": "}{"}),
    ],
)
def test_one_value_amid_prose_is_found(text: str, value: Any) -> None:
    assert structured.leniently(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no value here",
        '{"a": 1} or {"a": 2}',
        "```json\n{}\n```\n```json\n{}\n```",
        "```json\nnot json\n```",
        'see {"a": NaN}',
        'see {"a": "\\ud800"}',
        "{" * 100_000,
        '{"a":' * 100_000,
    ],
)
def test_prose_without_one_clear_value_is_refused(text: str) -> None:
    with pytest.raises(structured.NotJson):
        structured.leniently(text)


def test_kinds_without_a_runner_get_none(tmp_path: Path) -> None:
    child = ChildTarget("workflows/x", "0" * 64)
    missing = CommandTarget("0" * 64, {}, {"kind": "missing"})
    assert choose.runner_for(UnitNode("a", "", child)) is None
    assert choose.runner_for(UnitNode("a", "", missing)) is None
    assert choose.runner_for(UnitNode("a", "", a_command(tmp_path, "true"))) is not None


def test_exception_in_a_runner_is_a_failure_of_the_unit(tmp_path: Path) -> None:
    def broken(_: Dispatch) -> Outcome:
        raise KeyError("lost")

    outcome = choose.guard(broken, a_dispatch(a_command(tmp_path, "true")))
    assert (outcome.failure_reason, outcome.diagnostic) == ("dispatch_error", "KeyError: 'lost'")
