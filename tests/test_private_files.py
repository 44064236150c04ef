"""Folders and files for their owner alone."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from akm import private_files
from akm.engine.files import file_text


@pytest.fixture(autouse=True)
def _no_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_every_folder_that_is_made_is_private_and_what_was_there_stays(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir(mode=0o755)
    made = private_files.make_folder(tmp_path / "there/a/b")
    assert [mode(one) for one in (made, made.parent, made.parent.parent)] == [0o700, 0o700, 0o755]
    assert private_files.make_folder(tmp_path / "there") == tmp_path / "there"
    assert mode(tmp_path / "there") == 0o755


def test_a_file_in_the_way_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file/inner"):
        with pytest.raises(OSError, match=r"exists|Not a directory"):
            private_files.make_folder(folder)


def test_a_new_file_takes_the_place_of_nothing(tmp_path: Path) -> None:
    os.close(private_files.new(tmp_path / "a"))
    assert mode(tmp_path / "a") == 0o600
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for name in ("a", "link"):
        with pytest.raises(FileExistsError):
            private_files.new(tmp_path / name)
    assert not (tmp_path / "elsewhere").exists()


def test_a_file_is_written_whole_and_a_link_in_its_place_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("kept")
    (tmp_path / "a").symlink_to(tmp_path / "elsewhere")
    private_files.write(tmp_path / "a", b"secret")
    assert (tmp_path / "a").read_text() == "secret"
    assert mode(tmp_path / "a") == 0o600
    assert (tmp_path / "elsewhere").read_text() == "kept"
    assert sorted(os.listdir(tmp_path)) == ["a", "elsewhere"]


def test_a_file_that_cannot_be_written_leaves_no_draft(tmp_path: Path) -> None:
    (tmp_path / "a/full").mkdir(parents=True)
    with pytest.raises(OSError, match="directory"):
        private_files.write(tmp_path / "a", b"x")
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize("write", [private_files.write, file_text.replace])
def test_threads_that_write_one_file_at_once_do_not_hinder_each_other(
    write: Callable[[Path, bytes], None], tmp_path: Path
) -> None:
    contents = [bytes([65 + number]) * 5000 for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(20):
            [*pool.map(lambda content: write(tmp_path / "a", content), contents)]
    assert (tmp_path / "a").read_bytes() in contents
    assert os.listdir(tmp_path) == ["a"]
