"""`akm task run`: run a task now, whether it is enabled or not, and keep how it went."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from akm.cli import options, output, parameters

if TYPE_CHECKING:
    from akm.tasks.execution.attempt import Opened
    from akm.tasks.files.task import Task

Name = Annotated[str, typer.Argument(metavar="TASK", help="A task's id or ref.")]
Bundle = Annotated[
    str | None, typer.Option("--bundle", metavar="NAME", help="The bundle that the task is in.")
]
Scheduled = Annotated[bool, typer.Option("--scheduled", help="Say that a schedule started this.")]
Skip = Annotated[
    bool, typer.Option("--skip-if-running", help="Exit 0 when another run of the task is under way.")
]


@options.takes_parameters
def run(
    ctx: typer.Context,
    name: Name,
    bundle: Bundle = None,
    scheduled: Scheduled = False,
    skip_if_running: Skip = False,
) -> int:
    """Run a task to its end and write it down in the history.

    Give inputs as -p name=value, or as --name value after the task.
    """
    from akm.cli import ledger
    from akm.cli.workflow import surroundings
    from akm.tasks import catalog
    from akm.tasks.execution import inputs, search_path
    from akm.tasks.execution import run as running

    work = surroundings.here()
    task = catalog.find(name, bundles=work.bundles, anchor=work.anchor, bundle=bundle)
    bound = inputs.bind(task, parameters.given(ctx))

    def opened() -> Any:
        return ledger.opened(work.layers)

    if skip_if_running and _is_skipped(opened, task):
        return 0
    environment = search_path.completed(os.environ, is_scheduled=scheduled)
    around = running.surroundings(opened, work, environment=environment, announce=output.warn)
    result = running.run(task, around, inputs=bound.values)
    output.show(result.shown(), render=_lines)
    return result.exit_status


def _is_skipped(opened: Opened, task: Task) -> bool:
    from akm.tasks.execution import running

    with opened() as db:
        started_at = running.since(db, task)
    if started_at is None:
        return False
    message = f"Task {task.id} is running already, since {started_at}."
    output.show(
        {"ok": True, "task": task.id, "skipped": {"reason": "running", "message": message}},
        render=lambda _result: [f"Skipped: {message}"],
    )
    return True


def _lines(shown: dict[str, Any]) -> Iterator[str]:
    result = shown["result"]
    detail = result.get("detail") or {}
    reason = f" ({detail['reason']})" if detail.get("reason") else ""
    yield f"Task {result['id']} is {result['status']}{reason} after {result['durationMs'] / 1000:.1f} s."
    if detail.get("exitCode"):
        yield f"It exited {detail['exitCode']}."
    yield from result.get("notices", ())
    if result["log"]:
        yield f"See its log: {result['log']}"
