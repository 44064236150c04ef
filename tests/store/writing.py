"""A process that writes to a ledger until it is ended. Run as a program: DATABASE.

Each line of its output is the number of an event that is committed.
"""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path

from akm.services import events
from akm.store.opening import open_database


def main(database: str) -> None:
    with open_database(Path(database), synchronous="normal") as db:
        for number in count(1):
            events.record(db, "written", at="2026-01-01T00:00:00.000Z", metadata={"number": number})
            sys.stdout.write(f"{number}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
