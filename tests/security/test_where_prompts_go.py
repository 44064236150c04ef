"""A prompt goes to the host and the program that the configuration names for its engine, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest
from chat_server import answered, complains, says, serving
from installed import Place
from workflow_files import a_file

ENGINE = '[engines.{name}]\nkind = "llm"\nbase_url = "{url}"\nmodel = "s"\n'


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def configured(place: Place, **urls: str) -> str:
    """Configure these models, the first one as the default, and write a workflow of one prompt."""
    text = f'[defaults]\nengine = "{next(iter(urls))}"\n'
    text += "".join(ENGINE.format(name=name, url=url) for name, url in urls.items())
    (place.folder("config") / "config.toml").write_text(text)
    return place.workflow("w", a_file({"id": "ask"}))


def test_no_prompt_follows_a_redirect(place: Place) -> None:
    with serving(says("I got it")) as other:
        redirect = answered(b"", 307, Location=f"{other.url}/chat/completions")
        with serving(redirect) as server:
            done = place.run("workflow", "run", configured(place, m=server.url))
    assert done.status == 1
    assert (len(server.asked), other.asked) == (1, [])


def test_no_other_engine_gets_the_prompt_of_one_that_fails(place: Place) -> None:
    with serving(says("I got it")) as other, serving(complains(401)) as server:
        done = place.run("workflow", "run", configured(place, m=server.url, spare=other.url))
    assert done.status == 1
    assert (len(server.asked), other.asked) == (1, [])
