"""The command-line agents that akm knows, as data: how each is asked, and where its output says what.

Nothing here runs. A plan keeps a copy of what it uses, and `akm.engine.runners.agent_output` reads by it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NotRequired, TypedDict


class Pick(TypedDict):
    """Values in a list of JSON objects: at `at`, in objects that are as `where` and not as `unless` says.

    A path is names joined by dots, `*` any name; of several paths the first that leads somewhere counts. Of
    the values found the last is taken, with `join` all texts, with `sum` all numbers. What is found after an
    object that is as `fresh` says takes the place of what was found before it.
    """

    at: str | list[str]
    where: NotRequired[dict[str, Any]]
    unless: NotRequired[dict[str, Any]]
    fresh: NotRequired[dict[str, Any]]
    take: NotRequired[Literal["last", "join", "sum"]]


class Output(TypedDict):
    """How an agent's output is read. Numbers of several picks are added up.

    With `end`, an output without such an object is cut off, and with it no error counts: what the agent
    complained of was overcome. `may_be_silent`: no result is an empty one. For texts, `usage` is a pattern
    with groups named input, output and cost, and `noise` one for what is no part of the answer.
    """

    format: Literal["text", "json", "jsonl"]
    result: NotRequired[Pick]
    may_be_silent: NotRequired[bool]
    session: NotRequired[Pick]
    input: NotRequired[list[Pick]]
    output: NotRequired[list[Pick]]
    cost: NotRequired[Pick]
    errors: NotRequired[list[Pick]]
    end: NotRequired[dict[str, Any]]
    usage: NotRequired[str]
    noise: NotRequired[str]


@dataclass(frozen=True, slots=True)
class Preset:
    """One agent. Its argv is program, arguments, reporting, model, session, last and perhaps the prompt.

    `reporting` asks for the output that `output` describes; without it the tool writes for people. `model`
    and `session` are the words before the value, empty when it takes none. `output` None: the text is the
    answer. What leaves a tool free to change files is for the user to say, in the engine's `command`.
    """

    program: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    reporting: tuple[str, ...] = ()
    model: tuple[str, ...] = ()
    session: tuple[str, ...] = ()
    prompt: Literal["stdin", "argument"] = "stdin"
    last: tuple[str, ...] = ()
    output: Output | None = None

    def command(self, own: Sequence[str], model: str | None) -> tuple[str, ...]:
        """Return the argv up to the session; `own` (the user's command) stands for the program."""
        return (*(own or self.program), *self.arguments, *self.reporting, *self._with_model(model))

    def command_for_people(self, own: Sequence[str], model: str | None) -> tuple[str, ...]:
        """Return the argv up to the prompt of a dispatch whose output nobody reads but people."""
        return (*(own or self.program), *self.arguments, *self._with_model(model), *self.last)

    def _with_model(self, model: str | None) -> tuple[str, ...]:
        return (*self.model, model) if model is not None and self.model else ()


_CLAUDE: Output = {
    "format": "json",
    "result": {"at": "result", "where": {"type": "result", "subtype": "success"}},
    "session": {"at": "session_id"},
    "input": [
        {"at": "usage.input_tokens", "where": {"type": "result"}},
        {"at": "usage.cache_creation_input_tokens", "where": {"type": "result"}},
        {"at": "usage.cache_read_input_tokens", "where": {"type": "result"}},
    ],
    "output": [{"at": "usage.output_tokens", "where": {"type": "result"}}],
    "cost": {"at": "total_cost_usd", "where": {"type": "result"}},
    "errors": [
        {"at": ["result", "errors.*", "subtype"], "where": {"type": "result", "is_error": True}},
        {"at": ["errors.*", "subtype"], "where": {"type": "result"}, "unless": {"subtype": "success"}},
    ],
}
_CODEX: Output = {
    "format": "jsonl",
    "result": {"at": "item.text", "where": {"type": "item.completed", "item.type": "agent_message"}},
    "may_be_silent": True,
    "session": {"at": "thread_id", "where": {"type": "thread.started"}},
    "input": [{"at": "usage.input_tokens", "where": {"type": "turn.completed"}}],
    "output": [{"at": "usage.output_tokens", "where": {"type": "turn.completed"}}],
    "errors": [
        {"at": "error.message", "where": {"type": "turn.failed"}},
        {"at": "message", "where": {"type": "error"}},
    ],
    "end": {"type": "turn.completed"},
}
_OPENCODE: Output = {
    "format": "jsonl",
    "result": {"at": "part.text", "where": {"type": "text"}, "fresh": {"type": "step_start"}, "take": "join"},
    "may_be_silent": True,
    "session": {"at": "sessionID"},
    "input": [
        {"at": "part.tokens.input", "where": {"type": "step_finish"}, "take": "sum"},
        {"at": "part.tokens.cache.*", "where": {"type": "step_finish"}, "take": "sum"},
    ],
    "output": [
        {"at": "part.tokens.output", "where": {"type": "step_finish"}, "take": "sum"},
        {"at": "part.tokens.reasoning", "where": {"type": "step_finish"}, "take": "sum"},
    ],
    "cost": {"at": "part.cost", "where": {"type": "step_finish"}, "take": "sum"},
    "errors": [{"at": ["error.data.message", "error.name"], "where": {"type": "error"}}],
}
_GEMINI: Output = {
    "format": "json",
    "result": {"at": "response"},
    "session": {"at": "session_id"},
    "input": [{"at": "stats.models.*.tokens.prompt", "take": "sum"}],
    "output": [
        {"at": "stats.models.*.tokens.candidates", "take": "sum"},
        {"at": "stats.models.*.tokens.thoughts", "take": "sum"},
    ],
    "errors": [{"at": ["error.message", "error.type"]}],
}
_AIDER: Output = {
    "format": "text",
    "usage": (
        r"^Tokens: (?P<input>[\d.,]+[kM]?) sent,.*?(?P<output>[\d.,]+[kM]?) received\."
        r"(?:\s+Cost: .*?\$(?P<cost>[\d.,]*\d) session\.?)?"
    ),
    "noise": (
        r"\A(?:(?:Aider v.*|(?:Main model|Weak model|Editor model|Model|Git repo|Repo-map): .*|Added .*)?\n)+"
        r"|^Tokens: .* received\.(?:\s+Cost: .*session\.?)?\n?"
    ),
}

PRESETS: Mapping[str, Preset] = {
    "generic": Preset(),
    "claude": Preset(
        ("claude",),
        ("-p",),
        reporting=("--output-format", "json"),
        model=("--model",),
        session=("--resume",),
        output=_CLAUDE,
    ),
    "codex": Preset(
        ("codex",),
        # A unit may work where no repository is, and then codex does nothing without the flag.
        ("exec", "--skip-git-repo-check"),
        reporting=("--json",),
        model=("--model",),
        session=("resume",),
        last=("-",),
        output=_CODEX,
    ),
    "opencode": Preset(
        ("opencode",),
        ("run",),
        reporting=("--format", "json"),
        model=("--model",),
        session=("--session",),
        prompt="argument",
        output=_OPENCODE,
    ),
    "gemini": Preset(
        ("gemini",),
        reporting=("--output-format", "json"),
        model=("--model",),
        session=("--resume",),
        output=_GEMINI,
    ),
    "aider": Preset(
        ("aider",),
        # All of them keep it from asking or from drawing: nobody is there.
        ("--no-pretty", "--no-stream", "--yes-always", "--no-check-update", "--no-show-model-warnings"),
        model=("--model",),
        prompt="argument",
        last=("--message",),
        output=_AIDER,
    ),
    "copilot": Preset(
        ("copilot",),
        # Without leave to use its tools it would wait for a person to give it.
        ("-s", "--allow-all-tools"),
        model=("--model",),
        prompt="argument",
        last=("-p",),
    ),
}
