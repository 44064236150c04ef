"""What the installed command costs: starting up, listing, running a thousand units, and its memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from akm.store.opening import open_database
from akm.views import runs
from akm.views.runs import Filters
from tests.bench import large
from tests.bench.dispatches import migrated
from tests.bench.measure import Row, interleaved
from tests.bench.size import Size
from tests.builders import SCOPE

AKM = str(Path(sys.executable).with_name("akm"))
WIDTH = 4
_HEAD = "---\ntype: workflow\n"
ONE = (
    _HEAD + 'steps:\n  - id: only\n    unit: { exec: { command: ["true"] } }\n---\n# One\n\n## only\n\nOne.\n'
)
MANY = (
    _HEAD
    + "params: { items: { type: array } }\nbudget: { max_units: 100000 }\nsteps:\n  - id: many\n    map:\n"
    + f"      over: params.items\n      concurrency: {WIDTH}\n"
    + '      unit: { exec: { command: ["true"] } }\n---\n# Many\n\n## many\n\nMany.\n'
)
FLOOD = (
    _HEAD
    + "steps:\n  - id: shout\n    unit:\n      exec: { command: [sh, -c, 'COMMAND'] }\n"
    + "  - id: look\n    unit: { exec: { command: [sh, -c, 'grep VmHWM /proc/$PPID/status'] } }\n"
    + "---\n# Flood\n\n## shout\n\nShout.\n\n## look\n\nLook.\n"
)
TASK = 'version: 4\nrun: "true"\nschedule: "0 3 * * *"\n'
# The least a program can do that keeps so many processes going; with pipes, it collects their output as well.
LOOP = f"""
import os, subprocess, sys
pipe = subprocess.PIPE if sys.argv[2] == "pipes" else subprocess.DEVNULL
running = {{}}
for number in range(int(sys.argv[1])):
    if len(running) == {WIDTH}:
        process = running.pop(os.wait()[0])
        for stream in filter(None, (process.stdout, process.stderr)):
            stream.read()
            stream.close()
        process.returncode = 0
    process = subprocess.Popen(["true"], stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe)
    running[process.pid] = process
for process in running.values():
    process.wait()
"""


class Place:
    """Directories of akm's own, and one to stand in."""

    def __init__(self, root: Path) -> None:
        self.work = root / "work"
        self.work.mkdir(parents=True)
        self.database = migrated(root / "data" / "state.db")
        self.environment = {name: value for name, value in os.environ.items() if "AKM_" not in name}
        for kind in ("CONFIG", "DATA", "STATE", "CACHE"):
            self.environment[f"AKM_{kind}_DIR"] = str(root / kind.lower())

    def run(self, *command: str, **more: str) -> str:
        """Run a command to its end, which must be a good one; returns what it printed."""
        done = subprocess.run(
            command,
            cwd=self.work,
            env=self.environment | more,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=True,
            text=True,
        )
        return done.stdout


def starting(folder: Path, size: Size) -> Iterator[Row]:
    """Measure how long commands take against an interpreter that does nothing."""
    place = Place(folder / "starting")
    (place.work / "one.md").write_text(ONE)
    run_id = json.loads(place.run(AKM, "workflow", "run", "one.md"))["run"]["id"]
    with_tasks = _with_tasks(folder / "starting-tasks")
    python = sys.executable
    asked = {"_AKM_COMPLETE": "complete_bash", "COMP_WORDS": "akm work", "COMP_CWORD": "1"}
    commands: dict[str, tuple[Sequence[str], float]] = {
        "akm --version": ((AKM, "--version"), 1.15),
        "akm --help": ((AKM, "--help"), 6),
        "akm workflow list": ((AKM, "workflow", "list"), 7),
        "akm workflow status": ((AKM, "workflow", "status", run_id), 7),
        "akm log": ((AKM, "log"), 7),
        "akm task history": ((AKM, "task", "history"), 7),
        "akm task list": ((AKM, "task", "list"), 11),
        "akm task next": ((AKM, "task", "next"), 11),
        "akm workflow run, one step": ((AKM, "workflow", "run", "one.md", "--quiet"), 25),
        "akm db check": ((AKM, "db", "check"), 7),
    }
    acts = {
        name: lambda words=words, where=with_tasks if "akm task" in name else place: where.run(*words)
        for name, (words, _target) in commands.items()
    }
    acts["completion"] = lambda: place.run(AKM, **asked)
    acts["python"] = lambda: place.run(python, "-c", "pass")
    acts["step"] = lambda: place.run("true")
    medians = interleaved(acts, size.starts)
    empty = medians["python"]
    for name, (_words, target) in commands.items():
        own = medians["step"] if "one step" in name else 0
        note = f"{medians[name] * 1000:.0f} ms"
        yield Row(f"{name}, to python -c pass", (medians[name] - own) / empty, target, note=note)
    note = f"{medians['completion'] * 1000:.0f} ms"
    yield Row("completion, to python -c pass", medians["completion"] / empty, 6, note=note)


def _with_tasks(root: Path) -> Place:
    """Make a place with a bundle of ten tasks that are switched on, one of which has run."""
    place = Place(root)
    (root / "team/tasks").mkdir(parents=True)
    for number in range(10):
        (root / f"team/tasks/task-{number}.yml").write_text(TASK)
    refs = json.dumps([f"team//tasks/task-{number}" for number in range(10)])
    (root / "config").mkdir(exist_ok=True)
    (root / "config/config.toml").write_text(
        f'[bundles.team]\npath = "{root}/team"\n[scheduler]\nenabled = {refs}\n'
    )
    place.run(AKM, "task", "run", "task-1")
    return place


def listing(folder: Path, size: Size) -> Row:
    """Measure a list of the 50 newest of many runs against one of a hundred."""
    few = large.fill_runs(migrated(folder / "few.db"), 100)
    many = large.fill_runs(migrated(folder / "many.db"), size.runs)
    filters = Filters(SCOPE, limit=50)
    with open_database(few) as small, open_database(many) as big:
        medians = interleaved(
            {
                "few": lambda: [runs.listing(small, filters) for _time in range(20)],
                "many": lambda: [runs.listing(big, filters) for _time in range(20)],
            },
            size.starts,
        )
    what = f"list 50 of {size.runs:,} runs, to 50 of 100"
    return Row(what, medians["many"] / medians["few"], 2, note=f"{medians['many'] * 50:.1f} ms")


def many_units(folder: Path, size: Size) -> Iterator[Row]:
    """Measure a map of units that do nothing against a plain loop over the same processes."""
    place = Place(folder / "many-units")
    (place.work / "many.md").write_text(MANY)
    items = json.dumps(list(range(size.units)))
    count = str(size.units)
    medians = interleaved(
        {
            "akm": lambda: place.run(AKM, "workflow", "run", "many.md", "-p", f"items={items}", "--quiet"),
            "bare": lambda: place.run(sys.executable, "-c", LOOP, count, "null"),
            "pipes": lambda: place.run(sys.executable, "-c", LOOP, count, "pipes"),
        },
        max(1, size.repetitions - 2),
    )
    note = f"{medians['akm'] / size.units * 1000:.2f} ms a unit"
    what = f"{size.units:,} units of `true`, width {WIDTH}, to a loop"
    yield Row(f"{what} that takes their output", medians["akm"] / medians["pipes"], 1.5, note=note)
    yield Row(f"{what} that takes nothing", medians["akm"] / medians["bare"], None, note=note)


def memory(folder: Path, size: Size) -> Iterator[Row]:
    """Measure the driver's largest resident size while a unit prints without end."""
    for name, command in (
        ("text", f"yes abcdefghijklmnopqrstuvwxyz | head -c {size.flood_bytes}"),
        ("zeros", f"head -c {size.flood_bytes} /dev/zero"),
    ):
        place = Place(folder / f"flood-{name}")
        (place.work / "flood.md").write_text(FLOOD.replace("COMMAND", command))
        place.run(AKM, "workflow", "run", "flood.md", "--quiet")
        shown = json.loads(place.run(AKM, "workflow", "status", "flood.md"))
        said = next(step for step in shown["workflow"]["steps"] if step["id"] == "look")["evidence"]["output"]
        kilobytes = int(said.split("VmHWM:")[1].split()[0])
        what = f"memory of a run whose unit prints {size.flood_bytes / 1024**3:g} GB of {name}"
        yield Row(what, kilobytes / 1024, 120, unit="MB")
