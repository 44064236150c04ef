"""`akm registry remove`: take a registry out of the user's configuration file."""

from __future__ import annotations

from typing import Annotated

import typer

from akm.cli import output
from akm.cli.registry import changes

Target = Annotated[str, typer.Argument(metavar="URL|NAME", help="The registry's name or its URL.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def remove(target: Target, yes: Yes = False) -> int:
    """Take a registry out of the user's configuration file; one that is built in is switched off there."""
    from akm.registry import registered, registration

    found = registered.find(target)
    if not yes and not output.confirmed(f"Remove the registry {found.name} ({found.url})?", instead="-y"):
        output.tell("Nothing was changed.")
        return 1
    change = registration.remove(found)
    changes.tell(change)
    output.show({"ok": True, **change.as_json(did="removed")}, render=lambda result: [result["message"]])
    return 0
