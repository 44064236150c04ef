"""Real people's files, done by a scripted agent and checked by a scripted judge, both programs."""

from __future__ import annotations

import importlib
import json
import random
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import undisturbed
from installed import ROOT, Place, ended
from kill_checks import has_tables

DATA = ROOT.parent / "shared" / "data"

# Each leaves a line where the work was done. A loop is told by the feedback in the prompt.
_AGENT = r"""#!/bin/sh
prompt=$(cat)
loop=$(printf '%s' "$prompt" | sed -n 's/^Turned down in \(l[0-9]\)[.]$/after \1/p')
echo done >> "$MARKS/$AKM_RUN_ID.$AKM_UNIT_ID.$loop"
case $AKM_STEP_ID in
cut-release-branch) printf 'In scope are:\n```json\n{"in_scope_prs": [214, 215, 216]}\n```\n' ;;
*) echo "$AKM_STEP_ID $loop $AKM_ITEM" ;;
esac
"""
_JUDGE = r"""#!/bin/sh
cat >/dev/null
loop=${AKM_UNIT_ID##*:}
echo done >> "$MARKS/$AKM_RUN_ID.$AKM_UNIT_ID"
case $AKM_UNIT_ID in
edit.gate:l[123] | verify-integration.gate:l[12])
    printf 'My verdict: {"complete":false,"missing":["a source"],"feedback":"Turned down in %s."}' "$loop" ;;
*) echo '{"complete": true, "missing": []}' ;;
esac
"""
_CONFIG = """
[defaults]
engine = "writer"

[engines.writer]
kind = "agent"
command = ["{bin}/agent"]
pass_env = ["MARKS"]

[engines.judge]
kind = "agent"
command = ["{bin}/judge"]
pass_env = ["MARKS"]

[workflow]
judge_engine = "judge"
"""
_UNITS = "SELECT unit_id, attempt, status, result_json FROM workflow_run_unit_attempts WHERE run_id = ? "


def texts() -> Iterator[tuple[str, str]]:
    """Yield each real file that has a rubric as (name, text), converted where its grammar is old."""
    for path in sorted(DATA.glob("workflows/*.md")):
        if "### gate" in path.read_text(encoding="utf-8"):
            yield path.stem, path.read_text(encoding="utf-8")
    try:
        converter: Any = importlib.import_module("akm.workflow.conversion.convert")
    except ModuleNotFoundError:
        return
    for path in sorted(DATA.glob("workflows-old-grammar/*.md")):
        converted = converter.convert(path.read_bytes(), name=path.name)
        if converted.text is not None and "### gate" in converted.text:
            yield path.stem, converted.text


def install(place: Place) -> None:
    """Put the agent and the judge into a place and make them its engines."""
    for name, text in (("agent", _AGENT), ("judge", _JUDGE)):
        program = place.folder("bin") / name
        program.write_text(text)
        program.chmod(0o700)
    (place.folder("config") / "config.toml").write_text(_CONFIG.format(bin=place.folder("bin")))


@dataclass
class RealFiles:
    """Drives one real file after the other through kills, and compares each with an undisturbed run."""

    moments: random.Random
    folder: Path
    kills: int = 0
    runs: int = 0
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.files = dict(texts())
        self.place, self.calm = Place(self.folder / "killed"), Place(self.folder / "calm")
        install(self.place)
        install(self.calm)
        self.expected: dict[str, dict[str, Any]] = {}
        self.seconds: dict[str, float] = {}
        self.open: Counter[str] = Counter()

    def one_run(self) -> None:
        """Drive the next file to its end, killed on the way; what is not as it should be joins the faults."""
        name = list(self.files)[self.runs % len(self.files)]
        if name not in self.expected:
            calm, self.seconds[name] = undisturbed.drive(
                partial(_start, self.calm, self.calm.workflow(name, self.files[name]))
            )
            self.expected[name] = account(self.calm, str(calm.result["run"]["id"]))
        file = self.place.workflow(f"{name}-{self.runs}", self.files[name])
        run_id = self._drive(file, self.seconds[name])
        self.runs += 1
        if account(self.place, run_id) != self.expected[name]:
            self.faults.append(f"run {run_id} of {name} came to something else than an undisturbed run")
        self.faults += done_twice(self.place, run_id, self.open)

    def _drive(self, file: str, latest_kill_seconds: float) -> str:
        while True:
            driver = _start(self.place, file)
            try:
                driver.wait(self.moments.uniform(0, latest_kill_seconds))
            except subprocess.TimeoutExpired:
                driver.kill()
                self.kills += 1
            done = ended(driver)
            if done.status not in (0, -9):
                raise SystemExit(f"a driver of {file} ended with {done.status}: {done.err}")
            if has_tables(self.place) and (found := self._completed(file)):
                return found
            self._look()

    def _completed(self, file: str) -> str | None:
        query = "SELECT id FROM workflow_runs WHERE workflow_ref = ? AND status = 'completed'"
        found = self.place.rows(query, f"project//{file.removesuffix('.md')}")
        return str(found[0][0]) if found else None

    def _look(self) -> None:
        # Every driver may start a dispatch once more that was open when the one before was killed.
        if has_tables(self.place):
            query = "SELECT run_id, unit_id FROM workflow_run_unit_attempts WHERE status = 'running'"
            self.open.update(f"{run_id}.{unit_id}" for run_id, unit_id in self.place.rows(query))


def _start(place: Place, file: str) -> subprocess.Popen[str]:
    marks = {"MARKS": str(place.folder("marks"))}
    return place.start("workflow", "run", file, "--quiet", env=place.environment() | marks)


def account(place: Place, run_id: str) -> dict[str, Any]:
    """Collect what a run came to: its steps' outputs, and each unit and verdict with its attempts."""
    steps = place.rows(
        "SELECT step_id, status, evidence_json FROM workflow_run_steps WHERE run_id = ? "
        "ORDER BY sequence_index",
        run_id,
    )
    return {
        "steps": [(step_id, status, json.loads(evidence)) for step_id, status, evidence in steps],
        "attempts": sorted(place.rows(_UNITS, run_id)),
        "units": sorted(
            place.rows(
                "SELECT unit_id, attempts, status, result_json FROM workflow_run_units WHERE run_id = ?",
                run_id,
            )
        ),
    }


def done_twice(place: Place, run_id: str, seen_open: Counter[str]) -> list[str]:
    """List the units whose program ran more often than kills explain, or never, by the marks it left."""
    faults = []
    for unit_id, *_rest in place.rows(_UNITS, run_id):
        name, _, loop = str(unit_id).partition("~l")
        turn = f"after l{int(loop) - 1}" if loop else ""
        mark = f"{run_id}.{name}" if ".gate:" in name else f"{run_id}.{name}.{turn}"
        file = place.root / "marks" / mark
        lines = file.read_text().count("\n") if file.exists() else 0
        if not 1 <= lines <= 1 + seen_open[f"{run_id}.{unit_id}"]:
            faults.append(f"{unit_id} ran {lines} times, open at {seen_open[f'{run_id}.{unit_id}']} kills")
    return faults
