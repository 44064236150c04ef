"""Checking workflow files: every finding of every file, and what a run would still miss."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from akm import paths
from akm.engine import sources
from akm.engine.workplace import Workplace
from akm.errors import AkmError, ConfigError
from akm.refs import Source
from akm.workflow.parsing.compile import compile
from akm.workflow.parsing.document import Document
from akm.workflow.parsing.findings import Finding


@dataclass(frozen=True, slots=True)
class Checked:
    """One checked file and its findings, in file order."""

    path: Path
    findings: tuple[Finding, ...]

    @property
    def is_sound(self) -> bool:
        """Tell whether the file can be run as far as the file itself is concerned."""
        return not any(finding.is_error for finding in self.findings)


def lint(work: Workplace, targets: Sequence[str]) -> list[Checked]:
    """Check files, folders (every workflow below them) and refs; without any, the workflows of this place."""
    if not targets:
        # A bundle may be this very place, and no file is to be told of twice.
        folders = dict.fromkeys(root / "workflows" for root in (work.anchor, *work.bundles.values()))
        return [one for folder in folders if _is_there(folder) for one in _folder(work, folder)]
    found: list[Checked] = []
    for target in targets:
        place = paths.absolute(target, work.cwd)
        is_folder = os.path.isdir(place)
        found.extend(_folder(work, place) if is_folder else [_file(work, _source(work, target, place))])
    return found


def _is_there(folder: Path) -> bool:
    return os.path.isdir(folder) or paths.is_shut(folder)


def _folder(work: Workplace, folder: Path) -> Iterator[Checked]:
    unread: list[OSError] = []
    names = (
        Path(place, name) for place, _, files in os.walk(folder, onerror=unread.append) for name in files
    )
    for path in sorted(path for path in names if path.name.endswith(".md")):
        if path.name.lower() == "readme.md" or not os.path.isfile(path):
            continue
        if not os.access(path, os.R_OK):
            yield _unread(work, path, os.strerror(errno.EACCES), "error")
        elif not _is_prose(path):
            checked = _file(work, _source(work, str(path), path))
            # A folder may hold other Markdown; a file that was named itself is always answered for.
            if not any(finding.code == "not-a-workflow" for finding in checked.findings):
                yield checked
    for error in unread:
        # What is named must be looked at; what lies deeper may be anybody's.
        severity = "error" if error.filename == str(folder) else "warning"
        yield _unread(work, Path(error.filename), str(error.strerror), severity)


def _unread(work: Workplace, path: Path, reason: str, severity: str) -> Checked:
    finding = Finding(1, "unreadable", f"This cannot be read: {reason}.", None, severity)
    return Checked(_shown(path, work.cwd), (finding,))


def _is_prose(path: Path) -> bool:
    """Tell whether a file is plain Markdown: without frontmatter, and in no folder of workflows."""
    if any(part.startswith("workflows") for part in path.parent.parts):
        return False
    with path.open("rb") as file:
        return not file.read(6).removeprefix(b"\xef\xbb\xbf").startswith(b"---")


def _source(work: Workplace, target: str, path: Path) -> Source:
    if os.path.isfile(path) and path.suffix.lower() != ".md":
        return Source(str(path), path, path.parent, "")
    return sources.find(work, target)


def _file(work: Workplace, source: Source) -> Checked:
    compiled = compile(sources.read(source.path), name=source.path.name, root=source.root)
    findings = list(compiled.findings)
    if compiled.document is not None:
        findings.extend(_freezing(work, source, compiled.document))
    return Checked(_shown(source.path, work.cwd), tuple(sorted(findings, key=lambda one: one.line)))


def _freezing(work: Workplace, source: Source, document: Document) -> Iterator[Finding]:
    """Freeze the file to learn what a run would miss; configuration is no fault of the file."""
    try:
        frozen = sources.frozen(work, sources.Loaded(source, document, ()), strict=False)
    except ConfigError as error:
        yield Finding(1, "configuration", error.message, error.hint, "warning")
    except AkmError as error:
        yield Finding(1, (error.code or "invalid-markdown-workflow").lower(), error.message, error.hint)
    else:
        for warning in frozen.warnings:
            yield Finding(1, "configuration", warning, None, "warning")


def _shown(path: Path, cwd: Path) -> Path:
    relative = Path(os.path.relpath(path, cwd))
    return path if relative.parts[:1] == ("..",) else relative
