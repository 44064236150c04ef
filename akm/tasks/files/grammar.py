"""The grammar of a task file of version 4: a closed set of keys, each read by the module of its kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from akm.tasks.files import grammar_settings as settings
from akm.tasks.files.grammar_inputs import inputs
from akm.tasks.files.grammar_keys import closed, optional_text, texts, variable_names
from akm.tasks.files.grammar_schedule import schedules
from akm.tasks.files.grammar_target import target
from akm.tasks.files.task import Command, Target, Task, Workflow
from akm.workflow.parsing.fields import Field
from akm.workflow.parsing.grammar.schema import schema

#: The keys that stand for one field of a task, with that field and its reader.
_READERS: Mapping[str, tuple[str, Callable[[Field], Any]]] = {
    "name": ("name", Field.text),
    "description": ("description", Field.text),
    "when_to_use": ("when_to_use", Field.text),
    "tags": ("tags", texts),
    "env": ("env", settings.env),
    "agent": ("agent", optional_text),
    "engine": ("engine", optional_text),
    "model": ("model", optional_text),
    "timeout": ("timeout_ms", settings.timeout),
    "redact": ("redact", variable_names),
    "maxSteps": ("max_steps", settings.positive),
    "maxRetries": ("max_retries", settings.counted),
    "inputs": ("inputs", inputs),
    "output": ("output", schema),
}
#: The keys whose form is checked and that change nothing here.
_UNUSED: Mapping[str, Callable[[Field], Any]] = {
    "inference": settings.inference,
    "tools": settings.tools,
}
KEYS = (
    *("version", "name", "description", "when_to_use", "tags", "inputs", "output", "uses", "run", "with"),
    *("env", "shell", "working-directory", "schedule", "agent", "engine", "model", "inference", "tools"),
    *("timeout", "redact", "maxSteps", "maxRetries"),
)
_RETIRED = {
    "akm": "is retired; write its settings, such as `engine` and `timeout`, at the top of the file",
    "on": "is retired; write the expression of `on.schedule` as `schedule`",
    "enabled": "no longer exists, because a file cannot enable itself; remove it and use `akm task enable`",
}


def task(root_field: Field, *, id: str, bundle: str, path: Path, root: Path) -> Task | None:
    """Read a whole file; None, or a task that is not to be used, after noting faults in the report."""
    entries = closed(root_field, KEYS, _RETIRED)
    if entries is None:
        return None
    found = target(entries, root_field, bundle=bundle, root=root)
    values = {name: read(entries[key]) for key, (name, read) in _READERS.items() if key in entries}
    for key, check in _UNUSED.items():
        if key in entries:
            check(entries[key])
    values["says_timeout"] = "timeout" in entries
    if "schedule" in entries:
        values["schedules"] = schedules(entries["schedule"], values.get("inputs", {}))
    if found is None:
        return None
    _check_together(entries, values, found)
    unused = tuple(key for key in _UNUSED if key in entries and entries[key].node.value is not None)
    return Task(id=id, bundle=bundle, path=path, root=root, target=found, not_applied=unused, **values)


def _check_together(entries: Mapping[str, Field], values: Mapping[str, Any], found: Target) -> None:
    if values.get("env") and isinstance(found, Workflow):
        entries["env"].fail("is not read for a workflow; set variables in the workflow's own steps")
    if "output" in entries and not isinstance(found, Command):
        entries["output"].fail("is only read for `akm/command` and `commands/...`; remove it")
