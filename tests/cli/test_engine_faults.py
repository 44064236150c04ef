"""Engines that are missing, wrong or answer nonsense: one sentence, the right reason, no work twice."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from sqlite3 import connect
from typing import Any

import pytest
import workflow_files
from chat_server import Act, ChatServer, answered, complains, says, serving

Run = Callable[..., Any]
PASS = '{"complete": true, "missing": []}'
KEY = "key-of-the-model-0123"
PLACES = ("a", "b")

LLM = 'kind = "llm"\nbase_url = "{url}"\nmodel = "small"\napi_key_env = "MODEL_KEY"\ntimeout = "30s"\n'
AGENT = 'kind = "agent"\ncommand = ["{program}"]\n'


@pytest.fixture
def project(home: Path, migrated: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with an empty ledger and a judged step between two that are not."""
    (home / "data").mkdir()
    shutil.copyfile(migrated, home / "data/state.db")
    monkeypatch.setenv("MODEL_KEY", KEY)
    project = home / "project"
    (project / ".akm").mkdir()
    steps = [{"id": "a", "gate": {"max_loops": 2}}, {"id": "b", "inputs": ["steps.a.output"]}]
    body = {"a": "Do it.\n\n### gate\n\nIt is done well."}
    workflow_files.write(project, "w", workflow_files.a_file(*steps, body=body))
    return project


def configure(
    project: Path, writer: str, judge: str, *, names: tuple[str, str] = ("writer", "judge")
) -> None:
    (project / ".akm/config.toml").write_text(
        f'[defaults]\nengine = "{names[0]}"\n[workflow]\njudge_engine = "{names[1]}"\n'
        f"[engines.writer]\n{writer}\n[engines.judge]\n{judge}\n"
    )


def program(project: Path, name: str, answer: bytes, status: int = 0) -> str:
    """Write an agent that reads its prompt and answers these bytes; returns its settings."""
    (project / f"{name}.answer").write_bytes(answer)
    file = project / name
    file.write_text(f'#!/bin/sh\ncat >/dev/null\ncat "{project}/{name}.answer"\nexit {status}\n')
    file.chmod(0o700)
    return AGENT.format(program=file)


@contextmanager
def models(*script: Act) -> Iterator[tuple[ChatServer, str]]:
    """Serve a model; yields the server and an engine's settings."""
    with serving(*script) as server:
        yield server, LLM.format(url=server.url)


def rows(project: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(connect(project.parent / "data/state.db")) as connection:
        return connection.execute(query).fetchall()


def attempts(project: Path) -> list[tuple[Any, ...]]:
    return rows(
        project,
        "SELECT unit_id, attempt, status, failure_reason FROM workflow_run_unit_attempts ORDER BY rowid",
    )


def is_sentence(text: str) -> bool:
    return "Traceback" not in text and "Error(" not in text and text.rstrip()[-1] in ".]`)"


REFUSED = {
    "unknown engine": (AGENT.format(program="true"), ("wirter", "judge"), "wirter"),
    "unknown judge": (AGENT.format(program="true"), ("writer", "jugde"), "jugde"),
    "unknown preset": ('kind = "agent"\npreset = "claud"\n', ("writer", "judge"), "claud"),
    "unknown kind": ('kind = "oracle"\n', ("writer", "judge"), "engines.writer"),
    "no address": ('kind = "llm"\nmodel = "small"\n', ("writer", "judge"), "base_url"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_engine_that_is_not_what_it_should_be_is_refused_before_anything_is_written(
    name: str, project: Path, run: Run
) -> None:
    writer, names, told = REFUSED[name]
    configure(project, writer, AGENT.format(program="true"), names=names)
    done = run("workflow", "run", "w")
    assert done.status == 78, done.err
    assert told in done.error["error"]
    assert is_sentence(done.error["error"])
    assert rows(project, "SELECT id FROM workflow_runs") == []


def test_missing_program_fails_its_unit_and_the_next_try_is_its_second(project: Path, run: Run) -> None:
    judge = program(project, "judge", PASS.encode())
    configure(project, AGENT.format(program="nosuch-agent"), judge)
    done = run("workflow", "run", "w")
    assert (done.status, done.result["run"]["status"]) == (1, "failed")
    (step,) = done.result["executed"]
    assert "nosuch-agent" in step["summary"]
    assert attempts(project) == [("a:solo", 1, "failed", "spawn_failed")]


def test_missing_key_fails_its_unit_by_name_and_nothing_is_sent(
    project: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MODEL_KEY")
    with models(says("never")) as (server, settings):
        configure(project, settings, settings)
        done = run("workflow", "run", "w")
        assert server.asked == []
    assert (done.status, done.result["run"]["status"]) == (1, "failed")
    assert "MODEL_KEY" in done.result["executed"][0]["summary"]
    assert attempts(project) == [("a:solo", 1, "failed", "dispatch_error")]


NO_VERDICTS: dict[str, bytes] = {
    "prose": b"It looks good to me.",
    "yes": b'{"complete": "yes", "missing": []}',
    "half": b'{"complete": tr',
    "ten megabytes": b"x" * 10_000_000,
    "ten megabytes of JSON": b'{"complete": true, "feedback": "' + b"x" * 10_000_000 + b'"}',
    "nothing": b"",
    "a list": b"[true]",
    "two verdicts": f"{PASS}\n{PASS}".encode(),
}


def check_blocked_and_go_on(project: Path, run: Run) -> str:
    """The step is blocked, no loop is used up, and it can be resumed; returns what is said."""
    done = run("workflow", "run", "w")
    assert (done.status, done.result["run"]["status"]) == (1, "blocked"), done.err
    assert done.result["judgeFailure"]["stepId"] == "a"
    message = done.result["judgeFailure"]["message"]
    assert is_sentence(message)
    assert len(message) < 1500
    assert attempts(project)[1:] == [("a.gate:l1", 1, "failed", "dispatch_error")]
    run_id = done.result["run"]["id"]
    writer = program(project, "writer-now", b"second answer")
    configure(project, writer, program(project, "judge-now", PASS.encode()))
    assert run("workflow", "resume", run_id).status == 0
    return str(message)


@pytest.mark.parametrize("name", NO_VERDICTS)
def test_program_that_gives_no_verdict_blocks_and_only_it_is_asked_again(
    name: str, project: Path, run: Run
) -> None:
    judge = program(project, "judge", NO_VERDICTS[name])
    configure(project, program(project, "writer", b"first answer"), judge)
    check_blocked_and_go_on(project, run)
    (project / "judge.answer").write_text(PASS)
    done = run("workflow", "run", "w")
    assert (done.status, done.result["run"]["status"]) == (0, "completed")
    assert [one[:3] for one in attempts(project)] == [
        ("a:solo", 1, "completed"),
        ("a.gate:l1", 1, "failed"),
        ("a.gate:l1", 2, "completed"),
        ("b:solo", 1, "completed"),
    ]


MODEL_FAULTS: dict[str, Act] = {
    **{name: says(text.decode()) for name, text in NO_VERDICTS.items()},
    "refused": complains(401),
    "gone": complains(404),
    "filtered": says("", "content_filter"),
    "cut off": says(PASS, "length"),
    "no protocol": answered("<html>proxy</html>"),
}


@pytest.mark.parametrize("name", MODEL_FAULTS)
def test_model_that_gives_no_verdict_blocks_and_only_it_is_asked_again(
    name: str, project: Path, run: Run
) -> None:
    with models(MODEL_FAULTS[name], says(PASS)) as (server, settings):
        configure(project, program(project, "writer", b"first answer"), settings)
        check_blocked_and_go_on(project, run)
        done = run("workflow", "run", "w")
    assert (done.status, done.result["run"]["status"], len(server.asked)) == (0, "completed", 2)
    assert [one[:2] for one in attempts(project) if ".gate" not in one[0]] == [("a:solo", 1), ("b:solo", 1)]


def test_missing_key_of_the_judge_blocks(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MODEL_KEY")
    with models(says(PASS)) as (server, settings):
        configure(project, program(project, "writer", b"first answer"), settings)
        check_blocked_and_go_on(project, run)
        assert server.asked == []
    assert attempts(project)[0] == ("a:solo", 1, "completed", None)


def test_missing_program_of_the_judge_blocks_and_is_named(project: Path, run: Run) -> None:
    configure(project, program(project, "writer", b"first answer"), AGENT.format(program="nosuch-judge"))
    message = check_blocked_and_go_on(project, run)
    assert "nosuch-judge" in message
    assert attempts(project)[0] == ("a:solo", 1, "completed", None)


ODD: dict[str, tuple[Any, str]] = {
    "NUL": ("before\0after", "before\0after"),
    "lone surrogate": ("before\ud800after", "before\ufffdafter"),
    "words of a driver": ("database is locked", "database is locked"),
    "an error": (
        '{"ok": false, "code": "STATE_DB_CONTENDED"}',
        '{"ok": false, "code": "STATE_DB_CONTENDED"}',
    ),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_text_of_a_model_is_a_result_like_any_other(name: str, project: Path, run: Run) -> None:
    text, kept = ODD[name]
    with models(says(text), says(PASS), says(text)) as (server, settings):
        configure(project, settings, settings)
        done = run("workflow", "run", "w")
    assert (done.status, done.result["run"]["status"], len(server.asked)) == (0, "completed", 3), done.err
    assert done.result["output"] == kept
    assert [one[:3] for one in attempts(project)] == [
        ("a:solo", 1, "completed"),
        ("a.gate:l1", 1, "completed"),
        ("b:solo", 1, "completed"),
    ]
    shown = run("workflow", "status", "w", "--units", "--attempts")
    assert (shown.status, shown.result["run"]["status"]) == (0, "completed")
    assert (
        json.loads(rows(project, "SELECT result_json FROM workflow_run_units WHERE step_id = 'b'")[0][0])
        == kept
    )


@pytest.mark.parametrize("answer", [b"before\0after", b"before\xff\xfeafter", b"database is locked"])
def test_odd_bytes_of_a_program_are_no_reason_to_run_it_again(answer: bytes, project: Path, run: Run) -> None:
    configure(project, program(project, "writer", answer), program(project, "judge", PASS.encode()))
    done = run("workflow", "run", "w")
    assert (done.status, done.result["run"]["status"]) == (0, "completed"), done.err
    assert [one[1] for one in attempts(project)] == [1, 1, 1]


def test_complaint_in_the_words_of_a_locked_database_is_a_failed_unit(project: Path, run: Run) -> None:
    with models(complains(400, "database is locked")) as (server, settings):
        configure(project, settings, settings)
        done = run("workflow", "run", "w")
    assert (done.status, done.result["run"]["status"], len(server.asked)) == (1, "failed", 1)
    assert attempts(project) == [("a:solo", 1, "failed", "dispatch_error")]


def test_texts_tell_a_loop_that_was_turned_down_from_one_that_was_accepted(project: Path, run: Run) -> None:
    reject = '{"complete": false, "missing": ["a source"], "feedback": "Name a source."}'
    with models(says(reject), says(PASS)) as (_server, settings):
        configure(project, program(project, "writer", b"an answer"), settings)
        done = run("workflow", "run", "w", "--format", "text")
    assert [line.split("  ")[0:1] + line.split()[1:3] for line in done.out.splitlines()[1:3]] == [
        ["a", "not", "accepted"],
        ["a", "completed", "1"],
    ]
    told = run("workflow", "status", "w", "--units", "--format", "text").out
    units = [line.split() for line in told[told.index("UNIT") :].splitlines()[1:6]]
    assert [(cells[0], cells[2]) for cells in units] == [
        ("a:solo", "completed"),
        ("a.gate:l1", "rejected"),
        ("a:solo~l2", "completed"),
        ("a.gate:l2", "accepted"),
        ("b:solo", "completed"),
    ]
    assert "Name a source. Not met: a source" in told
    assert "judge, 2 loops" in run("workflow", "plan", "w", "--format", "text").out
