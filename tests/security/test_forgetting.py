"""What a ledger holds is gone from the disk once it is pruned and the file is written anew."""

from __future__ import annotations

from pathlib import Path

import pytest
from installed import Place
from workflow_files import a_file, a_step, sh

from akm.engine.care import pruning
from akm.store.opening import open_database

CANARY = "canary-to-be-forgotten-31c7"


def holders(folder: Path) -> list[str]:
    """Name the files that hold the canary."""
    return sorted(
        path.name for path in folder.rglob("*") if path.is_file() and CANARY.encode() in path.read_bytes()
    )


@pytest.mark.parametrize("is_anew", [False, True])
def test_pruning_and_vacuuming_takes_a_run_off_the_disk(tmp_path: Path, is_anew: bool) -> None:
    place = Place(tmp_path)
    script = f"i=0; while test $i -lt 999; do echo {CANARY}; i=$((i + 1)); done"
    assert place.run("workflow", "run", place.workflow("w", a_file(a_step("a", *sh(script))))).status == 0
    with open_database(tmp_path / "data/state.db") as db:
        # Some builds of SQLite write zeros over what is deleted, and the usual one does not.
        db.connection.execute("PRAGMA secure_delete=OFF")
        pruning.prune(db, pruning.Rule(None, 0), pruning.Wish(vacuum=is_anew))
    assert holders(tmp_path / "data") == ([] if is_anew else ["state.db"])


def test_a_backup_keeps_what_was_pruned_since(tmp_path: Path) -> None:
    place = Place(tmp_path)
    file = place.workflow("w", a_file(a_step("a"), params={"note": {"type": "string"}}))
    place.run("workflow", "run", file, "-p", f"note={CANARY}")
    place.run("db", "backup", str(tmp_path / "backup.db"))
    place.run("db", "prune", "--keep-last", "0", "--vacuum")
    assert (holders(tmp_path / "data"), CANARY.encode() in (tmp_path / "backup.db").read_bytes()) == (
        [],
        True,
    )
