"""From an old task file to the text of version 4, and the writing of it with the old file kept."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from akm.engine.files import backup
from akm.errors import UsageError
from akm.ref_grammar import PROJECT
from akm.tasks.catalog import File
from akm.tasks.files import faults, ids, old, params, source, versions, yaml_emit, yaml_text
from akm.workflow.parsing.frontmatter import Node

_SWITCH = re.compile(r"\s+enabled:\s*(?:true|false)\s*(?:#.*)?")
_CARRIED = ("name", "description", "when_to_use", "tags")
_ALSO_CARRIED = ("engine", "model", "env", "redact")
_UNDERSTOOD = {"version", "schedule", "enabled", "timeoutMs", "params", *old.TARGETS}


@dataclass(frozen=True, slots=True)
class Converted:
    """The text of version 4, and what a person should know about it, one sentence each."""

    text: str
    notes: tuple[str, ...]


def convert(file: File) -> Converted:
    """Write an old task file anew. Raises UsageError when it cannot be, or needs no conversion."""
    raw = yaml_text.load(file.path)
    node = yaml_text.tree(raw, file.path)
    if versions.is_old(node):
        converted = _rewritten(old.read(node, file.path), file)
    elif versions.retired_switches(node) and versions.of(node) == versions.CURRENT:
        converted = _without_switches(raw.decode("utf-8-sig"), node, file)
    else:
        refusal = versions.refusal(node, file.path)
        raise refusal or UsageError(f"{file.path} is of version 4 already: there is nothing to convert.")
    _prove(converted, file)
    return converted


def write(file: File, converted: Converted) -> Path:
    """Replace the file in one step and return where the old one is kept. Raises UsageError."""
    return backup.replace(file.path, converted.text.encode())


def _rewritten(task: old.Old, file: File) -> Converted:
    values: dict[str, Any] = {"version": versions.CURRENT}
    values |= {key: task.values[key] for key in (*_CARRIED, *_ALSO_CARRIED) if key in task.values}
    values |= _target(task)
    notes = [_enabling(task, file)]
    if "params" in task.values:
        _carry_params(task, file, values)
    if "timeoutMs" in task.values:
        values["timeout"] = task.values["timeoutMs"]
    if task.schedule is not None:
        problem = _schedule_fault(task.schedule)
        if problem is None:
            values["schedule"] = task.schedule
        else:
            notes.append(f"The schedule {task.schedule} is left out: {problem}")
    foreign = sorted(task.values.keys() - _UNDERSTOOD - values.keys())
    notes += [f"`{key}` has no place in version 4 and is left out: is it needed?" for key in foreign]
    comments = "".join(f"# {' '.join(note.split())}\n" for note in notes)
    return Converted(comments + yaml_emit.emit(values), tuple(notes))


def _target(task: old.Old) -> dict[str, Any]:
    if task.kind == "command":
        return {"run": task.text}
    if task.kind == "prompt":
        return {"uses": "akm/command", "with": {"content": task.text}}
    return {"uses": task.text.strip().replace("workflow:", "workflows/", 1)}


def _carry_params(task: old.Old, file: File, values: dict[str, Any]) -> None:
    given = task.values["params"]
    if not isinstance(given, dict):
        raise faults.invalid(file.path, None, "`params` must be a mapping of names to values; correct it.")
    if given:
        values["inputs"] = params.declared(given)


def _enabling(task: old.Old, file: File) -> str:
    told = "was enabled" if task.is_enabled else "had `enabled: false`"
    return f"The old file {told}; now a task fires only once it is enabled: {_how(file)}"


def _how(file: File) -> str:
    if file.ref.startswith(f"{PROJECT}//"):
        # A scheduler stands in no directory, so it cannot know a project's tasks.
        return "akm bundle add NAME PATH for its folder, then akm task enable NAME//tasks/ID"
    return f"akm task enable {file.ref}"


def _schedule_fault(expression: str) -> str | None:
    from akm.tasks import schedule

    try:
        schedule.check(expression)
    except UsageError as error:
        return error.message
    return None


def _without_switches(text: str, node: Node, file: File) -> Converted:
    lines = text.splitlines(keepends=True)
    doomed = {switch.line for switch in versions.retired_switches(node)}
    for line in doomed:
        if not _SWITCH.fullmatch(lines[line - 1].rstrip("\r\n")):
            detail = "`enabled` shares its line with something else; remove the key by hand."
            raise faults.invalid(file.path, line, detail)
    kept = "".join(line for number, line in enumerate(lines, start=1) if number not in doomed)
    note = "`enabled` is removed from `schedule`: every trigger fires once the task is enabled."
    return Converted(kept, (f"{note} Enable it with: {_how(file)}",))


def _prove(converted: Converted, file: File) -> None:
    """Read what was written, so that no conversion ends in a file that is refused."""
    node = yaml_text.tree(converted.text.encode(), file.path)
    id = file.path.stem if ids.fault(file.path.stem) is None else "task"
    try:
        source.understood(node, file.path, id=id, bundle=file.bundle, root=file.root)
    except UsageError as error:
        message = error.message.replace("Invalid task at", "In version 4, invalid task at")
        raise UsageError(f"{file.path} cannot be converted:\n{message}", code=error.code) from error
