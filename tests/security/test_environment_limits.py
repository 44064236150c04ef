"""What the allowlist of a unit's environment is worth, and what redaction is not."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from installed import Place
from workflow_files import a_file, a_step, sh

from akm.engine.redaction import Redaction
from akm.engine.secrecy import secrets
from akm.errors import UsageError

TOKEN = "canary-of-the-surroundings-8d2f"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def output(place: Place, script: str, **options: Any) -> str:
    """Run one unit with a variable around it that nobody passes on, and return its output."""
    file = place.workflow("w", a_file(a_step("a", *sh(script))))
    environment = place.environment() | {"MY_TOKEN": TOKEN}
    done = place.run("workflow", "run", file, env=environment, **options)
    assert done.status == 0, done.err
    ((stored,),) = place.rows("SELECT evidence_json FROM workflow_run_steps")
    return str(json.loads(stored)["output"])


def test_a_variable_that_is_not_passed_is_not_in_a_units_environment(place: Place) -> None:
    seen = output(place, "env")
    assert "PATH=" in seen
    assert TOKEN not in seen


def test_a_unit_can_read_and_write_what_its_user_can(place: Place) -> None:
    (place.folder("home") / "notes").write_text("of its user")
    assert output(place, 'cat "$HOME/notes"; echo more > "$HOME/other"') == "of its user"
    assert (place.root / "home/other").exists()


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
def test_a_unit_that_looks_for_it_finds_the_environment_of_akm(place: Place) -> None:
    assert TOKEN in output(place, r"tr '\0' '\n' < /proc/$PPID/environ")


def test_a_secret_in_another_spelling_is_not_found() -> None:
    redaction = Redaction([TOKEN])
    assert redaction.text(f"it is {TOKEN}") == "it is [REDACTED]"
    for spelling in (base64.b64encode(TOKEN.encode()).decode(), TOKEN.upper(), " ".join(TOKEN)):
        assert redaction.text(spelling) == spelling


def test_a_link_to_a_secret_is_followed_and_what_it_leads_to_must_be_its_owners(tmp_path: Path) -> None:
    (tmp_path / "secrets").mkdir()
    (tmp_path / "elsewhere").write_text("hush")
    (tmp_path / "secrets/KEY").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").chmod(0o640)
    with pytest.raises(UsageError, match="can be read by others"):
        secrets.resolve("KEY", tmp_path, {})
    (tmp_path / "elsewhere").chmod(0o600)
    assert secrets.resolve("KEY", tmp_path, {}) == "hush"
