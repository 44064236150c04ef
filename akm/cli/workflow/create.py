"""`akm workflow create`: a new workflow file."""

from __future__ import annotations

from typing import Annotated

import typer

from akm.cli import output

Name = Annotated[str, typer.Argument(metavar="NAME", help="Its name, such as release.")]
Folder = Annotated[str | None, typer.Option("--path", metavar="DIR", help="A folder below workflows/.")]
From = Annotated[str | None, typer.Option("--from", metavar="FILE", help="Take the text of this file.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite a file of that name.")]
Print = Annotated[bool, typer.Option("--print", help="Print the template and write nothing.")]


def create(
    name: Name, path: Folder = None, from_: From = None, force: Force = False, print_: Print = False
) -> None:
    """Write a new workflow file into workflows/ of this project; it is checked before it is written."""
    from akm.cli.workflow import surroundings
    from akm.engine.files import creating

    work = surroundings.here()
    text = None if from_ is None else creating.given_text(work.cwd, from_)
    if print_:
        from akm.workflow.template import TEMPLATE

        output.raw(TEMPLATE if text is None else text)
        return
    made = creating.create(work, name, folder=path, text=text, force=force)
    output.show(
        {"ok": True, **made},
        render=lambda result: [f"Wrote {result['path']}. Check it: akm workflow lint {result['path']}"],
    )
