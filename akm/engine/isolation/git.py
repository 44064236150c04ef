"""Asking the git program: one question at a time, stoppable, and without anything of the repository's own
that runs by itself (hooks, a watching daemon)."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from contextlib import suppress
from time import monotonic

from akm.engine.abort import Abort

_ALWAYS = ("-c", f"core.hooksPath={os.devnull}", "-c", "core.fsmonitor=false")
#: What would point git at another repository than the one of its folder: set where akm runs inside a hook.
_ELSEWHERE = frozenset(
    "GIT_" + name
    for name in (
        *("ALTERNATE_OBJECT_DIRECTORIES", "CONFIG", "CONFIG_PARAMETERS", "CONFIG_COUNT", "OBJECT_DIRECTORY"),
        *("DIR", "WORK_TREE", "IMPLICIT_WORK_TREE", "GRAFT_FILE", "INDEX_FILE", "NO_REPLACE_OBJECTS"),
        *("REPLACE_REF_BASE", "PREFIX", "SHALLOW_FILE", "COMMON_DIR", "NAMESPACE", "CEILING_DIRECTORIES"),
    )
)
_CREDENTIALS = re.compile(r"(://)[^/@\s]*@")
_LOOK_SECONDS = 0.1
_GRACE_SECONDS = 5.0


class GitFault(Exception):
    """git did not do what it was asked; `reason` says why and completes a sentence."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def ask(
    folder: str,
    *words: str,
    is_root: bool = False,
    abort: Abort | None = None,
    held: tuple[int, ...] = (),
    seconds: float = 120,
) -> str:
    """Run one git command in `folder` and return what it printed. Raises GitFault.

    `is_root`: the folder itself is a working tree, so no repository around it may answer in its place.
    `held` are descriptors that stay open for as long as git runs, even when this process is killed.
    """
    environment = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
    environment |= {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
    if is_root:
        environment["GIT_CEILING_DIRECTORIES"] = os.path.dirname(folder)
    try:
        process = subprocess.Popen(
            ["git", "-C", folder, *_ALWAYS, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            start_new_session=True,
            pass_fds=held,
        )
    except FileNotFoundError:
        raise GitFault("there is no program `git` here; install it") from None
    except (OSError, ValueError) as error:
        raise GitFault(f"git cannot be started ({getattr(error, 'strerror', None) or error})") from None
    with process:
        out, err = _to_its_end(process, abort, seconds)
    if process.returncode != 0:
        raise GitFault(_reason(os.fsdecode(err)))
    return os.fsdecode(out)


def _to_its_end(process: subprocess.Popen[bytes], abort: Abort | None, seconds: float) -> tuple[bytes, bytes]:
    deadline = monotonic() + seconds
    while True:
        try:
            return process.communicate(timeout=_LOOK_SECONDS)
        except subprocess.TimeoutExpired:
            is_stopped = abort is not None and abort.is_set
            if is_stopped or monotonic() > deadline:
                _stop(process)
                raise GitFault("git was stopped" if is_stopped else f"git took over {seconds:g} s") from None


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End git, which tidies up after itself if it is asked to end and given the time."""
    for signal_number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal_number)
        with suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=_GRACE_SECONDS)
            return


def _reason(err: str) -> str:
    """Take the first and the last of git's complaints: the cause, and what came of it."""
    lines = [line.strip() for line in err.splitlines() if line.strip()]
    told = [line.split(": ", 1)[1] for line in lines if line.startswith(("error: ", "fatal: "))] or lines
    chosen = dict.fromkeys([*told[:1], *told[-1:]])
    return _CREDENTIALS.sub(r"\1", "; ".join(chosen).rstrip(".")) or "git failed without a word"
