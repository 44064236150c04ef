"""From a task file to the task that it means. What a grammar may hold is in the modules named grammar."""

from __future__ import annotations

from pathlib import Path

from akm.tasks.files import faults, grammar, ids, versions, yaml_text
from akm.tasks.files.task import Task
from akm.workflow.parsing.fields import Field
from akm.workflow.parsing.frontmatter import Node
from akm.workflow.parsing.report import Report


def read(path: Path, *, bundle: str, root: Path) -> Task:
    """Read one task file of version 4, whose id is its name without `.yml`.

    Raises UsageError `TASK_SOURCE_INVALID` or `TASK_SCHEMA_VERSION_UNSUPPORTED` with every fault, file and
    line, and NotFoundError `FILE_NOT_FOUND`.
    """
    return parse(yaml_text.load(path), path, bundle=bundle, root=root)


def parse(raw: bytes, path: Path, *, bundle: str, root: Path) -> Task:
    """Read the bytes of a task file; `path` gives the id, and the place in messages. Raises as `read`."""
    id = checked_id(path)
    return understood(yaml_text.tree(raw, path), path, id=id, bundle=bundle, root=root)


def understood(node: Node, path: Path, *, id: str, bundle: str, root: Path) -> Task:
    """Read the tree of a task file. Raises UsageError with every fault."""
    refusal = versions.refusal(node, path)
    if refusal is not None:
        raise refusal
    report = Report()
    task = grammar.task(_Root(node, report), id=id, bundle=bundle, path=path, root=root)
    if report.has_errors or task is None:
        raise faults.reported(path, report)
    return task


def checked_id(path: Path) -> str:
    """Return the id that a file's name gives. Raises UsageError `TASK_SOURCE_INVALID`."""
    if path.suffix != ids.ENDING:
        detail = f"the name must end in .yml, or the task is never run; rename it to {path.stem}.yml."
        raise faults.invalid(path, None, detail)
    problem = ids.fault(path.stem)
    if problem:
        raise faults.invalid(path, None, f"the id, which is the file's name, {problem}.")
    return path.stem


class _Root(Field):
    """The whole file, which has no path of its own."""

    @property
    def label(self) -> str:
        return f"`{self.path}`" if self.path else "the file"
