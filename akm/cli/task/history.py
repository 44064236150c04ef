"""`akm task history`: attempts to run tasks, newest first. `prune` in place of an id is its own command."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from akm.cli import durations, ledger, output
from akm.cli.lazy import COMMAND_CLASS, Command
from akm.cli.tables import Table
from akm.cli.task.times import local, took
from akm.errors import UsageError
from akm.ref_grammar import PROJECT
from akm.tasks.history import reading
from akm.views import task_history
from akm.views.task_history import Filters

Id = Annotated[str | None, typer.Argument(metavar="ID", help="Only this task: an id, or a ref.")]
IdFlag = Annotated[str | None, typer.Option("--id", metavar="ID", help="The same.")]
Since = Annotated[
    str | None, typer.Option("--since", metavar="TIME", help="Started at this time (UTC), or this long ago.")
]
Until = Annotated[
    str | None, typer.Option("--until", metavar="TIME", help="Started by this time (UTC), itself included.")
]
Status = Annotated[
    str | None, typer.Option("--status", metavar="STATUS", help="Only attempts of this status.")
]
Target = Annotated[
    str | None,
    typer.Option("--target", metavar="TARGET", help="Only this kind of target, or this workflow's full ref."),
]
Limit = Annotated[
    int, typer.Option("--limit", metavar="N", min=0, help="Show the newest this many; 0 for all.")
]

STATUSES = ("active", "blocked", "completed", "disabled", "failed", "interrupted", "missed")
KINDS = ("command", "script", "shell", "workflow")
_NEWEST = 50
#: How many characters of a local time stand before its offset.
_DATE_AND_TIME = 19


class HistoryCommand(Command):
    """The command of attempts, or the one that prunes them when its first word is `prune`."""

    def make_context(self, info_name: Any, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Hand over to `prune-history`; a task of that name is asked for with `--id`."""
        if args[:1] != ["prune"] or parent is None:
            return super().make_context(info_name, args, parent, **extra)
        command = parent.command.get_command(parent, "prune-history")
        return command.make_context(f"{info_name} prune", args[1:], parent=parent, **extra)


def history(
    id: Id = None,
    id_flag: IdFlag = None,
    since: Since = None,
    until: Until = None,
    status: Status = None,
    target: Target = None,
    limit: Limit = _NEWEST,
) -> None:
    """Show the attempts to run a task, or any task, newest first."""
    if id and id_flag and id != id_flag:
        raise UsageError("ID and --id name different tasks; give one of them.")
    if status and status not in STATUSES:
        raise UsageError(f"--status must be one of {', '.join(STATUSES)}.")
    now = time.time()
    bundle, task_id = _asked(id or id_flag)
    filters = Filters(
        task_id=task_id,
        bundle=bundle,
        since=None if not since else durations.moment(since, "--since", now),
        until=None if not until else durations.moment(until, "--until", now),
        status=status,
        target_kind=_kind(target),
        target_ref=None if target in KINDS else target,
        limit=limit if limit > 0 else _NEWEST,
    )
    with ledger.opened() as db:
        rows = task_history.query(db, filters, reading.reader(output.warn))
    output.show({"ok": True, "rows": rows}, render=lambda shown: _table(shown["rows"]), items="rows")


setattr(history, COMMAND_CLASS, HistoryCommand)


def _asked(name: str | None) -> tuple[str | None, str | None]:
    """Take a typed ref or id apart, the bundle as rows name it. Old rows may have ids that none is now."""
    if name is None:
        return None, None
    bundle, _, rest = name.rpartition("//")
    if bundle == PROJECT:
        from akm.engine import workplace

        bundle = str(workplace.here().anchor)
    return bundle or None, rest.removeprefix("tasks/").removesuffix(".yml").removesuffix(".md")


def _kind(target: str | None) -> str | None:
    """Return the kind that is meant: only workflows have refs."""
    return target if target in KINDS else "workflow" if target else None


def _table(rows: list[dict[str, Any]]) -> Iterator[str | Table]:
    starts = [local(row["startedAt"]) for row in rows]
    # One offset goes into the heading; where there are two, each row says which hour of a change it means.
    offsets = {start[_DATE_AND_TIME:] for start in starts}
    shared = offsets.pop() if len(offsets) == 1 else ""
    columns = (
        "task",
        "bundle",
        f"started{shared and f' ({shared.strip()})'}",
        "status",
        "took",
        "target",
        "result",
    )
    cells = [_cells(row, start.removesuffix(shared)) for row, start in zip(rows, starts, strict=True)]
    yield Table(columns, cells, "No attempts.")
    yield from _logs([Path(row["log"]) for row in rows if row["log"]])


def _cells(row: dict[str, Any], start: str) -> tuple[object, ...]:
    target = row["target"]
    return (
        row["id"],
        Path(row["bundle"]).name if row.get("bundle") else None,
        start,
        row["status"],
        None if row.get("open") else took(row["durationMs"]),
        target.get("ref") or target.get("engine") or target["kind"],
        _ending(row.get("detail", {})),
    )


def _ending(detail: dict[str, Any]) -> str | None:
    exit_code = detail.get("exitCode")
    words = [detail.get("reason") or detail.get("error"), None if exit_code is None else str(exit_code)]
    return " ".join(filter(None, words)) or None


def _logs(files: list[Path]) -> Iterator[str]:
    """Say where the logs are: one path by itself, else the folder, since a table has no room for paths."""
    if len(files) == 1:
        yield f"Log: {files[0]}"
    elif files:
        folder = os.path.commonpath([file.parent for file in files])
        yield f"Logs, each named by its start in UTC: {folder}"
