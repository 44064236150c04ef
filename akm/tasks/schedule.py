"""When a schedule fires, in local time as cron keeps it. How an expression is written is the grammar's."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import islice, takewhile

from akm.tasks.files.schedule_grammar import ALIASES, REBOOT, SUBSET, check, fields

__all__ = ["ALIASES", "LOCAL", "REBOOT", "SUBSET", "check", "fires_between", "next_fires"]


class _Local(tzinfo):
    """The zone of this machine with all of its changes, where `astimezone()` gives one fixed offset."""

    def utcoffset(self, moment: datetime | None) -> timedelta | None:
        return None if moment is None else moment.replace(tzinfo=None).astimezone().utcoffset()

    def dst(self, moment: datetime | None) -> None:
        """Tell nothing: which part of the offset is daylight saving is of no use here."""

    def tzname(self, moment: datetime | None) -> str | None:
        return None if moment is None else moment.replace(tzinfo=None).astimezone().tzname()

    def fromutc(self, moment: datetime) -> datetime:
        return datetime.fromtimestamp(moment.replace(tzinfo=UTC).timestamp()).replace(tzinfo=self)


LOCAL: tzinfo = _Local()


def next_fires(expression: str, after: datetime, count: int, *, zone: tzinfo = LOCAL) -> list[datetime]:
    """List the next `count` fires later than `after`, in `zone`; none for `@reboot`.

    At a change of the clock a fire at a fixed time comes once: at the first minute after a gap, and the
    first of two equal times; what fires every so many minutes or hours follows the time that passes.
    Raises UsageError when the expression is not supported.
    """
    return list(islice(_fires(expression, after, zone), count))


def fires_between(
    expression: str, since: datetime, until: datetime, *, zone: tzinfo = LOCAL
) -> list[datetime]:
    """List the fires later than `since` up to and with `until`, in `zone`.

    Raises UsageError when the expression is not supported.
    """
    end = until.timestamp()
    return list(takewhile(lambda fire: fire.timestamp() <= end, _fires(expression, since, zone)))


def _fires(expression: str, after: datetime, zone: tzinfo) -> Iterator[datetime]:
    from cronsim import CronSim

    spelled = fields(check(expression))
    if spelled is None:
        return iter(())
    fires = CronSim(spelled, after.astimezone(zone))
    start = after.timestamp()
    return _rising(fires, start)


def _rising(fires: Iterator[datetime], start: float) -> Iterator[datetime]:
    # Cronsim starts at the time on the clock, so in an hour that comes twice it may look back.
    last = start
    for fire in fires:
        if fire.timestamp() > last:
            last = fire.timestamp()
            yield fire
