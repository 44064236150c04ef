"""The tables of docs/states.md are walked: what each command does to each state, and the way out of each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from run_states import BUILDERS, build
from run_subject import Subject, keep, restore

from akm import states

PAGE = (Path(__file__).parents[2] / "docs/states.md").read_text()
SECTIONS = {"Runs": states.RUN, "Steps": states.STEP, "Attempts": states.ATTEMPT}
#: Nothing follows these, and nothing has to.
ENDS = (states.COMPLETED, states.SKIPPED)

Run = Callable[..., Any]
Row = dict[str, str]


def tables(section: str) -> tuple[list[Row], list[Row]]:
    """Read the two tables of a section: what its states mean, and what commands do to them."""
    text = PAGE.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    meanings, commands = (rows(block) for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE))
    return meanings, commands


def rows(block: str) -> list[Row]:
    head, _rule, *body = [[cell.strip() for cell in line.split("|")[1:-1]] for line in block.splitlines()]
    return [dict(zip((name.strip("`") for name in head), row, strict=True)) for row in body]


def about(state: str) -> Iterator[tuple[str, Row, Row]]:
    """Find the rows that speak of a run in a state, as (section, meaning, commands)."""
    for section in SECTIONS:
        for meaning, commands in zip(*tables(section), strict=True):
            assert meaning["state"] == commands["state"]
            if meaning.get("in a run that is", meaning["state"]) == state:
                yield section, meaning, commands


def seen(subject: Subject, section: str) -> str:
    look = {"Runs": subject.status, "Steps": subject.step, "Attempts": subject.attempt}
    return look[section]()


def ways_out(state: str) -> dict[tuple[str, ...], list[str]]:
    """Read which commands lead out of a state, with the sections that say so; an end needs none."""
    ways: dict[tuple[str, ...], list[str]] = {}
    for section, meaning, _commands in about(state):
        way = tuple(re.findall(r"`(.+?)`", meaning["way out"]))
        assert way or meaning["recorded as"] in ENDS, section
        if way:
            ways.setdefault(way, []).append(section)
    return ways


def type_command(subject: Subject, command: str) -> int:
    """Type a command of the tables about the subject; returns its exit status."""
    verb, *flags = command.split()
    more = ["--from", subject.step_id] if verb == "fork" else []
    return int(subject.run("workflow", verb, subject.run_id, *flags, *more).status)


def test_every_state_has_a_row_and_every_row_a_run_to_show_it() -> None:
    for section, known in SECTIONS.items():
        meanings, _commands = tables(section)
        assert {row["recorded as"] for row in meanings} == set(known), section
        shown = {row.get("in a run that is", row["state"]) for row in meanings}
        assert shown <= BUILDERS.keys(), section


@pytest.mark.parametrize("state", BUILDERS)
def test_commands_do_what_the_tables_say(state: str, home: Path, run: Run, migrated: Path) -> None:
    subject = build(state, home, run, migrated)
    found = list(about(state))
    assert found
    for section, meaning, _commands in found:
        assert seen(subject, section).split()[0] == meaning["recorded as"], section
    commands = [name for name in found[0][2] if name != "state"]
    kept = keep(subject)
    walked: dict[str, Row] = {section: {} for section, _meaning, _commands in found}
    try:
        for command in commands:
            subject = _again(state, subject, kept, migrated)
            status = type_command(subject, command)
            for section in walked:
                walked[section][command] = f"{status} {seen(subject, section)}"
    finally:
        subject.end()
    for section, _meaning, told in found:
        assert walked[section] == {name: told[name] for name in commands}, section


def _again(state: str, subject: Subject, kept: Path, migrated: Path) -> Subject:
    """Bring the subject back to its state; a living driver cannot be brought back from a copy."""
    if not subject.drivers:
        return restore(subject, kept)
    # A driver that was cancelled has let go of its run a moment before its process ends.
    is_running = subject.attempt().startswith(states.RUNNING)
    if is_running and subject.is_driven() and subject.status() == states.ACTIVE:
        return subject
    subject.end()
    return build(state, subject.home, subject.run, migrated)


@pytest.mark.parametrize("state", ["paused", "interrupted"])
def test_people_read_the_word_of_the_page_for_a_run_that_nobody_drives(
    state: str, home: Path, run: Run, migrated: Path
) -> None:
    subject = build(state, home, run, migrated)
    (row,) = run("workflow", "list", "--format", "text").out.splitlines()[1:2]
    assert row.split()[2] == state
    shown = run("workflow", "status", subject.run_id, "--format", "text").out
    assert f"status    {state} (active, and nobody is driving it)" in shown
    listed = run("workflow", "list").result["runs"][0]
    assert (listed["interrupted"], listed["attemptsOpen"]) == (True, state == "interrupted")


@pytest.mark.parametrize("state", BUILDERS)
def test_every_state_has_a_way_out(state: str, home: Path, run: Run, migrated: Path) -> None:
    for way, sections in ways_out(state).items():
        subject = build(state, home, run, migrated)
        try:
            for command in way[:-1]:
                assert type_command(subject, command) == 0, command
            subject.put_right()
            assert type_command(subject, way[-1]) == 0, way[-1]
            assert {seen(subject, section).split()[0] for section in sections} == {states.COMPLETED}
            assert subject.status() == states.COMPLETED
        finally:
            subject.end()
