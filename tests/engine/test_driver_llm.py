"""Whole runs whose prose is written and judged by a model on the loopback address."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from functools import partial

import pytest
from chat_server import Act, ChatServer, answered, complains, drip, raw, says, serving, silence
from gates import PASS, a_prose_step, judged, rejection
from places import Place

from akm.engine.runners import llm
from akm.engine.runners.base import Runner
from akm.engine.runners.chat.terms import Surroundings
from akm.errors import UsageError
from akm.workflow.plan import UnitNode

CONFIG = """\
[defaults]
engine = "model"

[engines.model]
kind = "llm"
base_url = "{url}"
model = "small"
api_key_env = "MODEL_KEY"
timeout = "{timeout}"

[workflow]
judge_engine = "model"
"""
KEY = "key-of-the-model-0123"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_KEY", KEY)


def configure(place: Place, server: ChatServer, timeout: str = "none") -> None:
    folder = place.root / ".akm"
    folder.mkdir(exist_ok=True)
    (folder / "config.toml").write_text(CONFIG.format(url=server.url, timeout=timeout))


def test_model_writes_and_judges_and_what_it_used_is_recorded(place: Place) -> None:
    script = (
        says(f"A draft for {KEY}.", tokens=(10, 5)),
        says(rejection("Write more."), tokens=(20, 2)),
        says("A page.", tokens=(11, 6)),
        says(PASS, tokens=(21, 1)),
    )
    with serving(*script) as server:
        configure(place, server)
        place.write(a_prose_step(max_loops=2), body=judged("a"))
        result = place.run()
    assert (result.exit_status, place.output("a")) == (0, "A page.")
    assert "Write more." in server.asked[2].prompt
    assert [one["role"] for one in server.asked[1].body["messages"]] == ["system", "user"]
    assert KEY not in server.asked[1].prompt
    query = "SELECT tokens, runner, model FROM workflow_run_unit_attempts ORDER BY rowid"
    found = [(one["tokens"], one["runner"], one["model"]) for one in place.rows(query)]
    assert found == [(tokens, "llm", "small") for tokens in (15, 22, 17, 22)]


def test_judge_that_is_down_blocks_and_is_asked_again_without_the_unit(place: Place) -> None:
    with serving(says("A page."), complains(401), says(PASS)) as server:
        configure(place, server)
        place.write(a_prose_step(), body=judged("a"))
        assert place.run().exit_status == 1
        run_id = place.row("SELECT id FROM workflow_runs")["id"]
        assert place.status() == "blocked"
        _resume(place, run_id)
        assert place.run(run_id).exit_status == 0
    assert len(server.asked) == 3
    notes = place.rows("SELECT * FROM workflow_run_unit_attempts WHERE unit_id = 'a:solo'")
    assert len(notes) == 1


OUTAGES: dict[str, list[Act]] = {
    "key refused": [complains(401)],
    "broken": [complains(500)] * 3,
    "no JSON": [answered("<html>")],
    "half a verdict": [says('{"complete": tr')],
    "no boolean": [says('{"complete": "yes"}')],
    "cut off": [raw(b"", reset=True)] * 3,
}


@pytest.mark.parametrize("name", OUTAGES)
def test_outage_of_a_judge_uses_up_no_loop_and_after_resume_it_alone_is_asked(
    place: Place, name: str
) -> None:
    script = [says("A page."), *OUTAGES[name], says(rejection()), says("Two pages."), says(PASS)]
    with serving(*script) as server:
        configure(place, server)
        place.write(a_prose_step(max_loops=2), body=judged("a"))
        assert place.run(runner_for=impatient).exit_status == 1
        run_id = place.row("SELECT id FROM workflow_runs")["id"]
        assert (place.status(), place.attempts()[0][:3]) == ("blocked", ("a.gate:l1", 1, "failed"))
        with pytest.raises(UsageError, match="blocked") as parked:
            place.run(run_id)
        assert "akm workflow resume" in (parked.value.hint or "")
        _resume(place, run_id)
        assert place.run(run_id, runner_for=impatient).exit_status == 0
    assert len(server.asked) == len(script)
    assert [one[:2] for one in place.attempts() if one[2] == "completed"] == [
        ("a.gate:l1", 2),
        ("a.gate:l2", 1),
        ("a:solo", 1),
        ("a:solo~l2", 1),
    ]


def impatient(_node: UnitNode) -> Runner:
    """Ask without waits between tries."""
    return partial(llm.run, surroundings=Surroundings(wait=lambda _abort, _seconds: None))


@pytest.mark.parametrize("act", [silence, drip])
def test_signal_ends_a_driver_that_waits_for_a_model_and_the_run_goes_on_later(
    place: Place, act: object
) -> None:
    with serving(act, says("A page.")) as server:  # type: ignore[arg-type]
        configure(place, server)
        place.write(a_prose_step())
        environment = {**os.environ, "AKM_DATABASE_URL": f"sqlite:///{place.db.path}"}
        command = [sys.executable, "-m", "akm", "workflow", "run", "w"]
        with subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as driver:
            try:
                assert server.waiting.wait(60)
                driver.send_signal(signal.SIGINT)
                assert driver.wait(30) == 130
            finally:
                driver.kill()
        assert server.hung_up.wait(30)
        assert place.attempts() == [("a:solo", 1, "failed", "aborted")]
        assert place.run().exit_status == 0
    assert place.output("a") == "A page."


def _resume(place: Place, run_id: str) -> None:
    from akm.services import runs

    runs.resume(place.db, run_id, at="2026-01-01T00:00:00.000Z")
