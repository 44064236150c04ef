"""A driver killed before or after any commit: the whole ledger comes to what an undisturbed run leaves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import campaign
import pytest
from histories import HISTORIES
from theatre import Theatre

from akm.services import rebuilding
from akm.store.opening import open_database

Point = tuple[str, int]
WHEN = ("before-commit", "after-commit")


def check(theatre: Theatre, name: str, calm: dict[str, Any], points: Iterable[Point]) -> None:
    """Kill the driver of a history at each of some points, go on, and compare the ledgers."""
    for point, number in points:
        theatre.clear(name)
        theatre.crash(name, point, number)
        theatre.finish(name)
        assert theatre.account(name) == calm, f"{point} {number}"
    with open_database(theatre.path, synchronous="normal") as db:
        assert rebuilding.rebuild_units(db) == (0, 0)


@pytest.mark.parametrize("name", HISTORIES)
def test_the_ledger_is_as_if_no_driver_had_been_killed(theatre: Theatre, name: str) -> None:
    commits = theatre.drive_calmly(name)
    drawn = campaign.draw(2 * commits)
    check(theatre, name, theatre.account(name), [(WHEN[one % 2], (one + 1) // 2) for one in drawn])


@pytest.mark.parametrize(
    ("name", "number"),
    [
        pytest.param("exhausted", 7, id="before its judge is asked in the last loop"),
        pytest.param("exhausted", 8, id="while it is asked"),
        pytest.param("missed", 5, id="before the miss of the last loop is written"),
        pytest.param("missed", 11, id="and again after a resume"),
        pytest.param("spent", 4, id="before it is written that the budget is used up"),
    ],
)
def test_between_the_last_unit_and_the_end_of_its_step_a_crash_grants_nothing(
    theatre: Theatre, name: str, number: int
) -> None:
    theatre.drive_calmly(name)
    check(theatre, name, theatre.account(name), [("after-commit", number)])
