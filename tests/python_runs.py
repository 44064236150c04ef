"""Workflow files for the Python surface, and how its tests run them and look at what came of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import akm
from akm.store.database import Database

ECHO = """\
---
type: workflow
params:
  word: { type: string, default: hello }
steps:
  - id: say
    unit: { exec: { command: [printenv, AKM_PARAMS] } }
---

## say

Say the word.
"""
FAN = """\
---
type: workflow
params:
  items: { type: array, items: { type: integer } }
steps:
  - id: work
    map:
      over: params.items
      concurrency: 3
      unit: { exec: { command: ["true"] }, on_error: continue, retry: { max: 1, on: [timeout] } }
  - id: sum
    inputs: [steps.work.output]
    unit: { exec: { command: ["true"] } }
---

## work

Work on one item.

## sum

Add it all up.
"""
TYPED = ECHO.replace("AKM_PARAMS] } }", "AKM_PARAMS] }, output: { type: object, required: [count] } }")
PROSE = """\
---
type: workflow
steps:
  - id: think
    unit: { output: { type: object, properties: { answer: { type: integer } }, required: [answer] } }
---

## think

Think about it.
"""


def driving(folder: Path, db: Database) -> Callable[..., Any]:
    """Return a function that writes a workflow file into `folder` and runs it."""

    def act(text: str, **options: Any) -> Any:
        (folder / "flow.md").write_text(text)
        return akm.run(db, folder / "flow.md", cwd=folder, **options)

    return act


def output(db: Database, run_id: str, step_id: str = "say") -> Any:
    """Read the output of one step."""
    steps = akm.views.runs.detail(db, run_id)["workflow"]["steps"]
    return next(step for step in steps if step["id"] == step_id)["evidence"]["output"]


def units(db: Database, run_id: str) -> list[dict[str, Any]]:
    """List the units of a run."""
    return akm.views.units.of_run(db, run_id)
