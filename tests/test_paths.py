"""Where files are kept: overrides, XDG directories, database URLs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from akm import paths
from akm.errors import ConfigError


@pytest.fixture(autouse=True)
def _no_overrides(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for kind in ("CONFIG", "DATA", "STATE", "CACHE"):
        monkeypatch.delenv(f"AKM_{kind}_DIR", raising=False)
        monkeypatch.delenv(f"XDG_{kind}_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


def test_an_override_is_used_as_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AKM_DATA_DIR", f"  {tmp_path}/d  ")
    assert paths.data_dir() == tmp_path / "d"


def test_a_relative_override_starts_at_the_working_directory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AKM_DATA_DIR", "d")
    assert paths.data_dir() == Path(os.path.realpath(tmp_path)) / "d"


def test_a_blank_override_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AKM_DATA_DIR", "  ")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg"))
    assert paths.data_dir() == tmp_path / "xdg" / "akm"


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS has directories of its own")
def test_without_overrides_the_xdg_defaults_below_home_hold(tmp_path: Path) -> None:
    assert paths.config_dir() == tmp_path / ".config/akm"
    assert paths.data_dir() == tmp_path / ".local/share/akm"
    assert paths.state_dir() == tmp_path / ".local/state/akm"
    assert paths.cache_dir() == tmp_path / ".cache/akm"


@pytest.mark.parametrize("home", [None, "", " "])
def test_without_home_the_missing_setting_is_named(monkeypatch: pytest.MonkeyPatch, home: str | None) -> None:
    monkeypatch.delenv("HOME") if home is None else monkeypatch.setenv("HOME", home)
    with pytest.raises(ConfigError, match="HOME is not set: set AKM_DATA_DIR"):
        paths.data_dir()
    with pytest.raises(ConfigError, match="set AKM_CONFIG_DIR") as caught:
        paths.config_dir()
    assert "AKM_DATA_DIR" in (caught.value.hint or "")


def test_a_directory_is_created_for_its_owner_alone(tmp_path: Path) -> None:
    made = paths.create(tmp_path / "a" / "b")
    assert made.stat().st_mode & 0o777 == 0o700
    assert paths.create(made) == made


def test_a_file_in_the_way_of_a_directory_is_told(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    with pytest.raises(ConfigError, match=f"The directory {tmp_path}/a/b cannot be created") as caught:
        paths.create(tmp_path / "a" / "b")
    assert caught.value.code == "DATA_DIR_UNREADABLE"


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("sqlite:////x/state.db", "/x/state.db"),
        ("sqlite:///state.db", "/base/state.db"),
        ("sqlite:///../state.db", "/state.db"),
    ],
)
def test_a_sqlite_url_names_a_file(url: str, path: str) -> None:
    assert paths.database_path(url, base=Path("/base"), named="x") == Path(path)


def test_a_home_directory_in_a_url_is_expanded(tmp_path: Path) -> None:
    assert paths.database_path("sqlite:///~/s.db", base=Path("/"), named="x") == tmp_path / "s.db"


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:secret@h/db",
        "sqlite://",
        "sqlite:///",
        "sqlite:///:memory:",
        "sqlite:///a?b=c",
        "/a.db",
    ],
)
def test_any_other_url_is_refused_without_being_repeated(url: str) -> None:
    with pytest.raises(ConfigError, match=r"^AKM_DATABASE_URL is not the URL of a SQLite file") as caught:
        paths.database_path(url, base=Path("/"), named="AKM_DATABASE_URL")
    assert "secret" not in caught.value.message


def test_a_deleted_working_directory_is_told_in_a_sentence(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    program = (
        "import os, sys; os.rmdir(os.getcwd())\n"
        "from akm import paths, errors\n"
        "try: paths.working_directory()\n"
        "except errors.UsageError as e: print(e.message)\n"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=gone, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("The working directory does not exist any more")
