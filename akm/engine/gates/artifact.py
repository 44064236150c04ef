"""Reading what an engine wrote as the value that its step's schema wants. Nothing is checked here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from akm.engine.runners import structured
from akm.workflow import worklist
from akm.workflow.plan import PlanStep
from akm.workflow.results import UnitResult
from akm.workflow.schemas import check


def read(step: PlanStep, results: Sequence[UnitResult]) -> Sequence[UnitResult]:
    """Return the results of a step with its only text read as JSON, where the step's schema wants no text.

    An engine can only write text, so without this no object would ever fit. Text that is no JSON stays text
    and misses the schema. The journal keeps the text; a resumed step reads it again in the same way.
    """
    schema = worklist.artifact_schema(step)
    text = results[0].text if schema is not None and results else None
    if schema is None or text is None or not check(schema, text):
        return results
    try:
        value = structured.leniently(text)
    except (structured.NotJson, RecursionError):
        return results
    return [replace(results[0], text=None, result=value, has_result=True)]
