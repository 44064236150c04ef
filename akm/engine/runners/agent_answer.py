"""The outcome of an agent's process: from its end, its answer, and what its output says was spent."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple, TypeVar

from akm.engine.runners import agent_output, structured
from akm.engine.runners.agent_output import Reading
from akm.engine.runners.base import Outcome, failed
from akm.engine.runners.ending import Command, failure
from akm.engine.runners.picks import Json
from akm.engine.runners.process import Exit
from akm.engine.runners.settle import left_behind
from akm.engine.runners.settle import settle as settle_text
from akm.engine.runners.text import PARTIAL, STDERR_TAIL, clip
from akm.workflow.parsing.document import Schema

#: Of a program whose output is its answer.
PLAIN: Json = {"format": "text"}
_CORRECTABLE = frozenset({"parse_error", "validation_error"})
_NOTHING = Reading()
_Number = TypeVar("_Number", int, float)


class Answer(NamedTuple):
    """An outcome, and whether asking again, with what is wrong, may help: the agent answered, and missed."""

    outcome: Outcome
    is_correctable: bool = False


def settle(command: Command, end: Exit, schema: Schema | None, output: Json) -> Answer:
    """Turn an ended process into an outcome; `output` describes how its output is read."""
    if output["format"] == "text":
        return _settle_text(command, end, schema, output)
    reading = _read(end, output)
    error = _sentence(command, reading.error)
    ended_badly = failure(command, end, structured=True, reported=error)
    if ended_badly is not None:
        return Answer(_with_usage(ended_badly, reading))
    if error is not None:
        why = f"{command} and it reported: {error}"
        return Answer(_with_usage(failed("reported_failure", why, text=_partial(command, end)), reading))
    if reading.fault is not None:
        why = (
            f"{command} and its output {reading.fault}: it is not the {output['format']} that the engine's "
            "preset reads. Check the engine's command and the tool's version."
        )
        return Answer(_with_usage(failed("parse_error", why, text=_partial(command, end)), reading))
    # Up to 8 MiB that nobody needs twice.
    end.stdout.data = bytearray()
    checked = _checked(command, reading, schema)
    return checked._replace(outcome=replace(checked.outcome, warnings=left_behind(command, end)))


def with_what_was_spent(outcome: Outcome, before: Outcome) -> Outcome:
    """Return an outcome with the tokens and the money of an earlier question added."""
    return replace(
        outcome,
        tokens=_sum(outcome.tokens, before.tokens),
        input_tokens=_sum(outcome.input_tokens, before.input_tokens),
        output_tokens=_sum(outcome.output_tokens, before.output_tokens),
        cost=_sum(outcome.cost, before.cost),
        session_id=outcome.session_id or before.session_id,
    )


def _settle_text(command: Command, end: Exit, schema: Schema | None, output: Json) -> Answer:
    reading = _NOTHING
    if "usage" in output:
        reading = agent_output.read(output, end.stdout.data.decode("utf-8", "replace"))
    outcome = failure(command, end, structured=schema is not None) or settle_text(
        command,
        end,
        schema,
        parse=lambda text: structured.leniently(agent_output.without_noise(output, text)),
    )
    if outcome.is_ok and outcome.text is not None:
        outcome = replace(outcome, text=agent_output.without_noise(output, outcome.text) or None)
    return _answer(outcome, reading)


def _checked(command: Command, reading: Reading, schema: Schema | None) -> Answer:
    text = command.redaction.text(reading.text or "")
    if schema is None:
        outcome = Outcome("completed", text=text or None)
    else:
        outcome = structured.check(text, schema, parse=structured.leniently, label=command.label)
    return _answer(outcome, reading)


def _answer(outcome: Outcome, reading: Reading) -> Answer:
    return Answer(_with_usage(outcome, reading), outcome.failure_reason in _CORRECTABLE)


def _read(end: Exit, output: Json) -> Reading:
    if end.stdout.discarded:
        # A value that is cut is never parsed.
        return _NOTHING
    try:
        reading = agent_output.read(output, end.stdout.data.decode())
    except UnicodeDecodeError:
        reading = Reading(fault="is not UTF-8")
    if end.status and reading.error is None:
        # Some tools write a failure to their error output, in the format of the other.
        said = agent_output.read(output, end.stderr.data.decode("utf-8", "replace"))
        return replace(reading, error=said.error)
    return reading


def _sentence(command: Command, error: str | None) -> str | None:
    return None if error is None else clip(command.redaction.text(error.strip()), STDERR_TAIL)


def _partial(command: Command, end: Exit) -> str | None:
    text = command.redaction.text(end.stdout.data.decode("utf-8", "replace"))
    return clip(text.rstrip("\r\n"), PARTIAL) or None


def _with_usage(outcome: Outcome, reading: Reading) -> Outcome:
    return replace(
        outcome,
        tokens=reading.tokens,
        input_tokens=reading.input_tokens,
        output_tokens=reading.output_tokens,
        cost=reading.cost,
        session_id=reading.session_id,
    )


def _sum(one: _Number | None, other: _Number | None) -> _Number | None:
    if one is None or other is None:
        return one if other is None else other
    return one + other
