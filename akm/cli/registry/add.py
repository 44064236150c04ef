"""`akm registry add`: another registry in the user's configuration file."""

from __future__ import annotations

from typing import Annotated

import typer

from akm.cli import output
from akm.cli.registry import changes
from akm.errors import UsageError

Url = Annotated[
    str, typer.Argument(metavar="URL", help="Its https URL: that of its index, or of its search.")
]
Name = Annotated[str | None, typer.Option("--name", metavar="NAME", help="What it is called. [its host]")]
Provider = Annotated[
    str, typer.Option("--provider", metavar="NAME", help="Who reads its answers: static-index or skills-sh.")
]
Options = Annotated[str, typer.Option("--options", metavar="JSON", help="Options of the provider, if any.")]
Insecure = Annotated[bool, typer.Option("--allow-insecure", help="Take an http URL too.")]
Private = Annotated[bool, typer.Option("--allow-private", help="Its host may be in a private network.")]


def add(
    url: Url,
    name: Name = None,
    provider: Provider = "static-index",
    options: Options = "{}",
    allow_insecure: Insecure = False,
    allow_private: Private = False,
) -> None:
    """Add a registry to the user's configuration file, beside those that are there."""
    from akm.registry import registration

    _refuse_options(options, provider)
    change = registration.add(
        url, name=name, provider=provider, allow_insecure=allow_insecure, allow_private=allow_private
    )
    changes.tell(change)
    output.show({"ok": True, **change.as_json(did="added")}, render=lambda result: [result["message"]])


def _refuse_options(text: str, provider: str) -> None:
    import json

    try:
        options = json.loads(text)
    except ValueError:
        options = None
    if not isinstance(options, dict):
        raise UsageError("--options needs a JSON object, such as '{}'.")
    if options:
        raise UsageError(f"The provider {provider} has no options: leave {', '.join(options)} out.")
