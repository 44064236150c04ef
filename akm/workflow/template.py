"""The file that `akm workflow create` starts an author with, and how to tell that it is still untouched."""

from __future__ import annotations

from collections.abc import Sequence

from akm.workflow.parsing.report import Report

#: Sentences of the template that a finished workflow does not hold.
MARKERS = (
    "Replace this sentence with what this workflow is for.",
    "Replace this sentence with what the first step is to do.",
    "Replace this sentence with what the second step is to do.",
    "Replace this sentence with what must be true when the step is done.",
)

TEMPLATE = f"""\
---
type: workflow
description: {MARKERS[0]}
params:
  topic: {{ type: string, description: "What the run is about." }}
steps:
  - id: first-step
  - id: second-step
    inputs: [steps.first-step.output]
---

# A new workflow

{MARKERS[0]}

## first-step

{MARKERS[1]}

## second-step

{MARKERS[2]}

### gate

- {MARKERS[3]}
"""


def check_stub(lines: Sequence[str], report: Report) -> None:
    """Advise about every sentence that still stands as the template wrote it."""
    for index, text in enumerate(lines):
        for marker in MARKERS:
            if marker in text:
                report.warn(
                    index + 1,
                    f"`{marker}` is a sentence of the template: write your own.",
                    code="placeholder-stub",
                )
