"""What the installed command costs once it has started: listing, running a thousand units, its memory."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from akm.store.opening import open_database
from akm.views import runs
from akm.views.runs import Filters
from tests.bench import large
from tests.bench.dispatches import migrated
from tests.bench.measure import Row, interleaved
from tests.bench.place import AKM, Place
from tests.bench.size import Size
from tests.builders import SCOPE

WIDTH = 4
_HEAD = "---\ntype: workflow\n"
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
