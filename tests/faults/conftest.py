"""What the fault campaign stands on: a machine with the installed command, a project, faults to inject."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import campaign
import injector as injectors
import pytest
from injector import Injector
from installed import Place as Machine
from installed import a_machine
from places import Place, a_place
from theatre import Theatre

from akm.store.database import Database


@pytest.fixture
def machine(tmp_path: Path, migrated: Path) -> Machine:
    """A machine on which akm has run before: its ledger exists and is empty."""
    return a_machine(tmp_path / "place", migrated)


@pytest.fixture
def place(db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A project, with the test standing in it."""
    made = a_place(Path(os.path.realpath(tmp_path)) / "project", db)
    monkeypatch.chdir(made.root)
    return made


@pytest.fixture
def theatre(tmp_path: Path, migrated: Path) -> Iterator[Theatre]:
    """A place in which histories are driven."""
    made = Theatre(tmp_path, migrated)
    yield made
    made.close()


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Injector:
    """The faults below SQLite, compiled once."""
    if sys.platform != "linux" or injectors.COMPILER is None:
        pytest.skip("faults below SQLite need Linux and a C compiler")
    return injectors.compiled(tmp_path_factory.mktemp("injector"))


@pytest.fixture
def injector(library: Injector, tmp_path: Path) -> Injector:
    """Faults to inject, with counters of this test's own."""
    return Injector(library.library, tmp_path / "tally", tmp_path / "clock")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many faults there were, as far as they were injected in this process."""
    if said := campaign.summary():
        terminalreporter.write_line(said)
