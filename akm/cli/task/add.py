"""`akm task add`: write a new task file and schedule it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from akm.cli import output

Id = Annotated[str, typer.Argument(metavar="ID", help="What the task is called, such as nightly.")]
When = Annotated[str, typer.Option("--schedule", metavar="S", help='When, such as "0 3 * * *" or @daily.')]
Workflow = Annotated[str | None, typer.Option("--workflow", metavar="REF", help="Run this workflow.")]
Prompt = Annotated[str | None, typer.Option("--prompt", metavar="TEXT", help="Hand this text to an engine.")]
Shell = Annotated[str | None, typer.Option("--command", metavar="SHELL", help="Run this in a shell.")]
Bundle = Annotated[str | None, typer.Option("--bundle", metavar="NAME", help="The bundle it goes into.")]
Name = Annotated[str | None, typer.Option("--name", metavar="TEXT", help="Its title for people.")]
Description = Annotated[str | None, typer.Option("--description", metavar="TEXT", help="What it is for.")]
Timeout = Annotated[str | None, typer.Option("--timeout", metavar="TIME", help="Stop it after, as in 90s.")]
WhenToUse = Annotated[
    str | None, typer.Option("--when-to-use", metavar="TEXT", help="When to run it by hand.")
]
Tags = Annotated[str | None, typer.Option("--tags", metavar="A,B", help="Words to find it by.")]
Params = Annotated[
    str | None, typer.Option("--params", metavar="JSON", help="An object: inputs with these defaults.")
]
Engine = Annotated[str | None, typer.Option("--engine", metavar="NAME", help="The engine of --prompt.")]
Model = Annotated[str | None, typer.Option("--model", metavar="NAME", help="The model of --prompt.")]
Disabled = Annotated[bool, typer.Option("--disabled", help="Write the file, and leave it switched off.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite a task of that id.")]
Rebind = Annotated[bool, typer.Option("--rebind", help="Take over what another installation fires as well.")]


def add(
    id: Id,
    schedule: When,
    workflow: Workflow = None,
    prompt: Prompt = None,
    command: Shell = None,
    bundle: Bundle = None,
    name: Name = None,
    description: Description = None,
    when_to_use: WhenToUse = None,
    tags: Tags = None,
    params: Params = None,
    timeout: Timeout = None,
    engine: Engine = None,
    model: Model = None,
    disabled: Disabled = False,
    force: Force = False,
    rebind: Rebind = False,
) -> int:
    """Write a new task file, checked before it is written, and switch its schedule on."""
    from akm.cli import durations
    from akm.cli.task import sync_text
    from akm.tasks import adding
    from akm.tasks.files import params as plain
    from akm.tasks.files.wishes import Wish

    wish = Wish(
        schedule=schedule,
        workflow=workflow,
        prompt=prompt,
        command=command,
        name=name,
        description=description,
        when_to_use=when_to_use,
        tags=[tag for part in (tags or "").split(",") if (tag := part.strip())],
        params={} if params is None else plain.read(params, "--params"),
        engine=engine,
        model=model,
        timeout_ms=None if timeout is None else durations.milliseconds(timeout, "--timeout"),
    )
    done = adding.add(id, wish, bundle=bundle, is_on=not disabled, force=force, rebind=rebind)
    sync_text.warn(done["sync"])
    output.show({"ok": not done["sync"]["failures"], **done}, render=_lines)
    return int(bool(done["sync"]["failures"]))


def _lines(result: dict[str, Any]) -> Iterator[str]:
    from akm.cli.task import sync_text

    yield f"Wrote {result['path']}."
    yield from sync_text.lines(result["sync"])
    if result["enabled"] and result["sync"]["failures"]:
        yield f"{result['ref']} is enabled; once that is mended, akm task sync puts the rest in place."
