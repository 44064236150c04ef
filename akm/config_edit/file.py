"""One change of the user's configuration file at a time, under a lock, all of it or nothing."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from akm import config_layers, paths, private_files
from akm.errors import ConfigError, TransientError

_LOCK_SECONDS = 10


def edit(change: Callable[[str], str], *, entry: str) -> None:
    """Replace the text of the file by `change(text)`; a file that is not there has an empty text.

    `entry` names, for a person, what is changed: `change` raises ValueError or KeyError when the text is
    written in a way that it cannot change safely. Raises ConfigError for that and for a file that cannot be
    read or written, TransientError `CONFIG_HELD` when another process is changing it; nothing was written.
    """
    with held() as file:
        _replace(file, changed(file, change, entry=entry))


@contextmanager
def held() -> Iterator[Path]:
    """Hold the lock of the configuration file for the block and say which file that is.

    Raises TransientError `CONFIG_HELD` and ConfigError as `edit` does.
    """
    from filelock import FileLock, Timeout

    file = paths.user_config_file()
    paths.create(file.parent)
    # A configuration file kept elsewhere and linked here stays linked.
    file = Path(os.path.realpath(file))
    lock = FileLock(f"{file}.lock", timeout=_LOCK_SECONDS, is_singleton=True, mode=private_files.FILE)
    try:
        with lock:
            yield file
    except Timeout as error:
        raise TransientError(f"Another process is changing {file}: try again.", code="CONFIG_HELD") from error
    except OSError as error:
        raise ConfigError(f"The configuration file {file} cannot be changed: {error.strerror}.") from error


def changed(file: Path, change: Callable[[str], str], *, entry: str) -> str:
    """Return the text that `edit` would write, so that what it would refuse can be refused earlier."""
    text = ""
    if file.exists():
        config_layers.read_file(file)  # Whatever is wrong with the file is said in its own words.
        with open(file, encoding="utf-8", newline="") as stream:
            text = stream.read()
    try:
        return change(text)
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise ConfigError(
            f"{file} is written in a way that akm cannot change safely: nothing was changed.",
            hint=f"Edit {entry} in that file by hand.",
        ) from error


def _replace(file: Path, text: str) -> None:
    import tempfile

    mode = file.stat().st_mode & 0o777 if file.exists() else private_files.FILE
    descriptor, draft = tempfile.mkstemp(prefix=".config-", suffix=".toml", dir=file.parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(text.encode())
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(draft, mode)
        os.replace(draft, file)
    except BaseException:
        os.unlink(draft)
        raise
