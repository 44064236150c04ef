"""Secrets that units, judges, errors and parameters echo are nowhere but where they came from."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from sqlite3 import connect
from typing import Any

import pytest
import workflow_files
from chat_server import complains, says, serving
from workflow_files import a_step, sh

Run = Callable[..., Any]
SECRET, KEY, PASSED, PARAMETER = (
    f"canary-{name}-5f1e0c7a9b" for name in ("env", "key", "passed", "parameter")
)
CANARIES = (SECRET, KEY, PASSED, PARAMETER)
CONFIG = """
[defaults]
engine = "model"
[workflow]
judge_engine = "model"
[engines.model]
kind = "llm"
base_url = "{url}"
model = "small"
api_key_env = "MODEL_KEY"
[engines.program]
kind = "agent"
command = ["sh", "-c", "cat; echo $TOKEN $MY_KEY; echo $TOKEN $MY_KEY >&2"]
pass_env = ["MY_KEY"]
"""
ECHO = 'echo "$TOKEN $MY_KEY $AKM_PARAMS"; echo "$TOKEN $MY_KEY $AKM_PARAMS" >&2'
LOUD = {"env": ["env/prod"]}


@pytest.fixture
def project(home: Path, migrated: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose every way of saying something says every secret."""
    (home / "data").mkdir()
    shutil.copyfile(migrated, home / "data/state.db")
    monkeypatch.setenv("MODEL_KEY", KEY)
    monkeypatch.setenv("MY_KEY", PASSED)
    project = home / "project"
    for folder in (".akm", "env", "secrets"):
        (project / folder).mkdir()
    (project / "env/prod.env").write_text("TOKEN=it is ${secret:API_KEY}\n")
    (project / "secrets/API_KEY").write_text(SECRET)
    (project / "secrets/API_KEY").chmod(0o600)
    steps = [
        a_step("said", *sh(ECHO), **LOUD),
        a_step("broken", *sh(f"{ECHO}; exit 3"), **LOUD, on_error="continue"),
        {"id": "prose", "unit": {"engine": "program", **LOUD}},
        {"id": "judged", "gate": {"max_loops": 2}, "inputs": ["steps.said.output"]},
    ]
    for step in steps[:2]:
        step["unit"]["exec"]["pass_env"] = ["MY_KEY"]
    body = {"judged": "Do it.\n\n### gate\n\nIt is done well."}
    params = {"api_token": {"type": "string"}}
    workflow_files.write(project, "w", workflow_files.a_file(*steps, body=body, params=params))
    return project


def ledger(project: Path) -> Iterator[tuple[str, str]]:
    """Yield every value of every table as (table.column, text)."""
    with closing(connect(project.parent / "data/state.db")) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in tables:
            rows = connection.execute(f'SELECT * FROM "{table}"')
            names = [column[0] for column in rows.description]
            for row in rows:
                yield from ((f"{table}.{name}", str(cell)) for name, cell in zip(names, row, strict=True))


def found(text: str) -> list[str]:
    return [one for one in CANARIES if one in text]


def test_no_canary_leaves_the_places_it_came_from(project: Path, process: Run) -> None:
    loud = f"My key is {KEY}, and I was told {PARAMETER}."
    verdict = json.dumps({"complete": False, "missing": [loud], "feedback": loud})
    wrong = complains(401, f"wrong key {KEY} {PARAMETER}")
    script = [*[says(loud), says(verdict)] * 2, says(loud), wrong]
    printed = []

    def run(*arguments: str, status: int = 0) -> Any:
        done = process(*arguments)
        assert done.status == status, done.err
        printed.append(f"{done.out}\n{done.err}")
        return done

    with serving(*script) as server:
        (project / ".akm/config.toml").write_text(CONFIG.format(url=server.url))
        first = run("workflow", "run", "w", "--api_token", PARAMETER, status=1)
        run_id = first.result["run"]["id"]
        assert first.result["gateRejection"]["stepId"] == "judged"
        run("workflow", "resume", run_id)
        second = run("workflow", "run", "w", status=1)
        assert second.result["executed"][-1]["status"] == "blocked"
        for form in ("json", "text"):
            run("workflow", "status", run_id, "--units", "--attempts", "--format", form)
            run("workflow", "list", "--format", form)
            run("log", "--run", run_id, "--format", form)
            run("engines", "--format", form)
        run("workflow", "plan", "w", "--format", "json")
        run("workflow", "run", run_id, "--format", "text", status=2)

    assert [hits for hits in map(found, printed) if hits] == []
    places = {place for place, text in ledger(project) if found(text)}
    assert places == {"workflow_runs.params_json"}
    check_files(project)
    check_that_everything_was_echoed(project, second.result, server)


def check_files(project: Path) -> None:
    """No file of akm's own holds a secret; the ledger's file holds the parameter and nothing else."""
    for kind in ("data", "state", "cache"):
        for file in (project.parent / kind).rglob("*"):
            hits = found(file.read_bytes().decode("latin-1")) if file.is_file() else []
            assert hits in ([], [PARAMETER] if file.name.startswith("state.db") else []), file


def check_that_everything_was_echoed(project: Path, result: Any, server: Any) -> None:
    """Each way was taken: without the replacements the canaries would be there."""
    journal = [text for place, text in ledger(project) if place == "workflow_run_unit_attempts.result_json"]
    assert sum("[REDACTED]" in text for text in journal) == 8
    assert "[REDACTED]" in result["executed"][-1]["summary"]
    assert result["run"]["params"] == {"api_token": "[REDACTED]"}
    assert len(server.asked) == 6
