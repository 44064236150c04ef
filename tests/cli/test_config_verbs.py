"""`akm config show` and `akm config path`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def files(home: Path) -> tuple[Path, Path]:
    user, project = home / "config/config.toml", home / "project/.akm/config.toml"
    for file in (user, project):
        file.parent.mkdir()
    return user, project


def test_path_shows_which_files_are_read(run: Any, home: Path) -> None:
    assert run("config", "path").result == {
        "user": {"path": f"{home}/config/config.toml", "exists": False},
        "project": None,
    }


def test_path_shows_the_nearest_project(run: Any, files: tuple[Path, Path]) -> None:
    user, project = files
    user.write_text("")
    project.write_text("")
    done = run("config", "path", "--format", "text")
    assert done.out == f"user:    {user}\nproject: {project}\n"


def test_show_tells_where_each_value_came_from(
    run: Any, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    user, project = files
    user.write_text(
        '[engines.e]\nkind = "llm"\nbase_url = "http://h"\nmodel = "m"\napi_key_env = "THE_KEY"\n'
    )
    project.write_text("[registry]\nttl_seconds = 5\n")
    monkeypatch.setenv("AKM_DEFAULTS_ENGINE", "e")
    monkeypatch.setenv("THE_KEY", "sk-never-shown")
    done = run("config", "show")
    found = {entry["key"]: (entry["value"], entry["origin"]) for entry in done.result["settings"]}
    assert found["engines.e.api_key_env"] == ("THE_KEY", f"user file {user}")
    assert found["registry.ttl_seconds"] == (5, f"project file {project}")
    assert found["defaults.engine"] == ("e", "environment AKM_DEFAULTS_ENGINE")
    assert found["scheduler.enabled"] == (None, "default")
    assert "sk-never-shown" not in done.out + done.err


def test_show_takes_a_setting_or_a_section(run: Any, files: tuple[Path, Path]) -> None:
    files[0].write_text("[workflow]\nmax_concurrency = 2\n")
    lines = run("config", "show", "workflow", "--format", "jsonl").out.splitlines()
    assert [json.loads(line)["key"] for line in lines] == [
        "workflow.default_map_concurrency",
        "workflow.judge_engine",
        "workflow.max_concurrency",
    ]
    done = run("config", "show", "workflow.max_concurrency", "--format", "text")
    assert done.out.splitlines()[1].split() == [
        "workflow.max_concurrency",
        "2",
        "user",
        "file",
        str(files[0]),
    ]
    assert run("config", "show", "workflw").error["hint"] is not None
    assert run("config", "show", "workflw").status == 1


def test_show_warns_about_an_unknown_key_and_keeps_it(run: Any, files: tuple[Path, Path]) -> None:
    files[0].write_text("[registry]\nttl = 1\n")
    done = run("config", "show", "registry")
    assert done.status == 0
    assert done.err == (
        f"akm: warning: {files[0]}: there is no setting registry.ttl. Did you mean ttl_seconds?\n"
    )
    assert [entry["key"] for entry in done.result["settings"]] == ["registry.ttl", "registry.ttl_seconds"]


def test_a_broken_file_exits_78(run: Any, files: tuple[Path, Path]) -> None:
    files[0].write_text("[registry]\nttl_seconds = -1\n")
    done = run("config", "show")
    assert (done.status, done.out) == (78, "")
    assert done.error == {
        "ok": False,
        "error": f"{files[0]}: registry.ttl_seconds must be at least 0.",
        "code": "INVALID_CONFIG_FILE",
    }


def test_show_never_prints_the_credentials_of_a_registry(run: Any, files: tuple[Path, Path]) -> None:
    files[0].write_text('[registries.a]\nurl = "https://me:secret@a.example/index.json"\n')
    done = run("config", "show", "registries.a.url")
    assert done.result["settings"][0]["value"] == "https://a.example/index.json"
    assert "secret" not in done.out + done.err
