"""What engines, judges, units and registries answer is data: it is never run, and acts on no terminal."""

from __future__ import annotations

import json
import os
import pty
from pathlib import Path

import pytest
from builders import AT
from chat_server import says, serving
from installed import Place, ended
from serving import Server
from workflow_files import a_file, a_map, a_step, sh

ENGINE = '[defaults]\nengine = "m"\n[engines.m]\nkind = "llm"\nbase_url = "{url}"\nmodel = "s"\n'
LIST = {"output": {"type": "array", "items": {"type": "string"}}}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_what_a_model_answers_is_never_run(place: Place) -> None:
    ran = place.root / "ran"
    evil = [f"$(touch {ran})", f"`touch {ran}`", f"; touch {ran}", f"'; touch {ran} #", f"--x=|touch {ran}"]
    use = a_map("use", *sh('printf %s "$AKM_ITEM"'), over="steps.ask.output")
    file = place.workflow("w", a_file({"id": "ask", "unit": LIST}, use))
    with serving(says(json.dumps(evil))) as server:
        (place.folder("config") / "config.toml").write_text(ENGINE.format(url=server.url))
        done = place.run("workflow", "run", file)
    assert done.status == 0, done.err
    results = [row[0] for row in place.rows("SELECT result_json FROM workflow_run_units")]
    assert sum(f"touch {ran}" in text for text in results) == 1 + len(evil)
    assert not ran.exists()


def test_what_a_unit_prints_cannot_act_on_a_terminal(place: Place) -> None:
    file = place.workflow("w", a_file(a_step("a", "printf", r"\033]0;title\007\033[2Jhello")))
    place.run("workflow", "run", file, "-q")
    assert b"\x1b]0" not in shown_at_a_terminal(place, "workflow", "status", file, "--units", "--attempts")


def test_what_a_registry_answers_cannot_act_on_a_terminal(place: Place) -> None:
    entry = {"id": "github:a/b", "name": "tool\x1b]0;title\x07", "ref": "a/b", "source": "github"}
    index = json.dumps({"version": 3, "updatedAt": AT, "stashes": [entry]})
    with Server().running() as server:
        url = server.reply("/index.json", index)
        place.run("registry", "add", url, "--name", "ours", "--allow-private", "--allow-insecure")
        shown = shown_at_a_terminal(place, "registry", "search", "tool", "--registry", "ours")
    assert b"tool" in shown
    assert b"\x1b]0" not in shown


def shown_at_a_terminal(place: Place, *arguments: str) -> bytes:
    """Run a command whose standard output is a terminal and return what arrived there."""
    ours, theirs = pty.openpty()
    try:
        process = place.start(*arguments, stdout=theirs)
        os.close(theirs)
        shown = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # The last one at the other end has gone.
                break
            shown += piece
        assert ended(process).status == 0
        return shown
    finally:
        os.close(ours)
