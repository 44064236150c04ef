"""Writing a new workflow file: compiled first, written atomically, never over another one by accident."""

from __future__ import annotations

import os
import re
from pathlib import Path

from akm import paths
from akm.engine import sources
from akm.engine.files import file_text
from akm.engine.workplace import Workplace
from akm.errors import UsageError
from akm.workflow.parsing.compile import compile
from akm.workflow.template import TEMPLATE

_NAME = re.compile(r"[a-z0-9][a-z0-9._/-]*\Z")


def create(
    work: Workplace, name: str, *, folder: str | None = None, text: str | None = None, force: bool = False
) -> dict[str, str]:
    """Write `workflows/<folder>/<name>.md` of this place and return {ref, path, bundleDir}.

    `text` is the file's text, else the template. Raises UsageError for a bad name, an existing file
    (RESOURCE_ALREADY_EXISTS) and a path that leaves the folder, WorkflowSourceError for a text that does
    not compile; nothing is written then.
    """
    relative = _relative(name, folder)
    home = work.anchor / "workflows"
    target = home / f"{relative}.md"
    if not Path(os.path.realpath(target.parent)).is_relative_to(os.path.realpath(home)):
        raise UsageError(f"{target.parent} leads out of the workflows folder.", code="PATH_ESCAPE_VIOLATION")
    content = (TEMPLATE if text is None else _typed(text)).encode()
    compiled = compile(content, name=target.name, root=work.anchor)
    if compiled.document is None:
        raise sources.broken(target, compiled.findings)
    if not force:
        _refuse_existing(target)
    _write(target, content)
    source = sources.find(work, str(target))
    return {"ref": source.ref, "path": str(target), "bundleDir": str(work.anchor)}


def _relative(name: str, folder: str | None) -> str:
    if name.lower().endswith((".yml", ".yaml")):
        raise UsageError(f"{name} is no name for a workflow; workflows are Markdown files.")
    bare = name.removesuffix(".md")
    if "/" in bare:
        raise UsageError(f"{name} holds a slash; give the folder with --path.")
    relative = f"{folder.rstrip('/')}/{bare}" if folder else bare
    if bare == "readme":
        raise UsageError(f"{name} is no name for a workflow; a README.md never is one.")
    if ".." in relative.split("/") or relative.startswith("/"):
        raise UsageError(f"{relative} leaves the workflows folder.", code="PATH_ESCAPE_VIOLATION")
    if not _NAME.match(relative):
        raise UsageError(
            f"{relative} is no name for a workflow; use small letters, digits, hyphens, dots and underscores."
        )
    return relative


def _typed(text: str) -> str:
    """Make sure that the frontmatter names its type, so that the file says what it is."""
    head, _, rest = text.partition("\n")
    block = rest.split("\n---", 1)[0]
    if head.strip() != "---" or re.search(r"^type\s*:", block, re.MULTILINE):
        return text
    return f"{head}\ntype: workflow\n{rest}"


def _refuse_existing(target: Path) -> None:
    folder = target.parent
    names = os.listdir(folder) if folder.is_dir() else []
    taken = next((name for name in names if name.lower() == target.name.lower()), None)
    if taken is not None:
        raise UsageError(
            f"{folder / taken} exists already.",
            code="RESOURCE_ALREADY_EXISTS",
            hint="Choose another name, or overwrite it with --force.",
        )


def _write(target: Path, content: bytes) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        file_text.replace(target, content)
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {error.strerror}.") from error


def given_text(cwd: Path, file: str) -> str:
    """Read the text for a new workflow from a file. Raises UsageError when it is not UTF-8 text."""
    try:
        return sources.read(paths.absolute(file, cwd)).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} is not UTF-8 text.") from error
