"""What every test stands on: directories of its own, a migrated ledger, and two processes to race with."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_lines import directories
from hypothesis import settings
from racing import Racers

from akm.store.database import Database
from akm.store.opening import open_database

# A slow machine is no failure.
settings.register_profile("akm", deadline=None)
settings.load_profile("akm")

# Under nohup or in the background these come ignored, and every command that a test starts would inherit it.
for _number, _action in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGQUIT, signal.SIG_DFL),
    (signal.SIGHUP, signal.SIG_DFL),
):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _action)

_HOMES = ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")


@pytest.fixture(autouse=True)
def _no_real_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep every test out of the directories and the settings of whoever runs it."""
    for name in list(os.environ):
        if name.startswith(("AKM_", "_AKM")):
            monkeypatch.delenv(name)
    home = tmp_path.with_name(f"{tmp_path.name}-home")
    home.mkdir(exist_ok=True)
    for name in _HOMES:
        monkeypatch.setenv(name, str(home if name == "HOME" else home / name.lower()))
    for name, folder in directories(home).items():
        monkeypatch.setenv(name, folder)


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger at the newest revision, to be copied and never opened."""
    path = tmp_path_factory.mktemp("migrated") / "state.db"
    open_database(path, synchronous="normal").close()
    return path


@pytest.fixture
def db_path(migrated: Path, tmp_path: Path) -> Path:
    """The path of an empty ledger of this test's own."""
    return Path(shutil.copyfile(migrated, tmp_path / "state.db"))


@pytest.fixture
def db(db_path: Path) -> Iterator[Database]:
    """An empty ledger, open."""
    with open_database(db_path, synchronous="normal") as opened:
        yield opened


@pytest.fixture(scope="session")
def racers() -> Iterator[Racers]:
    """Two other processes that do the same thing to one file at the same time."""
    with Racers(2) as started:
        yield started
