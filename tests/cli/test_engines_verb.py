"""`akm engines`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

CONFIG = """\
[engines.coder]
kind = "agent"
preset = "claude"
model = "fast"
pass_env = ["CODER_KEY"]

[engines.other]
kind = "agent"
preset = "codex"

[engines.script]
kind = "agent"
command = ["./answer"]
model = "slow"

[engines.checker]
kind = "llm"
base_url = "https://models.example/v1?key=hidden"
model = "fast"
api_key_env = "CHECKER_KEY"

[models.fast]
coder = "haiku"
checker = "small"

[models.slow]
coder = "opus"
"""


@pytest.fixture
def configured(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the project, with engines, of which only claude's program is installed."""
    project = home / "project"
    (project / ".akm").mkdir()
    (project / ".akm/config.toml").write_text(CONFIG)
    for file in (home / "bin/claude", home / "bin/gemini", project / "answer"):
        file.parent.mkdir(exist_ok=True)
        file.write_text("#!/bin/sh\n")
        file.chmod(0o755)
    monkeypatch.setenv("PATH", str(home / "bin"))
    monkeypatch.delenv("CHECKER_KEY", raising=False)
    monkeypatch.delenv("CODER_KEY", raising=False)
    return project


def test_each_engine_is_told_with_its_status(run: Any, configured: Path) -> None:
    done = run("engines")
    assert (done.status, done.err) == (0, "")
    engines = {one.pop("name"): one for one in done.result["engines"]}
    file = str(configured / ".akm/config.toml")
    assert engines["coder"] == {
        "kind": "agent",
        "preset": "claude",
        "program": "claude",
        "url": None,
        "status": "usable, but not set: CODER_KEY",
        "model": "haiku",
        "usable": True,
        "configured": file,
    }
    assert engines["checker"] == {
        "kind": "llm",
        "preset": None,
        "program": None,
        "url": "https://models.example/v1",
        "status": "variable CHECKER_KEY is not set",
        "model": "small",
        "usable": False,
        "configured": file,
    }
    assert (engines["other"]["usable"], engines["other"]["status"]) == (False, "program not installed: codex")
    assert engines["script"]["status"] == "the model alias slow says nothing about it"


def test_what_is_set_makes_an_engine_usable(
    run: Any, configured: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHECKER_KEY", "hidden-value")
    monkeypatch.setenv("CODER_KEY", "hidden-value")
    (configured / ".akm/config.toml").write_text(CONFIG.replace('model = "slow"\n', ""))
    done = run("engines")
    status = {one["name"]: one["status"] for one in done.result["engines"]}
    assert status == {
        "checker": "usable",
        "coder": "usable",
        "other": "program not installed: codex",
        "script": "usable",
    }
    assert "hidden" not in done.out


def test_the_presets_that_no_engine_uses_are_told(run: Any, configured: Path) -> None:
    assert configured.is_dir()
    presets = {one["preset"]: (one["program"], one["installed"]) for one in run("engines").result["presets"]}
    assert presets == {
        "opencode": ("opencode", False),
        "gemini": ("gemini", True),
        "aider": ("aider", False),
        "copilot": ("copilot", False),
    }


def test_people_get_two_tables(run: Any, configured: Path) -> None:
    assert configured.is_dir()
    out = run("engines", "--format", "text").out
    assert "coder" in out
    assert "usable, but not set: CODER_KEY" in out
    assert "AVAILABLE PRESET" in out


def test_without_engines_it_says_how_to_get_one(run: Any, home: Path) -> None:
    assert home.is_dir()
    done = run("engines", "--format", "text")
    assert done.status == 0
    assert "No engine is configured: add [engines.NAME]" in done.out
    assert len(run("engines").result["presets"]) == 6


def test_an_unknown_preset_is_one_sentence_with_file_and_key(run: Any, configured: Path) -> None:
    (configured / ".akm/config.toml").write_text(CONFIG.replace('"claude"', '"clawde"'))
    done = run("engines")
    assert done.status == 78
    assert done.error["error"].startswith(
        f"{configured}/.akm/config.toml: engines.coder.preset must be one of"
    )
    assert "did you mean claude?" in done.error["error"]


def test_a_preview_and_lint_warn_of_a_program_that_is_not_there(run: Any, configured: Path) -> None:
    (configured / "workflows").mkdir()
    (configured / "workflows/w.md").write_text(
        "---\ntype: workflow\ndefaults: { engine: other }\nsteps:\n  - id: a\n---\n# W\n\n## a\n\nDo it.\n"
    )
    sentence = 'The program "codex" of engine "other" is not installed: no executable of that name is on'
    assert sentence in run("workflow", "plan", "w").result["warnings"][0]
    linted = run("workflow", "lint")
    assert linted.status == 0
    assert sentence in linted.result["findings"][0]["message"]
