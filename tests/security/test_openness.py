"""What was there before akm, or was opened since, is left as it is and told by `akm db doctor`."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from installed import Place


@pytest.fixture
def place() -> Iterator[Place]:
    """A machine whose directories others could reach: those of pytest are shut off above."""
    with tempfile.TemporaryDirectory(prefix="akm-open-") as folder:
        made = Place(Path(os.path.realpath(folder)))
        made.root.chmod(0o755)
        if not all(folder.stat().st_mode & stat.S_IXOTH for folder in made.root.parents):
            pytest.skip("TMPDIR is shut off from others")
        made.folder("data").chmod(0o755)
        assert made.run("workflow", "list").status == 0
        yield made


def told(place: Place) -> list[Any]:
    done = place.run("db", "doctor")
    assert done.status == 0, done.err
    return [one for one in done.result["findings"] if one["check"] == "modes"]


def test_a_wider_folder_stays_as_it_is_and_is_told_once(place: Place) -> None:
    (found,) = told(place)
    assert (found["severity"], found["examples"]) == ("warning", [str(place.root / "data")])
    assert "chmod go=" in found["remedy"]
    assert stat.S_IMODE((place.root / "data").stat().st_mode) == 0o755
    assert stat.S_IMODE((place.root / "data/state.db").stat().st_mode) == 0o600


def test_a_file_that_others_can_read_is_told_once_they_can_reach_it(place: Place) -> None:
    (place.root / "data/state.db").chmod(0o644)
    assert str(place.root / "data/state.db") in told(place)[0]["examples"]
    (place.root / "data").chmod(0o700)
    assert told(place) == []


def test_a_configuration_that_others_can_write_is_told(place: Place) -> None:
    (place.root / "data").chmod(0o700)
    place.folder("config").chmod(0o711)
    (place.root / "config/config.toml").write_text("")
    (place.root / "config/config.toml").chmod(0o622)
    assert str(place.root / "config/config.toml") in told(place)[0]["examples"]
