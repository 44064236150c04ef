"""`akm bundle add`: configure a folder as a bundle, or clone one from git."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from akm import paths
from akm.cli import output
from akm.cli.bundle import lines
from akm.errors import UsageError
from akm.spelling import counted

Words = Annotated[
    list[str],
    typer.Argument(
        metavar="[NAME] SOURCE", help="How refs name the bundle (optional), and a folder or git source."
    ),
]
Name = Annotated[
    str | None,
    typer.Option("--name", metavar="NAME", help="How refs name the bundle, as in NAME//workflows/x."),
]
Ref = Annotated[
    str | None, typer.Option("--ref", metavar="REF", help="The branch, tag or commit of a git source.")
]


def add(words: Words, name: Name = None, ref: Ref = None) -> None:
    """Add a folder, or a repository that is cloned with git, as a bundle.

    SOURCE is a folder, github:owner/repo, git+https://..., git+ssh://git@... or git+file:///..., with #ref
    after it for one branch, tag or commit. Nothing of what is cloned is run.
    """
    from akm.bundles import adding

    if len(words) > 2 or (len(words) == 2 and name is not None):
        raise UsageError("Give the bundle's source, and its name once: before the source or with --name.")
    named = words[0] if len(words) == 2 else name
    added = adding.add(words[-1], name=named, ref=ref, cwd=paths.working_directory())
    for warning in added.warnings:
        output.warn(warning)
    output.show({"ok": True, **added.shown()}, render=_lines)


def _lines(result: dict[str, Any]) -> Iterator[str]:
    bundle = result["bundle"]
    yield f"Bundle {bundle['name']} is {bundle['path']}, with {counted(bundle['workflows'], 'workflow')}."
    if "date" in result:
        yield f"It stands at commit {bundle['commit'][:12]} of {bundle['source']} ({result['date']})."
    yield from lines.contents(result["contents"])
