"""akm's side of the comparison does what it is asked to; the peers are not installed for tests."""

from __future__ import annotations

import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.bench.peers import turns

ROOT = Path(__file__).resolve().parents[2]


def test_akm_does_as_many_durable_units_as_it_is_asked_for(tmp_path: Path) -> None:
    asked = "steps 3\nworkflows 2\nrun-steps 3\nrun-workflows 2\n"
    command = [sys.executable, "-m", "tests.bench.peers.with_akm", str(tmp_path), "normal"]
    done = subprocess.run(command, cwd=ROOT, input=asked, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.split()) == (0, ["ready", *["done"] * 4]), done.stderr
    with closing(sqlite3.connect(tmp_path / "akm-normal.db")) as db:
        query = "SELECT status, count(*) FROM {} GROUP BY 1"
        assert db.execute(query.format("workflow_runs")).fetchall() == [("completed", 6)]
        assert db.execute(query.format("workflow_run_unit_attempts")).fetchall() == [("completed", 10)]


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("2001:db8::1", 80, 0, 0)])
def test_no_side_connects_to_another_machine(address: tuple[object, ...]) -> None:
    for event, arguments in (
        ("socket.connect", (None, address)),
        ("socket.getaddrinfo", address[:2]),
        ("socket.sendto", (None, address)),
    ):
        with pytest.raises(ConnectionRefusedError, match=str(address[0])):
            turns.refuse_strangers(event, arguments)


def test_a_side_may_speak_with_itself() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        turns.refuse_strangers("socket.connect", (server, server.getsockname()))
    turns.refuse_strangers("socket.connect", (None, "/run/some.socket"))
