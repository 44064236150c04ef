"""Where akm keeps its files: the directories and the database. Reads no configuration.

`AKM_CONFIG_DIR`, `AKM_DATA_DIR`, `AKM_STATE_DIR` and `AKM_CACHE_DIR` win; else the XDG directories.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from akm import private_files
from akm.errors import ConfigError, UsageError

_SQLITE = "sqlite:///"
_UNUSABLE = "Correct its permissions, or point AKM_DATA_DIR (or its kin) at another directory."


def config_dir() -> Path:
    """Return the directory of the user's `config.toml`. Raises ConfigError without HOME."""
    return _directory("config")


def data_dir() -> Path:
    """Return the directory of the database and the run locks. Raises ConfigError without HOME."""
    return _directory("data")


def state_dir() -> Path:
    """Return the directory of what may be lost without harm. Raises ConfigError without HOME."""
    return _directory("state")


def cache_dir() -> Path:
    """Return the directory of what can be fetched again. Raises ConfigError without HOME."""
    return _directory("cache")


def user_config_file() -> Path:
    """Return the path of the user's `config.toml`, whether it exists or not."""
    return config_dir() / "config.toml"


def create(directory: Path) -> Path:
    """Make `directory` for its owner alone (mode 0700) unless it exists, and return it.

    Raises ConfigError `DATA_DIR_UNREADABLE` when it cannot be made or entered.
    """
    try:
        private_files.make_folder(directory)
    except OSError as error:
        sentence = f"The directory {directory} cannot be created: {error.strerror}."
        raise ConfigError(sentence, code="DATA_DIR_UNREADABLE", hint=_UNUSABLE) from error
    if not os.access(directory, os.R_OK | os.X_OK):
        sentence = f"The directory {directory} cannot be read."
        raise ConfigError(sentence, code="DATA_DIR_UNREADABLE", hint=_UNUSABLE)
    return directory


def database_path(url: str | None, *, base: Path, named: str) -> Path:
    """Return the database file that `url` names, or `state.db` in the data directory when `url` is None.

    A relative path starts at `base`; `named` is the setting that holds the URL, for the ConfigError that
    any URL but `sqlite:///<file>` raises.
    """
    if url is None:
        return data_dir() / "state.db"
    file = url.removeprefix(_SQLITE)
    if file == url or not file or file == ":memory:" or "?" in file or "\0" in file:
        raise ConfigError(
            f"{named} is not the URL of a SQLite file, such as sqlite:////var/lib/akm/state.db.",
            hint="PostgreSQL, databases in memory and URL options are not supported.",
        )
    return absolute(file, base)


def database_url(path: Path) -> str:
    """Write a database file's path as a URL."""
    return f"{_SQLITE}{path}"


def working_directory() -> Path:
    """Return the real path of the working directory. Raises UsageError when it was deleted."""
    try:
        return Path(os.path.realpath(os.getcwd()))
    except OSError as error:
        raise UsageError(
            "The working directory does not exist any more: change to another one and try again."
        ) from error


def nearest(
    start: Path, names: Iterable[str], is_there: Callable[[Path], bool] = os.path.exists
) -> Path | None:
    """Return `start` or its nearest ancestor that holds one of `names`; None when none does."""
    wanted = tuple(names)
    for folder in (start, *start.parents):
        if any(is_there(folder / name) for name in wanted):
            return folder
    return None


def is_shut(path: Path) -> bool:
    """Tell whether nobody can say if `path` exists, because a folder on the way may not be entered."""
    try:
        os.stat(path)
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False
    return False


def absolute(text: str, base: Path) -> Path:
    """Return the absolute path that `text` means when it is written down in `base`; `~` is HOME."""
    return Path(os.path.normpath(base / os.path.expanduser(text)))


def _directory(kind: str) -> Path:
    variable = f"AKM_{kind.upper()}_DIR"
    override = os.environ.get(variable, "").strip()
    if override:
        return absolute(override, Path("/") if override[0] in "/~" else working_directory())
    if not any(os.environ.get(name, "").strip() for name in (f"XDG_{kind.upper()}_HOME", "HOME")):
        raise ConfigError(
            f"akm cannot find its {kind} directory, because HOME is not set: set {variable}.",
            hint="Set HOME, or all of AKM_CONFIG_DIR, AKM_DATA_DIR, AKM_STATE_DIR and AKM_CACHE_DIR.",
        )
    import platformdirs

    return Path(getattr(platformdirs, f"user_{kind}_dir")("akm", appauthor=False))
