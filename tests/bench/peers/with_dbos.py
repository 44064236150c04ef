"""DBOS Transact on a SQLite file, with its defaults: `python -m tests.bench.peers.with_dbos FOLDER`."""

from __future__ import annotations

import sys

from dbos import DBOS

from tests.bench.peers import turns


@DBOS.step()
def _step() -> None:
    """Do nothing, durably."""


@DBOS.workflow()
def _workflow(steps: int) -> None:
    for _number in range(steps):
        _step()


def _workflows(number: int) -> None:
    for _number in range(number):
        _workflow(1)


def main() -> None:
    """Serve until there is nothing more to do."""
    turns.stay_here()
    url = f"sqlite:///{sys.argv[1]}/dbos.sqlite"
    DBOS(config={"name": "bench", "system_database_url": url, "log_level": "ERROR"})
    DBOS.launch()
    turns.serve({"steps": _workflow, "workflows": _workflows})
    DBOS.destroy()


if __name__ == "__main__":
    main()
