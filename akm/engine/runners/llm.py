"""The runner of llm units: a model behind an endpoint that speaks the chat completions protocol.

Importing this imports requests.
"""

from __future__ import annotations

from dataclasses import replace

from akm.engine.runners.base import Dispatch, Outcome, failed
from akm.engine.runners.chat import preparing, request, sending
from akm.engine.runners.chat.settle import settle
from akm.engine.runners.chat.terms import Fault, Surroundings, Terms
from akm.engine.runners.chat.usage import Usage
from akm.workflow import prompt
from akm.workflow.plan import CommandTarget
from akm.workflow.prompt import Prompt

_CORRECTABLE = frozenset({"llm_invalid_json", "validation_error"})
_SURROUNDINGS = Surroundings()


def run(dispatch: Dispatch, *, surroundings: Surroundings = _SURROUNDINGS) -> Outcome:
    """Ask the model and turn its answer into an outcome.

    An answer that misses the unit's schema is sent back once, with what is wrong, within the same timeout;
    the tokens of both count.
    """
    terms = preparing.prepare(dispatch, surroundings)
    if isinstance(terms, Outcome):
        return terms
    asked = _prompt(dispatch)
    first, has_answered = _ask(dispatch, terms, asked)
    if not has_answered or first.failure_reason not in _CORRECTABLE or terms.deadline.left() <= 0:
        return first
    fault = (first.diagnostic or "").removeprefix(f"{terms.label}: ")
    again = asked._replace(user=prompt.with_feedback(asked.user, [fault]))
    second, _ = _ask(dispatch, terms, again)
    return _with_tokens(second, _usage(first).plus(_usage(second)))


def _ask(dispatch: Dispatch, terms: Terms, asked: Prompt) -> tuple[Outcome, bool]:
    """Ask once; tells besides whether the model answered at all."""
    target, schema = _target(dispatch), dispatch.item.node.schema
    try:
        data = request.write(target, terms.model, asked, schema)
    except UnicodeEncodeError:
        why = "was not asked: its prompt would hold a lone surrogate, which is no character."
        return failed("dispatch_error", f"{terms.label} {why}"), False
    found = sending.send(terms, data)
    if isinstance(found, Fault):
        return failed(found.reason, found.sentence), False
    return settle(terms, found, schema), True


def _prompt(dispatch: Dispatch) -> Prompt:
    if dispatch.prompt is not None:
        return dispatch.prompt
    return Prompt(prompt.build(dispatch.item, run_id=dispatch.run_id, params=dispatch.params))


def _usage(outcome: Outcome) -> Usage:
    return Usage(outcome.input_tokens, outcome.output_tokens, outcome.tokens)


def _with_tokens(outcome: Outcome, spent: Usage) -> Outcome:
    return replace(outcome, tokens=spent.total, input_tokens=spent.input, output_tokens=spent.output)


def _target(dispatch: Dispatch) -> CommandTarget:
    target = dispatch.item.node.target
    assert isinstance(target, CommandTarget)
    return target
