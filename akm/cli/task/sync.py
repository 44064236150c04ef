"""`akm task sync`: make the scheduler fire what is switched on."""

from __future__ import annotations

from typing import Annotated

import typer

from akm.cli import output

Bundle = Annotated[
    str | None, typer.Option("--bundle", metavar="NAME", help="Only the tasks of this bundle.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would change, and change nothing.")]


Rebind = Annotated[bool, typer.Option("--rebind", help="Take over what another installation fires as well.")]


def sync(bundle: Bundle = None, dry_run: DryRun = False, rebind: Rebind = False) -> int:
    """Bring this installation's rows in the user's crontab up to date."""
    from akm.cli.task import sync_text
    from akm.tasks.firing import sync as syncing
    from akm.tasks.schedulers import lock

    if dry_run:
        done = syncing.sync(bundle=bundle, dry_run=True, rebind=rebind)
    else:
        with lock.held():
            done = syncing.sync(bundle=bundle, rebind=rebind)
    sync_text.warn(done)
    output.show(done, render=sync_text.lines)
    return int(bool(done["failures"]) or (dry_run and bool(done["removed"])))
