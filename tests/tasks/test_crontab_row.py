"""Rows: the command line of a fire, quoted for a shell and for cron."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from akm.tasks.files.task import Schedule, Shell, Task
from akm.tasks.schedulers import row, wrappers
from akm.tasks.schedulers.row import Installation

HERE = Installation("0a1b2c3d", ("/opt/a b/akm",), Path("/var/lo gs"), {"AKM_DATA_DIR": "/d 100%"})


def a_task(*triggers: Schedule) -> Task:
    root = Path("/team")
    return Task("nightly", "team", root / "tasks/nightly.yml", root, Shell("true"), schedules=triggers)


def rows(**inputs: Any) -> list[row.Row]:
    return row.rows(a_task(Schedule("0 3 * * MON", inputs)), HERE)


def test_a_line_holds_the_whole_fire() -> None:
    (made,) = rows()
    assert made.line == (
        "0 3 * * 1 AKM_DATA_DIR='/d 100\\%' '/opt/a b/akm' task run nightly --bundle team --scheduled "
        "> '/var/lo gs/team/nightly.log' 2>&1"
    )
    assert made.native_id == "team//tasks/nightly@0a1b2c3d"


def test_inputs_are_sorted_and_come_back_from_the_shell_as_they_are() -> None:
    values = {"b": "it's 5%", "a": "-x", "n": -3, "t": True, "l": [1, "é"], "e": ""}
    (made,) = rows(**values)
    command = made.line.removeprefix("0 3 * * 1 ").replace("\\%", "%").partition(" > ")[0]
    words = command.replace("'/opt/a b/akm'", "printf '%s\\n'")
    out = subprocess.run(["/bin/sh", "-c", words], capture_output=True, text=True, check=True).stdout
    flags = ["--a=-x", "--b", "it's 5%", "--e", "", "--l", '[1, "é"]', "--n", "-3", "--t", "true"]
    assert out.splitlines() == ["task", "run", "nightly", "--bundle", "team", "--scheduled", *flags]


def test_every_schedule_has_a_row_and_a_log_of_its_own() -> None:
    made = row.rows(a_task(Schedule("@daily"), Schedule("@reboot")), HERE)
    assert [one.native_id for one in made] == [
        "team//tasks/nightly@0a1b2c3d",
        "team//tasks/nightly+2@0a1b2c3d",
    ]
    assert "nightly+2.log" in made[1].command
    owners = [row.owner(one.native_id) for one in made]
    assert owners == [row.Owner("team//tasks/nightly", "0a1b2c3d")] * 2


@pytest.mark.parametrize(
    "native_id", ["nightly", "nightly@0a1b2c3d", "team//tasks/x", "team//tasks/x@nothex12"]
)
def test_what_others_wrote_has_no_owner(native_id: str) -> None:
    assert row.owner(native_id) is None


@pytest.mark.parametrize("value", ["x" * 2000, "two\nlines", "é" * 500])
def test_a_command_that_fits_no_line_becomes_a_script(tmp_path: Path, value: str) -> None:
    (made,) = rows(v=value)
    line, script = wrappers.fitting(made, tmp_path)
    assert script is not None
    assert len(line.encode()) < row.LONGEST_LINE
    wrappers.write(script, tmp_path)
    file = Path(shlex.split(line)[-1])
    assert file.read_text() == f"#!/bin/sh\n{made.command}\n"
    assert file.stat().st_mode & 0o777 == 0o600
    wrappers.sweep(tmp_path, line)
    assert file.exists()
    wrappers.sweep(tmp_path, "")
    assert not file.exists()


def test_a_command_that_fits_is_the_line_itself(tmp_path: Path) -> None:
    (made,) = rows(v="x" * 500)
    assert wrappers.fitting(made, tmp_path) == (made.line, None)
