"""`akm task add`: write a new task file and schedule it."""

from __future__ import annotations

from typing import Annotated

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
Engine = Annotated[str | None, typer.Option("--engine", metavar="NAME", help="The engine of --prompt.")]
Disabled = Annotated[bool, typer.Option("--disabled", help="Write the file, and leave it switched off.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite a task of that id.")]


def add(
    id: Id,
    schedule: When,
    workflow: Workflow = None,
    prompt: Prompt = None,
    command: Shell = None,
    bundle: Bundle = None,
    name: Name = None,
    description: Description = None,
    timeout: Timeout = None,
    engine: Engine = None,
    disabled: Disabled = False,
    force: Force = False,
) -> int:
    """Write a new task file, checked before it is written, and switch its schedule on."""
    from akm.cli import durations
    from akm.cli.task import sync_text
    from akm.tasks import adding, switching

    wish = adding.Wish(
        schedule=schedule,
        workflow=workflow,
        prompt=prompt,
        command=command,
        name=name,
        description=description,
        engine=engine,
        timeout_ms=None if timeout is None else durations.milliseconds(timeout, "--timeout"),
    )
    place = adding.add(id, wish, bundle=bundle, force=force)
    done = switching.switch(place.ref, is_on=not disabled)
    sync_text.warn(done["sync"])
    output.show(
        {"ok": not done["sync"]["failures"], "path": str(place.path), **done},
        render=lambda result: [f"Wrote {result['path']}.", *sync_text.lines(result["sync"])],
    )
    return int(bool(done["sync"]["failures"]))
