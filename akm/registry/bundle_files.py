"""The assets in a bundle's folders, as an index tells of them. Never what is kept secret there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from akm.registry.index_format import Asset
from akm.workflow.parsing import frontmatter, source
from akm.workflow.parsing.report import Report
from akm.workflow.parsing.yaml_faults import YamlFault

_IGNORED = {"__pycache__", "node_modules"}


class _Kind(NamedTuple):
    """Which files of a folder are assets of a type; with `names_folder` the folder gives the name."""

    type: str
    pattern: str
    keeps_ending: bool = False
    names_folder: bool = False


#: `env/`, `secrets/` and `vaults/` hold what must not be published, so that not even their names are told.
FOLDERS: Final = {
    "agents": _Kind("agent", "*.md"),
    "commands": _Kind("command", "*.md"),
    "knowledge": _Kind("knowledge", "*.md"),
    "memories": _Kind("memory", "*.md"),
    "scripts": _Kind("script", "*", keeps_ending=True),
    "skills": _Kind("skill", "SKILL.md", names_folder=True),
    "tasks": _Kind("task", "*.yml"),
    "wikis": _Kind("wiki", "*.md"),
    "workflows": _Kind("workflow", "*.md"),
}


def is_bundle(folder: Path) -> bool:
    """Tell whether the folder holds one of the folders that assets lie in."""
    return any((folder / name).is_dir() for name in FOLDERS)


def assets(bundle: Path) -> list[Asset]:
    """List a bundle's assets by type and name; a file whose frontmatter cannot be read has a name only."""
    return [
        _asset(kind, path, bundle / folder)
        for folder, kind in FOLDERS.items()
        for path in sorted(_files(bundle / folder, kind.pattern))
    ]


def metadata(path: Path) -> tuple[dict[str, Any], str]:
    """Return a file's frontmatter, or the values of a YAML file, and the text below it.

    Both are empty for a file that cannot be read.
    """
    report = Report()
    try:
        lines = source.decode(path.read_bytes(), report)
    except OSError:
        return {}, ""
    if lines is None:
        return {}, ""
    if path.suffix == ".yml":
        return _values("\n".join(lines)), ""
    split = source.split(lines, report)
    return (_values(split.frontmatter), "\n".join(split.body)) if split else ({}, "\n".join(lines))


def one_line(value: Any) -> str:
    """Return text without its line breaks; empty for what is no text."""
    return " ".join(value.split()) if isinstance(value, str) else ""


def texts(value: Any) -> list[str]:
    """Return the texts in a list, or the words of a text with commas; empty for anything else."""
    items = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    return [text for item in items if (text := one_line(item))]


def _files(folder: Path, pattern: str) -> Iterator[Path]:
    for path in folder.rglob(pattern):
        parts = path.relative_to(folder).parts
        is_hidden = any(part.startswith(".") or part in _IGNORED for part in parts)
        if path.is_file() and not is_hidden and path.name.lower() != "readme.md":
            yield path


def _asset(kind: _Kind, path: Path, folder: Path) -> Asset:
    named = path.parent if kind.names_folder else path if kind.keeps_ending else path.with_suffix("")
    asset = Asset(type=kind.type, name=named.relative_to(folder).as_posix())
    told = {} if kind.keeps_ending else metadata(path)[0]
    if description := one_line(told.get("description")):
        asset["description"] = description
    if tags := texts(told.get("tags")):
        asset["tags"] = tags
    return asset


def _values(text: str) -> dict[str, Any]:
    try:
        found = frontmatter.plain(frontmatter.compose(text))
    except YamlFault:
        return {}
    return found if isinstance(found, dict) else {}
