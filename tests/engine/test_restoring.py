"""Nothing is restored over a ledger of which a run is being driven."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import AT, dump, publish

from akm.engine import lock
from akm.engine.care import restoring
from akm.engine.lock import RunLock
from akm.errors import TransientError
from akm.store import backup
from akm.store.opening import open_database


def test_a_run_that_is_being_driven_refuses_it_even_when_the_ledger_is_damaged(
    db_path: Path, tmp_path: Path
) -> None:
    with open_database(db_path, synchronous="normal") as db:
        run_id = publish(db)
    backup.write(db_path, tmp_path / "saved.db")
    db_path.write_bytes(b"\xff" * 9000)
    driver = RunLock(lock.folder(db_path), run_id)
    driver.acquire(at=AT)
    try:
        with pytest.raises(TransientError, match=f"Run {run_id} is being driven by process") as refused:
            restoring.put_back(db_path, tmp_path / "saved.db", at=AT)
        assert refused.value.code == "RUN_LEASE_HELD"
        assert db_path.read_bytes() == b"\xff" * 9000
    finally:
        driver.release()
    restoring.put_back(db_path, tmp_path / "saved.db", at=AT)
    assert [run["id"] for run in dump(db_path)["workflow_runs"]] == [run_id]
