"""The benchmark runs and says what it should; how fast anything is, no test asks."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_benchmark_prints_and_saves_every_row(tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    command = [sys.executable, "-m", "tests.bench", "--quick", "--output", str(results)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    rows = json.loads(results.read_text())["rows"]
    assert all(row["measured"] > 0 for row in rows)
    assert all(row["what"] in done.stdout for row in rows)
    assert {row["met"] for row in rows} <= {True, False, None}
    subjects = (
        "dispatch",
        "finish one",
        "fan-out",
        "processes",
        "akm --",
        "list 50",
        "units of",
        "memory",
        "db upgrade",
        "bundle rename",
    )
    assert [word for word in subjects if not any(word in row["what"] for row in rows)] == []
    assert "160 done of 160" in done.stdout


def test_the_profile_prints_each_statement_and_each_part() -> None:
    command = [sys.executable, "-m", "tests.bench.profile", "--quick"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    parts = ("insert the attempt", "commit", "the services of akm", "starting the process", "the children")
    assert [part for part in parts if part not in done.stdout] == []
