"""What a sync changes, and whose rows it never touches."""

from __future__ import annotations

from pathlib import Path

from akm.tasks.firing import sync_plan
from akm.tasks.schedulers.crontab_text import Block
from akm.tasks.schedulers.row import Row

MARK, OTHER = "0a1b2c3d", "ffffffff"


def a_row(id: str, bundle: str = "team") -> Row:
    ref = f"{bundle}//tasks/{id}"
    return Row(f"{ref}@{MARK}", ref, Path(f"/{bundle}/tasks/{id}.yml"), "@daily", f"run {id}")


def a_block(id: str, line: str, bundle: str = "team", mark: str = MARK) -> Block:
    return Block(f"{bundle}//tasks/{id}@{mark}", line, "")


def desired(*rows: Row) -> list[tuple[Row, str]]:
    return [(row, row.line) for row in rows]


def test_rows_are_sorted_into_what_is_new_changed_gone_and_as_it_should_be() -> None:
    blocks = [a_block("same", "@daily run same"), a_block("changed", "@hourly x"), a_block("gone", "x")]
    made = sync_plan.plan(blocks, desired(a_row("same"), a_row("changed"), a_row("new")), mark=MARK)
    assert (made.unchanged, made.updated) == ([f"team//tasks/same@{MARK}"], [f"team//tasks/changed@{MARK}"])
    assert (made.installed, made.removed) == ([f"team//tasks/new@{MARK}"], [f"team//tasks/gone@{MARK}"])
    assert made.lines[f"team//tasks/new@{MARK}"] == "@daily run new"


def test_a_disabled_row_that_should_fire_is_updated() -> None:
    made = sync_plan.plan([a_block("a", "# akm:disabled @daily run a")], desired(a_row("a")), mark=MARK)
    assert made.updated == [f"team//tasks/a@{MARK}"]


def test_rows_of_other_installations_and_of_others_stay() -> None:
    blocks = [a_block("a", "x", mark=OTHER), Block("nightly", "x", "")]
    assert sync_plan.plan(blocks, [], mark=MARK).removed == []


def test_rows_of_other_bundles_stay_when_one_bundle_is_named() -> None:
    blocks = [a_block("a", "x"), a_block("a", "x", bundle="mine")]
    assert sync_plan.plan(blocks, [], mark=MARK, bundle="mine").removed == [f"mine//tasks/a@{MARK}"]
    assert len(sync_plan.plan(blocks, [], mark=MARK).removed) == 2


def test_a_task_whose_file_is_not_sound_keeps_its_row() -> None:
    blocks = [a_block("bad", "x"), a_block("gone", "x")]
    made = sync_plan.plan(blocks, [], mark=MARK, keep={"team//tasks/bad"})
    assert made.removed == [f"team//tasks/gone@{MARK}"]


def test_of_two_rows_that_differ_by_case_neither_is_installed() -> None:
    made = sync_plan.plan([], desired(a_row("Nightly"), a_row("nightly"), a_row("other")), mark=MARK)
    assert made.installed == [f"team//tasks/other@{MARK}"]
    assert [failure.ref for failure in made.failures] == ["team//tasks/Nightly", "team//tasks/nightly"]
