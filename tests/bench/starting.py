"""What it costs to start the installed command, against an interpreter that does nothing."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tests.bench.measure import Row, interleaved
from tests.bench.place import AKM, Place
from tests.bench.size import Size
from tests.cli.registry_places import INDEX
from tests.serving import Server

ONE = """---
type: workflow
steps:
  - id: only
    unit: { exec: { command: ["true"] } }
---
# One

## only

One.
"""
TASK = 'version: 4\nrun: "true"\nschedule: "0 3 * * *"\n'
#: Verbs that work for as long as they do, and the most that each may take; None: none was set.
VERBS: dict[str, float | None] = {
    "--version": 1.15,
    "--help": 6,
    "workflow list": 7,
    "workflow status RUN": 7,
    "log": 7,
    "task history": 7,
    "task list": 11,
    "task next": 11,
    "workflow run one.md --quiet": 25,
    "db check": 7,
    "db stats": 7,
    "bundle list": 7,
    "registry search deploy": None,
}
#: What a migration cannot do without, for comparison.
DATABASE_TOOLS = "import sqlmodel, typer"
OLDER = "0002"


def starting(folder: Path, size: Size) -> Iterator[Row]:
    """Measure how long commands take to start and to do next to nothing."""
    place, with_bundle = Place(folder / "starting"), _with_a_bundle(folder / "starting-tasks")
    (place.work / "one.md").write_text(ONE)
    run_id = json.loads(place.run(AKM, "workflow", "run", "one.md"))["run"]["id"]
    acts = {
        verb: partial(
            (with_bundle if verb.startswith(("task", "bundle", "registry")) else place).run,
            AKM,
            *verb.replace("RUN", run_id).split(),
        )
        for verb in VERBS
    }
    asked = {"_AKM_COMPLETE": "complete_bash", "COMP_WORDS": "akm work", "COMP_CWORD": "1"}
    acts["completion"] = partial(place.run, AKM, **asked)
    acts["python"] = partial(place.run, sys.executable, "-c", "pass")
    acts["step"] = partial(place.run, "true")
    medians = interleaved(acts, size.starts)
    for verb, target in (VERBS | {"completion": 6.0}).items():
        own = medians["step"] if verb.startswith("workflow run") else 0
        note = f"{medians[verb] * 1000:.0f} ms"
        name = verb if verb == "completion" else f"akm {verb}"
        what = f"{name.replace('one.md --quiet', 'of one step')}, to python -c pass"
        yield Row(what, (medians[verb] - own) / medians["python"], target, note=note)


def migrating(folder: Path, size: Size) -> Row:
    """Measure commands that migrate against the import of what the tables are declared with."""
    place = Place(folder / "migrating")

    def there_and_back() -> None:
        place.run(AKM, "db", "downgrade", OLDER, "--yes")
        place.run(AKM, "db", "upgrade")

    tools = partial(place.run, sys.executable, "-c", DATABASE_TOOLS)
    medians = interleaved({"akm": there_and_back, "tools": tools}, size.starts)
    ratio = medians["akm"] / 2 / medians["tools"]
    note = f"{medians['akm'] * 500:.0f} ms"
    return Row(f"akm db upgrade, akm db downgrade, to {DATABASE_TOOLS}", ratio, 1.15, note=note)


def _with_a_bundle(root: Path) -> Place:
    """Make a place with ten tasks that are switched on, one of which has run, and a registry once asked."""
    place = Place(root)
    (root / "team/tasks").mkdir(parents=True)
    for number in range(10):
        (root / f"team/tasks/task-{number}.yml").write_text(TASK)
    refs = json.dumps([f"team//tasks/task-{number}" for number in range(10)])
    (root / "config").mkdir(exist_ok=True)
    with Server().running() as server:
        (root / "config/config.toml").write_text(
            f'[bundles.team]\npath = "{root}/team"\n[scheduler]\nenabled = {refs}\n'
            "[registries.official]\nenabled = false\n"
            f'[registries.ours]\nurl = "{server.reply("/index.json", INDEX)}"\nallow_private = true\n'
        )
        place.run(AKM, "registry", "search", "deploy")
    place.run(AKM, "task", "run", "task-1")
    return place
