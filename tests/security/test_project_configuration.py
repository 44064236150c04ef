"""A project's configuration is part of the project: it may say what is started and asked, and not more."""

from __future__ import annotations

from pathlib import Path

import pytest
from chat_server import says, serving
from installed import Place
from workflow_files import a_file

PROGRAM = (
    '[defaults]\nengine = "e"\n[engines.e]\nkind = "agent"\ncommand = ["sh", "-c", "touch {ran}; cat"]\n'
)
MODEL = (
    '[defaults]\nengine = "m"\n[engines.m]\nkind = "llm"\nbase_url = "{url}"\nmodel = "s"\n'
    'api_key_env = "MY_KEY"\n'
)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def project(place: Place, text: str) -> str:
    """Let the project have this configuration, and a workflow of one prompt."""
    (place.folder("work/.akm") / "config.toml").write_text(text)
    return place.workflow("w", a_file({"id": "ask"}))


def test_looking_at_a_project_starts_nothing_of_it_and_running_does(place: Place) -> None:
    ran = place.root / "ran"
    file = project(place, PROGRAM.format(ran=ran))
    for words in (("workflow", "lint", file), ("workflow", "plan", file), ("engines",), ("config", "show")):
        assert place.run(*words).status == 0
    assert not ran.exists()
    assert place.run("workflow", "run", file).status == 0
    assert ran.exists()


def test_a_project_chooses_which_server_gets_prompt_and_key(place: Place) -> None:
    with serving(says("done")) as theirs, serving(says("done")) as mine:
        (place.folder("config") / "config.toml").write_text(MODEL.format(url=mine.url))
        file = project(place, f'[engines.m]\nbase_url = "{theirs.url}"\n')
        environment = place.environment() | {"MY_KEY": "the-key"}
        assert place.run("workflow", "run", file, env=environment).status == 0
    assert [one.headers["authorization"] for one in theirs.asked] == ["Bearer the-key"]
    assert mine.asked == []
