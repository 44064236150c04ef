"""What a task runs: exactly one of `uses` and `run`, with `with`, `shell` and `working-directory`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from akm import ref_grammar
from akm.errors import UsageError
from akm.tasks.files import interpreters
from akm.tasks.files.grammar_directory import working_directory
from akm.tasks.files.grammar_keys import closed, whole_text
from akm.tasks.files.task import Command, Script, Shell, Target, Workflow
from akm.workflow.parsing.fields import Field

COMMAND = "akm/command"
SHELLS = ("bash", "sh", "zsh", "pwsh", "powershell", "cmd")
_FORM = "must be `akm/command`, or a ref such as workflows/release, scripts/backup.sh or commands/report"
_ACTION = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_./-]+@[A-Za-z0-9_./-]+")
_NOT_RUNNABLE = {
    "tasks": "names a task, and no task starts another; name what that task runs",
    "agents": "names an agent, which cannot be executed; use `akm/command` with `agent:`",
}
_ONLY_WITH_RUN = "belongs to `run` only; remove it, or replace `uses`"


def target(entries: Mapping[str, Field], root_field: Field, *, bundle: str, root: Path) -> Target | None:
    """Read what the task runs; None after noting why that is not clear."""
    uses, run = entries.get("uses"), entries.get("run")
    if "with" in entries and (uses is None or uses.node.value != COMMAND):
        entries["with"].fail("is only read beside `uses: akm/command`; remove it, or declare `inputs`")
    if uses is not None and run is not None:
        second = max(uses, run, key=lambda field: field.line)
        second.fail("stands beside another target; keep exactly one of `uses` and `run`")
        return None
    if uses is not None:
        for key in ("shell", "working-directory"):
            if key in entries:
                entries[key].fail(_ONLY_WITH_RUN)
        return _used(uses, entries.get("with"), bundle)
    if run is not None:
        return _shell(run, entries, root)
    message = "The file says nothing to run; write exactly one of `uses` and `run`."
    root_field.report.error(root_field.line, message)
    return None


def _shell(run: Field, entries: Mapping[str, Field], root: Path) -> Shell | None:
    text = whole_text(run)
    shell = entries["shell"].choice(SHELLS) if "shell" in entries else None
    directory = None
    if "working-directory" in entries:
        directory = working_directory(entries["working-directory"], root)
    return None if text is None else Shell(text, shell, directory)


def _used(field: Field, given: Field | None, bundle: str) -> Target | None:
    if field.node.value == COMMAND:
        return _prose(field, given, bundle)
    ref = _ref(field, bundle)
    if ref is None:
        return None
    match ref.path.partition("/")[0]:
        case "commands":
            return Command(ref=str(ref))
        case "scripts":
            problem = interpreters.fault(ref.path)
            if problem:
                field.fail(problem)
                return None
            return Script(str(ref))
    return Workflow(str(ref))


def _prose(uses: Field, given: Field | None, bundle: str) -> Command | None:
    if given is None:
        uses.fail("needs `with`; write `with: { content: ... }` or `with: { ref: commands/report }`")
        return None
    entries = closed(given, ("ref", "content", "arguments"))
    if entries is None:
        return None
    if ("ref" in entries) == ("content" in entries):
        given.fail("must hold exactly one of `ref` and `content`")
        return None
    arguments = whole_text(entries["arguments"]) if "arguments" in entries else None
    if "content" in entries:
        return Command(content=whole_text(entries["content"]), arguments=arguments)
    ref = _ref(entries["ref"], bundle, folders=("commands",))
    return Command(ref=str(ref), arguments=arguments) if ref else None


def _ref(
    field: Field, bundle: str, folders: tuple[str, ...] = ("commands", "scripts", "workflows")
) -> ref_grammar.Ref | None:
    """Read a ref and qualify it: without a bundle it means the task's own."""
    text = field.text()
    if text is None:
        return None
    problem = _word_fault(str(field.node.value))
    ref = None if problem else _parsed(text)
    folder, _, name = ref.path.partition("/") if ref else ("", "", "")
    if ref is not None and folder in folders and name:
        return ref_grammar.Ref(ref.bundle or bundle, ref.path)
    if problem is None and _ACTION.fullmatch(text):
        problem = "looks like a GitHub Action, and those are not supported; write the command in `run`"
    form = _FORM if len(folders) > 1 else "must be a ref such as commands/report"
    field.fail(problem or _NOT_RUNNABLE.get(folder, form))
    return None


def _word_fault(text: str) -> str | None:
    if "${{" in text:
        return "must not hold `${{`, since expressions are not evaluated; write the ref itself"
    if any(char.isspace() or not char.isprintable() for char in text):
        return "must be one word without spaces; write the ref alone"
    return "must not hold `#` or `\\`; name the whole file" if "#" in text or "\\" in text else None


def _parsed(text: str) -> ref_grammar.Ref | None:
    try:
        return ref_grammar.parse(text)
    except UsageError:
        return None
