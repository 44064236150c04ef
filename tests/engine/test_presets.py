"""Each preset run for real: an executable of the tool's name checks how it was asked and prints a sample."""

from __future__ import annotations

import json
import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from places import Place
from runner_dispatches import a_dispatch, run

from akm import setting_types
from akm.engine.redaction import Redaction
from akm.engine.runners import capture
from akm.engine.runners.base import Outcome
from akm.workflow.freezing.freeze_runners import agent_runner
from akm.workflow.freezing.freeze_settings import Engine
from akm.workflow.plan import CommandTarget, CwdIdentity
from akm.workflow.plan_text import plan_json
from akm.workflow.presets import PRESETS

SAMPLES = Path(__file__).parent / "samples"
SCHEMA = {"type": "object", "required": ["ok"], "properties": {"ok": {"type": "boolean"}}}
#: What stands before the prompt, with model "m-1".
ARGV = {
    "claude": ["-p", "--output-format", "json", "--model", "m-1"],
    "codex": ["exec", "--skip-git-repo-check", "--json", "--model", "m-1", "-"],
    "opencode": ["run", "--format", "json", "--model", "m-1"],
    "gemini": ["--output-format", "json", "--model", "m-1"],
    "aider": [
        *("--no-pretty", "--no-stream", "--yes-always", "--no-check-update", "--no-show-model-warnings"),
        *("--model", "m-1", "--message"),
    ],
    "copilot": ["-s", "--allow-all-tools", "--model", "m-1", "-p"],
}
TAKES_ARGUMENT = {"opencode", "aider", "copilot"}
SAMPLE = {
    "claude": "claude.json",
    "codex": "codex.jsonl",
    "opencode": "opencode.jsonl",
    "gemini": "gemini.json",
    "aider": "aider.txt",
    "copilot": "copilot.txt",
}


@dataclass
class Tool:
    """An executable that writes down how it was called and prints its answers, one a call."""

    name: str
    root: Path

    def answers(self, *texts: str, status: int = 0, stderr: str = "") -> None:
        folder = self.root / "bin"
        folder.mkdir(exist_ok=True)
        for number, text in enumerate(texts, start=1):
            (self.root / f"answer.{number}").write_text(text)
        script = (
            f"#!/bin/sh\ncd {shlex.quote(str(self.root))}\n"
            "n=$(($(cat calls 2>/dev/null || echo 0) + 1)); echo $n > calls\n"
            'for word in "$@"; do printf "%s\\0" "$word"; done > argv.$n\n'
            f"cat > stdin.$n; cat answer.$n; printf %s {shlex.quote(stderr)} >&2; exit {status}\n"
        )
        (folder / self.name).write_text(script)
        (folder / self.name).chmod(0o755)

    def argv(self, call: int = 1) -> list[str]:
        return (self.root / f"argv.{call}").read_text().split("\0")[:-1]

    def stdin(self, call: int = 1) -> str:
        return (self.root / f"stdin.{call}").read_text()

    def run(self, *, model: str | None = "m-1", command: tuple[str, ...] = (), **overrides: Any) -> Outcome:
        """Freeze an engine with this preset and dispatch one unit to it."""
        frozen = agent_runner(Engine("e", "agent", preset=self.name, command=command), model, 60_000)
        # As a run that was started earlier finds it.
        runner = json.loads(json.dumps(frozen))
        identity = CwdIdentity(str(self.root), str(self.root))
        target = CommandTarget("0" * 64, {"engine": "e"}, runner, cwd_identity=identity)
        environment = {"PATH": f"{self.root}/bin:{os.environ['PATH']}"}
        return run(a_dispatch(target, environment=environment, **overrides))


@pytest.fixture
def tool(request: pytest.FixtureRequest, tmp_path: Path) -> Tool:
    return Tool(getattr(request, "param", "claude"), tmp_path)


def sample(name: str) -> str:
    return (SAMPLES / name).read_text()


def claude(result: str, **changes: Any) -> str:
    return json.dumps(json.loads(sample("claude.json")) | {"result": result} | changes)


def test_the_presets_that_may_be_configured_are_those_that_exist() -> None:
    assert tuple(PRESETS) == setting_types.PRESETS
    assert set(ARGV) == set(SAMPLE) == set(PRESETS) - {"generic"}


@pytest.mark.parametrize("tool", ARGV, indirect=True)
def test_each_tool_is_asked_as_it_wants_to_be_and_its_answer_is_the_result(tool: Tool) -> None:
    tool.answers(sample(SAMPLE[tool.name]))
    outcome = tool.run(instructions="Find the bug.")
    assert outcome.is_ok, outcome.diagnostic
    argv = tool.argv()
    given = argv.pop() if tool.name in TAKES_ARGUMENT else tool.stdin()
    assert argv == ARGV[tool.name]
    assert "Find the bug." in given
    assert (tool.stdin() == "") == (tool.name in TAKES_ARGUMENT)
    assert "✓" in str(outcome.text)
    assert (outcome.session_id is None) == (tool.name in ("aider", "copilot"))
    assert (outcome.tokens is None) == (tool.name == "copilot")
    assert (outcome.cost is None) == (tool.name in ("codex", "gemini", "copilot"))


@pytest.mark.parametrize("tool", ARGV, indirect=True)
def test_without_a_model_none_is_named(tool: Tool) -> None:
    tool.answers(sample(SAMPLE[tool.name]))
    assert tool.run(model=None).is_ok
    assert not {"--model", "m-1"} & set(tool.argv())


def test_the_users_command_stands_for_the_program(tool: Tool) -> None:
    tool.answers(sample("claude.json"))
    program = tool.root / "bin/claude"
    assert tool.run(command=(str(program), "--permission-mode", "acceptEdits")).is_ok
    assert tool.argv()[:4] == ["--permission-mode", "acceptEdits", "-p", "--output-format"]


@pytest.mark.parametrize("tool", ARGV, indirect=True)
def test_a_plan_keeps_all_it_needs_of_a_preset(tool: Tool) -> None:
    runner = agent_runner(Engine("e", "agent", preset=tool.name), "m-1", None)
    assert runner["command"][0] == tool.name
    assert ("output" in runner) == (tool.name != "copilot")
    assert plan_json.present(**runner) == {
        key: runner[key] for key in runner if runner[key] not in (None, [])
    }


def test_an_answer_in_prose_still_fits_the_schema(tool: Tool) -> None:
    tool.answers(claude('Here it is:\n```json\n{"ok": true}\n```\nBye.'))
    outcome = tool.run(schema=SCHEMA)
    assert (outcome.result, outcome.tokens) == ({"ok": True}, 4522)


def test_a_miss_is_put_right_in_the_same_session_and_both_are_paid_for(tool: Tool) -> None:
    tool.answers(claude('{"ok": 1}'), claude('{"ok": true}', total_cost_usd=0.5))
    outcome = tool.run(schema=SCHEMA, instructions="Find the bug.")
    assert outcome.result == {"ok": True}
    assert tool.argv(2) == [*ARGV["claude"], "--resume", "5f0c9c9e-6f1b-4f7e-9a53-2f6f5f0f7d11"]
    assert "boolean" in tool.stdin(2)
    assert "Find the bug." not in tool.stdin(2)
    assert (outcome.tokens, outcome.input_tokens, outcome.output_tokens) == (9044, 8624, 420)
    assert outcome.cost == pytest.approx(0.5123)


@pytest.mark.parametrize("tool", ["codex"], indirect=True)
def test_the_words_after_a_session_stay_last(tool: Tool) -> None:
    tool.answers(sample("codex.jsonl"), sample("codex.jsonl"))
    assert tool.run(schema=SCHEMA).failure_reason == "parse_error"
    assert tool.argv(2)[5:] == ["resume", "0199a213-81c0-7800-8aa1-bbab2a035a53", "-"]


@pytest.mark.parametrize("session_id", ["--dangerous", "", "a b", None])
def test_what_is_no_id_of_a_session_is_not_handed_back(tool: Tool, session_id: str | None) -> None:
    tool.answers(claude("no", session_id=session_id), claude('{"ok": true}'))
    assert tool.run(schema=SCHEMA, instructions="Find the bug.").is_ok
    assert tool.argv(2) == ARGV["claude"]
    assert "Find the bug." in tool.stdin(2)


def test_a_second_miss_costs_both_too(tool: Tool) -> None:
    tool.answers(claude("no"), claude("no"))
    outcome = tool.run(schema=SCHEMA)
    assert (outcome.failure_reason, outcome.tokens) == ("parse_error", 9044)


@pytest.mark.parametrize("tool", ["claude", "codex", "opencode", "gemini"], indirect=True)
@pytest.mark.parametrize("schema", [None, SCHEMA])
def test_output_in_another_format_fails_and_is_asked_for_once(tool: Tool, schema: Any) -> None:
    tool.answers("You are not logged in.", "")
    outcome = tool.run(schema=schema)
    assert (outcome.failure_reason, outcome.text) == ("parse_error", "You are not logged in.")
    assert f'ran "{tool.name}"' in str(outcome.diagnostic)
    assert "preset reads" in str(outcome.diagnostic)
    assert (tool.root / "calls").read_text() == "1\n"


@pytest.mark.parametrize(
    ("tool", "name", "message"),
    [
        ("claude", "claude-error.json", "API Error: 529"),
        ("claude", "claude-max-turns.json", "error_max_turns"),
        ("codex", "codex-error.jsonl", "You've hit your usage limit."),
        ("opencode", "opencode-error.jsonl", "Rate limit exceeded"),
        ("gemini", "gemini-error.json", "Reached max session turns"),
    ],
    indirect=["tool"],
)
@pytest.mark.parametrize(("status", "reason"), [(0, "reported_failure"), (1, "non_zero_exit")])
def test_what_the_tool_reports_is_the_diagnostic(
    tool: Tool, name: str, message: str, status: int, reason: str
) -> None:
    tool.answers(sample(name), status=status, stderr="noise")
    outcome = tool.run()
    assert outcome.failure_reason == reason
    assert message in str(outcome.diagnostic)
    assert "noise" not in str(outcome.diagnostic)


def test_a_failed_run_s_tokens_count(tool: Tool) -> None:
    tool.answers(sample("claude-max-turns.json"), status=1)
    outcome = tool.run()
    assert (outcome.tokens, outcome.cost) == (4522, 0.0123)


@pytest.mark.parametrize("tool", ["gemini"], indirect=True)
def test_an_error_on_the_error_output_is_found_there(tool: Tool) -> None:
    tool.answers("", status=53, stderr=sample("gemini-error.json"))
    outcome = tool.run()
    assert outcome.failure_reason == "non_zero_exit"
    assert str(outcome.diagnostic).endswith("and it exited 53: Reached max session turns for this session.")


@pytest.mark.parametrize("tool", ARGV, indirect=True)
def test_a_failure_without_a_report_shows_the_error_output(tool: Tool) -> None:
    tool.answers("", status=3, stderr="no credentials")
    outcome = tool.run()
    assert outcome.failure_reason == "non_zero_exit"
    assert str(outcome.diagnostic).endswith("and it exited 3. stderr:\nno credentials")


def test_output_too_large_is_never_parsed(tool: Tool) -> None:
    tool.answers(claude("x" * capture.RETAINED))
    outcome = tool.run()
    assert (outcome.failure_reason, outcome.text) == ("exec_output_limit", None)


@pytest.mark.parametrize("tool", ["codex"], indirect=True)
def test_not_even_the_whole_lines_before_a_cut_are(tool: Tool) -> None:
    tool.answers(sample("codex.jsonl") + "x" * capture.RETAINED)
    outcome = tool.run()
    assert (outcome.failure_reason, outcome.tokens) == ("exec_output_limit", None)


def test_output_that_is_no_utf_8_fails(tool: Tool) -> None:
    tool.answers("")
    (tool.root / "answer.1").write_bytes(b'{"type":"result","result":"\xff"}')
    outcome = tool.run()
    assert outcome.failure_reason == "parse_error"
    assert "not UTF-8" in str(outcome.diagnostic)


def test_a_secret_is_gone_before_anything_is_cut(tool: Tool) -> None:
    secret = "canary-5f0c9c9e-and-more"
    tool.answers(claude("x" * 1490 + secret + "y" * 1000, is_error=True), "x" * 1990 + secret + "y" * 1000)
    redaction = Redaction([secret])
    for _call in (1, 2):
        outcome = tool.run(redaction=redaction)
        assert secret[:8] not in f"{outcome.diagnostic}{outcome.text}"


def test_a_run_keeps_answer_session_and_tokens(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = Tool("claude", place.root)
    tool.answers(sample("claude.json"))
    monkeypatch.setenv("PATH", f"{place.root}/bin:{os.environ['PATH']}")
    (place.root / ".akm").mkdir()
    (place.root / ".akm/config.toml").write_text(
        '[defaults]\nengine = "coder"\n[engines.coder]\nkind = "agent"\npreset = "claude"\nmodel = "fast"\n'
        '[models.fast]\ncoder = "haiku"\n'
    )
    place.write({"id": "a"})
    place.run()
    found = place.row("SELECT * FROM workflow_run_unit_attempts")
    assert (found["status"], found["engine"], found["model"]) == ("completed", "coder", "haiku")
    assert (found["tokens"], found["session_id"]) == (4522, "5f0c9c9e-6f1b-4f7e-9a53-2f6f5f0f7d11")
    assert place.output("a") == "Zwei Fehler gefunden – einer in `größe.py`. ✓"
    assert tool.argv()[-2:] == ["--model", "haiku"]


def test_a_missing_program_fails_the_unit(tool: Tool) -> None:
    outcome = tool.run()
    assert outcome.failure_reason == "spawn_failed"
    assert 'could not start "claude"' in str(outcome.diagnostic)


def test_a_tool_that_hangs_is_stopped_with_its_children(tool: Tool) -> None:
    tool.answers("")
    pid = tool.root / "pid"
    (tool.root / "bin/claude").write_text(f"#!/bin/sh\nsleep 60 & echo $! > {shlex.quote(str(pid))}; wait\n")
    frozen = agent_runner(Engine("e", "agent", preset="claude"), None, 300)
    target = CommandTarget("0" * 64, {}, frozen, cwd_identity=CwdIdentity(str(tool.root), str(tool.root)))
    outcome = run(a_dispatch(target, environment={"PATH": f"{tool.root}/bin:{os.environ['PATH']}"}))
    assert outcome.failure_reason == "timeout"
    state = Path(f"/proc/{pid.read_text().strip()}/stat")
    assert not state.exists() or state.read_text().split()[2] == "Z"
