"""The files of a workflow with two levels of children, a map and a route; each unit leaves a mark."""

from __future__ import annotations

from installed import Place

#: Their work is that of their own units.
CHILDREN = ("call:solo", "down:solo")


def _exec(script: str) -> str:
    """Write a unit's command, which leaves a line where the work was done."""
    mark = 'echo done >> "$0/$AKM_RUN_ID.$AKM_UNIT_ID"'
    return f"exec: {{{{ command: [sh, -c, '{script}; {mark}', {{marks}}] }}}}"


_ROOT = f"""---
type: workflow
steps:
  - id: list
    unit:
      {_exec('echo "[1, 2, 3, 4, 5]"')}
      output: {{{{ type: array, items: {{{{ type: integer }}}} }}}}
  - id: work
    map:
      over: steps.list.output
      concurrency: 3
      unit:
        {_exec('sleep 0.02; echo "$AKM_ITEM"')}
        output: {{{{ type: integer }}}}
  - id: pick
    route:
      input: steps.list.output[0]
      when:
        - {{{{ match: "1", step: one }}}}
        - {{{{ match: "2", step: two }}}}
  - id: one
    unit:
      {_exec("echo one")}
  - id: two
    unit:
      {_exec("echo two")}
  - id: call
    unit:
      workflow: workflows/middle
      with: {{{{ word: {{{{ from: steps.one.output }}}} }}}}
  - id: end
    inputs: [steps.call.output, steps.work.output]
    unit:
      {_exec('printf "%s" "$AKM_INPUTS"')}
---
"""
_MIDDLE = f"""---
type: workflow
params:
  word: {{{{ type: string }}}}
steps:
  - id: say
    unit:
      {_exec('printf "%s" "$AKM_PARAMS"')}
  - id: down
    unit:
      workflow: workflows/leaf
      with: {{{{ word: {{{{ from: params.word }}}} }}}}
  - id: end
    inputs: [steps.down.output]
    unit:
      {_exec('printf "%s" "$AKM_INPUTS"')}
---
"""
_LEAF = f"""---
type: workflow
params:
  word: {{{{ type: string }}}}
steps:
  - id: deep
    unit:
      {_exec('sleep 0.02; printf "%s" "$AKM_PARAMS"')}
  - id: deeper
    unit:
      {_exec("echo deeper")}
---
"""
_FILES = {
    "root": (_ROOT, ("list", "work", "pick", "one", "two", "call", "end")),
    "middle": (_MIDDLE, ("say", "down", "end")),
    "leaf": (_LEAF, ("deep", "deeper")),
}


def install(place: Place) -> None:
    """Write the files into a place."""
    folder = place.work / "workflows"
    folder.mkdir()
    for name, (front, steps) in _FILES.items():
        prose = "".join(f"\n## {step}\n\nDo it.\n" for step in steps)
        text = front.format(marks=place.folder("marks")) + prose
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
