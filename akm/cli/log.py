"""`akm log`: the ledger's events, oldest first."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from akm import config
from akm.cli import durations, ledger, output
from akm.cli.tables import Table
from akm.cli.unit_ids import short
from akm.engine import reports
from akm.errors import UsageError
from akm.store.database import Database
from akm.views import events, runs
from akm.views.events import EventFilters


def _run_ids(incomplete: str) -> list[str]:
    from akm.cli import completion

    return completion.runs(incomplete)


Run = Annotated[
    str | None,
    typer.Option("--run", metavar="RUN", autocompletion=_run_ids, help="Only this run's events."),
]
Type = Annotated[str | None, typer.Option("--type", metavar="TYPE", help="Only events of this type.")]
Ref = Annotated[str | None, typer.Option("--ref", metavar="REF", help="Only events of this workflow.")]
Since = Annotated[
    str | None,
    typer.Option("--since", metavar="TIME", help="From this time (UTC), this long ago, or after @offset:ID."),
]
Limit = Annotated[
    int | None,
    typer.Option(
        "--limit", metavar="N", min=1, help="Show the newest this many: 200, or all of them after @offset:ID."
    ),
]
Follow = Annotated[bool, typer.Option("--follow", "-f", help="Go on showing events as they happen.")]

_OFFSET = "@offset:"
_PAUSE_SECONDS = 0.25
_NEWEST = 200
_ALL = -1
_INTERRUPTED = 130


def log(
    run: Run = None,
    type: Type = None,
    ref: Ref = None,
    since: Since = None,
    limit: Limit = None,
    follow: Follow = False,
) -> int:
    """Show what happened, from the ledger: ids, statuses and counts, oldest first."""
    layers = config.read()
    with ledger.opened(layers) as db:
        filters = EventFilters(
            event_type=type,
            run_id=None if run is None else runs.resolve(db, run),
            ref=None if ref is None else reports.ref_filter(layers, ref)[0],
            limit=_NEWEST if limit is None else limit,
        )
        filters = _since(filters, since)
        if limit is None and filters.after:
            # Whoever goes on from a cursor would never hear of those that a limit leaves out.
            filters = filters._replace(limit=_ALL)
        if follow:
            return _follow(db, filters)
        found, cursor = events.log(db, filters)
    output.show(_result(filters, found, cursor), render=_lines, items="events")
    return 0


def _since(filters: EventFilters, text: str | None) -> EventFilters:
    if text is None:
        return filters
    if not text.startswith(_OFFSET):
        return filters._replace(since=durations.moment(text, "--since", time.time()))
    digits = text.removeprefix(_OFFSET)
    if not (digits.isascii() and digits.isdigit() and len(digits) < 19):
        raise UsageError("--since @offset: needs the id of an event, a whole number.")
    return filters._replace(after=int(digits))


def _result(filters: EventFilters, found: list[dict[str, Any]], cursor: int) -> dict[str, Any]:
    asked = {"run": filters.run_id, "type": filters.event_type, "ref": filters.ref, "since": filters.since}
    return {
        "ok": True,
        "schemaVersion": 1,
        "totalCount": len(found),
        **{name: value for name, value in asked.items() if value is not None},
        "nextOffset": cursor,
        "events": found,
        "results": found,
    }


def _lines(result: dict[str, Any]) -> Iterator[str | Table]:
    for event in result["events"]:
        yield line(event)
    if not result["events"]:
        yield "No events."


def line(event: dict[str, Any]) -> str:
    """Render one event for people."""
    metadata = event.get("metadata", {})
    about = " ".join(
        f"{name}={str(value)[:8] if name == 'runId' else short(str(value))}"
        for name, value in metadata.items()
        if name != "dispatchId"
    )
    return f"{event['ts']}  {event['eventType']:<24} {about}"


def _follow(db: Database, filters: EventFilters) -> int:
    """Print events as they come, one line each, until interrupted; that is how it is meant to end."""
    # Before the first look, so that nothing can happen in between.
    last = events.last_id(db)
    try:
        found, cursor = events.log(db, filters)
        while True:
            for event in found:
                output.stream(event, line)
            time.sleep(_PAUSE_SECONDS)
            found, cursor = events.log(db, filters._replace(after=max(cursor, last), limit=_ALL))
    except KeyboardInterrupt:
        return _INTERRUPTED
