"""The ledger is not taken back to an older revision under a driver."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import AT, publish

from akm.engine import lock
from akm.engine.care import downgrading
from akm.engine.lock import RunLock
from akm.errors import TransientError
from akm.store import care, schema, sql
from akm.store.opening import open_database


def test_a_run_that_is_being_driven_refuses_it(db_path: Path) -> None:
    with open_database(db_path, synchronous="normal") as db:
        run_id = publish(db)
    before = db_path.read_bytes()
    driver = RunLock(lock.folder(db_path), run_id)
    driver.acquire(at=AT)
    try:
        with pytest.raises(TransientError, match=f"Run {run_id} is being driven by process") as refused:
            downgrading.take_back(db_path, "base", may_lose=True)
        assert refused.value.code == "RUN_LEASE_HELD"
        assert db_path.read_bytes() == before
        assert not list(db_path.parent.glob("*.bak"))
    finally:
        driver.release()
    done = downgrading.take_back(db_path, sql.REVISIONS[-2], may_lose=False)
    assert (done["revision"], Path(done["backup"]).exists()) == (sql.REVISIONS[-2], True)


def test_a_file_that_another_process_takes_back_first_is_not_taken_back_without_a_copy(
    db_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = care.back_up

    def late(path: Path, found: str) -> Path | None:
        schema.downgrade(path, sql.REVISIONS[-2])
        return whole(path, found)

    monkeypatch.setattr(care, "back_up", late)
    with pytest.raises(TransientError, match="another revision in the meantime"):
        downgrading.take_back(db_path, sql.REVISIONS[0], may_lose=False)
    assert care.current(db_path)["revision"] == sql.REVISIONS[-2]
