"""A process is forked while the ledger is open: the child cannot harm what its parent has open."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import campaign
from builders import dump

# The parent keeps its connection and writes before, beside and after what the child does.
SCRIPT = """
import os, sys
from pathlib import Path
from akm.errors import AkmError
from akm.services import events
from akm.store.opening import open_database

def write(db, kind, count=20):
    for _turn in range(count):
        events.record(db, kind, at="t", metadata={})

path = Path(sys.argv[1])
db = open_database(path, synchronous="normal")
write(db, "parent", 200)  # So many that they have pages of their own in the log.
child = os.fork()
if child == 0:
    CHILD
write(db, "parent")
_pid, status = os.waitpid(child, 0)
write(db, "parent")
db.close()
sys.exit(os.waitstatus_to_exitcode(status))
"""
USES_IT = """
    for use in (db.immediate, db.read):
        try:
            with use():
                pass
        except AkmError as error:
            print(error.message)
    sys.exit(7)
"""
LEAVES_IT = """
    db.close()
    sys.exit(7)
"""
OPENS_ITS_OWN = """
    with open_database(path, synchronous="normal") as own:
        write(own, "child", 60)
    sys.exit(7)
"""


def forked(path: Path, child: str) -> tuple[str, dict[str, int]]:
    """Run the script with what the child does; returns what was printed and how many events of each kind."""
    script = SCRIPT.replace("    CHILD\n", child)
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True)
    campaign.inject("fork")
    assert (done.returncode, done.stderr) == (7, "")
    kinds = [event["event_type"] for event in dump(path)["events"]]
    return done.stdout, {kind: kinds.count(kind) for kind in set(kinds)}


def test_a_connection_is_refused_to_a_child(db_path: Path) -> None:
    said, kinds = forked(db_path, USES_IT)
    assert said.count("opened by another process") == 2
    assert kinds == {"parent": 240}


def test_a_child_that_closes_what_it_got_takes_nothing_away(db_path: Path) -> None:
    assert forked(db_path, LEAVES_IT) == ("", {"parent": 240})


def test_a_child_that_opens_the_ledger_itself_is_a_writer_like_any_other(db_path: Path) -> None:
    assert forked(db_path, OPENS_ITS_OWN) == ("", {"parent": 240, "child": 60})
