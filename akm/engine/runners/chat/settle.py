"""The outcome of an answer: its text, or the value a schema asks for, or why it is no use."""

from __future__ import annotations

from dataclasses import replace

from akm.engine.runners import structured
from akm.engine.runners.base import Outcome, failed
from akm.engine.runners.chat.answer import Answer
from akm.engine.runners.chat.terms import Terms
from akm.engine.runners.text import PARTIAL, clip
from akm.workflow.parsing.document import Schema

_MENDED = "holds what is no character; it was replaced by U+FFFD"


def settle(terms: Terms, answer: Answer, schema: Schema | None) -> Outcome:
    """Return the answer's outcome with the tokens it took. A text of white space alone is no answer."""
    outcome = _unusable(terms, answer) or _useful(terms, answer, schema)
    if not outcome.is_ok:
        outcome = replace(outcome, text=clip(terms.redaction.text(answer.text), PARTIAL) or None)
    spent = answer.usage
    return replace(outcome, tokens=spent.total, input_tokens=spent.input, output_tokens=spent.output)


def _unusable(terms: Terms, answer: Answer) -> Outcome | None:
    if answer.refusal:
        said = terms.quote(answer.refusal).rstrip(".")
        return failed("content_policy_reject", f"{terms.label}: the model refused: {said}.")
    if answer.finish_reason == "content_filter":
        why = f"a content filter of {terms.shown_url} stopped the answer"
        return failed("llm_content_filter", f"{terms.label}: {why}.")
    if answer.finish_reason == "length":
        why = "the answer was cut at the limit of its tokens; raise max_tokens or ask for less"
        return failed("quality_rejected", f"{terms.label}: {why}.")
    if not answer.text or answer.text.isspace():
        return failed("quality_rejected", f"{terms.label}: the model answered nothing.")
    return None


def _useful(terms: Terms, answer: Answer, schema: Schema | None) -> Outcome:
    if schema is None:
        warnings = (f"{terms.label}: its answer {_MENDED}.",) if answer.is_mended else ()
        return Outcome("completed", text=answer.text, warnings=warnings)
    if answer.is_mended:
        return failed(
            "llm_invalid_json", f"{terms.label}: the output {_MENDED}, and JSON holds characters only."
        )
    outcome = structured.check(answer.text, schema, parse=structured.leniently, label=terms.label)
    is_json = outcome.failure_reason != "parse_error"
    return outcome if is_json else replace(outcome, failure_reason="llm_invalid_json")
