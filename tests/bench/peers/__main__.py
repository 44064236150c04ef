"""`python -m tests.bench.peers`: the same number of empty durable steps by akm and by its peers."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tests.bench.measure import WIDTH, Row, interleaved, save, show, surroundings

ROOT = Path(__file__).resolve().parents[3]
RESULTS = Path(__file__).parents[1] / "peers.json"
LOCK = ROOT / ".ci/peers.lock"
PEERS = ROOT / ".venv-peers/bin/python"
#: Nothing is reported to anybody; `turns.stay_here` refuses it besides.
QUIET = {"LANGSMITH_TRACING": "false", "LANGCHAIN_TRACING_V2": "false", "DBOS_CONDUCTOR_KEY": ""}
REPETITIONS = 15
KINDS = {"steps": 150, "workflows": 50}
#: How many times as many as DBOS Transact, at least: of steps, of workflows with one step.
TARGETS = {"normal": {"steps": 8, "workflows": 10}, "full": {"steps": 3, "workflows": 4}}
NOTES = """
Every side does nothing in a step and is asked in turn, on one disk. A step writes (log: write-ahead log):
  DBOS       after it, its output in a transaction: 4 syncs (rollback journal and FULL, its defaults)
  LangGraph  after it, a checkpoint and the step's writes, by a thread beside it: 2 syncs (log, FULL)
  akm        before it, an attempt, its projection and an event; after it, the end of all three (log)
             services: a transaction each, as a caller of the ledger would do; 2 syncs at FULL, none at NORMAL
             akm.run: the whole driver, which commits an end with the start of the next: 1 sync at FULL
Workflows of one step add the rows of the workflow; akm.run reads, checks and freezes its file each time."""


class Side(NamedTuple):
    """One participant: how its rows are called, and the words that start it."""

    name: str
    command: tuple[str, ...]
    prefix: str = ""


class Process:
    """A side's process, which does what it is asked to."""

    def __init__(self, command: tuple[str, ...]) -> None:
        pipe = subprocess.PIPE
        environment = os.environ | QUIET
        self._child = subprocess.Popen(command, cwd=ROOT, env=environment, stdin=pipe, stdout=pipe, text=True)
        self._hear()

    def ask(self, name: str, number: int) -> None:
        """Let it do something so many times, and wait until that is done."""
        assert self._child.stdin is not None
        self._child.stdin.write(f"{name} {number}\n")
        self._child.stdin.flush()
        self._hear()

    def close(self) -> None:
        """Let it end."""
        self._child.communicate(timeout=60)

    def _hear(self) -> None:
        assert self._child.stdout is not None
        if not self._child.stdout.readline():
            raise SystemExit(f"{self._child.args!r} ended early, with status {self._child.wait()}.")


def main() -> None:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.peers", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="Measure next to nothing, to see that it works.")
    parser.add_argument("--disk", type=Path, help="A directory on the disk to measure on; else the system's.")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="akm-peers-", dir=chosen.disk) as folder:
        about = surroundings(Path(folder)) | {"folder": str(Path(folder).parent), "peers": _versions()}
        print(f"On {about['disk']}, in {about['folder']}: {', '.join(_versions())}\n")
        print(f"{'what':<{WIDTH}} {'measured':>13} {'target':>11}  met")
        rates = _rates(Path(folder), quick=chosen.quick)
    rows = [*_in_seconds(rates), *_against_peers(rates)]
    for row in rows:
        show(row)
    print(NOTES)
    if not chosen.quick:
        save(rows, RESULTS, about)


def _sides(folder: Path) -> Iterator[Side]:
    for name, module in (("DBOS Transact", "with_dbos"), ("LangGraph, SQLite saver", "with_langgraph")):
        yield Side(name, (str(PEERS), "-m", f"tests.bench.peers.{module}", str(folder)))
    for synchronous in TARGETS:
        command = (sys.executable, "-m", "tests.bench.peers.with_akm", str(folder), synchronous)
        yield Side(f"akm services, {synchronous.upper()}", command)
        yield Side(f"akm.run, {synchronous.upper()}", command, "run-")


def _rates(folder: Path, *, quick: bool) -> dict[tuple[str, str], float]:
    """Measure how many of each kind each side does in a second."""
    rates = {}
    with ExitStack() as stack:
        processes: dict[tuple[str, ...], Process] = {}
        for side in _sides(folder):
            if side.command not in processes:
                processes[side.command] = Process(side.command)
                stack.callback(processes[side.command].close)
        for kind, many in KINDS.items():
            number = 3 if quick else many
            acts = {
                side.name: partial(processes[side.command].ask, side.prefix + kind, number)
                for side in _sides(folder)
            }
            medians = interleaved(acts, 1 if quick else REPETITIONS)
            rates.update({(kind, name): number / seconds for name, seconds in medians.items()})
    return rates


def _in_seconds(rates: Mapping[tuple[str, str], float]) -> Iterator[Row]:
    what = {"steps": "durable steps of one workflow", "workflows": "workflows of one step"}
    for (kind, name), rate in rates.items():
        yield Row(f"{what[kind]}: {name}", rate, None, unit="/s", note=f"{1e6 / rate:.0f} us")


def _against_peers(rates: Mapping[tuple[str, str], float]) -> Iterator[Row]:
    for (kind, name), rate in rates.items():
        synchronous = name.rpartition(" ")[2].lower()
        if synchronous not in TARGETS:
            continue
        target = TARGETS[synchronous][kind]
        yield Row(
            f"{kind}: {name}, to DBOS Transact", rate / rates[kind, "DBOS Transact"], target, at_least=True
        )
        langgraph = rates[kind, "LangGraph, SQLite saver"]
        yield Row(f"{kind}: {name}, to LangGraph", rate / langgraph, None, at_least=True)


def _versions() -> list[str]:
    asked = ("dbos==", "langgraph==", "langgraph-checkpoint-sqlite==")
    return [line for line in LOCK.read_text().split() if line.startswith(asked)]


if __name__ == "__main__":
    main()
