"""The program git, run so that nothing of a repository is ever executed, and its failures as errors."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from akm.engine.abort import Abort
from akm.engine.runners import process, program
from akm.engine.signals import stopping
from akm.errors import AkmError, ConfigError, NotFoundError, TransientError

NETWORK_SECONDS = 900
LOCAL_SECONDS = 120
#: Over whatever the user's configuration and the repository say. Credential helpers, proxies and ssh stay.
_SETTINGS = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.autocrlf": "false",
    "protocol.ext.allow": "never",
    "submodule.recurse": "false",
    "fetch.recurseSubmodules": "false",
    "log.showSignature": "false",
    "advice.detachedHead": "false",
    # Whatever it starts in the background would outlive the command.
    "gc.auto": "0",
    "maintenance.auto": "false",
}
#: Variables named GIT_... say which repository is meant, unless they are these: how a server is reached.
_KEPT = re.compile(r"GIT_(SSH|SSL|HTTP|PROXY|ASKPASS|CONFIG_(GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY|VALUE))")
_USER_INFO = re.compile(r"(?<=://)[^/\s@]*@")
_LOST = re.compile(r"couldn't find remote ref|not our ref|no such remote ref", re.IGNORECASE)
_SAID = re.compile(r"^(?:fatal|error): (.+?)\s*$", re.MULTILINE)
_AWAY = re.compile(
    r"could not resolve|could ?n[o']t connect|connection (refused|reset|timed out)|timed out|"
    r"network is unreachable|temporary failure|early eof|unexpected disconnect|error: 5\d\d",
    re.IGNORECASE,
)


@contextmanager
def stoppable() -> Iterator[Abort]:
    """Turn the signals that ask for a stop into an abort for the block, which ends the git that runs."""
    abort = Abort()
    try:
        with stopping(abort):
            yield abort
    finally:
        abort.close()


def run(arguments: Sequence[str], *, cwd: Path, abort: Abort, what: str, protocols: str, seconds: int) -> str:
    """Run git to its end and return what it printed. `what` names, for a person, the thing it works on.

    Raises ConfigError without the program, NotFoundError for a source or ref that is not there,
    TransientError for a server that does not answer; after a signal, the exit that it asks for.
    """
    environment = _environment(os.environ, protocols)
    found = program.find("git", cwd=str(cwd), path=environment.get("PATH"))
    if found is None:
        raise ConfigError("The program git is not on PATH: install git.", code="PROGRAM_NOT_FOUND")
    settings = [word for name, value in _SETTINGS.items() for word in ("-c", f"{name}={value}")]
    end = process.supervise(
        ["git", *settings, *arguments],
        program=found,
        cwd=str(cwd),
        env=environment,
        stdin=None,
        timeout_ms=seconds * 1000,
        abort=abort,
    )
    if abort.is_set:
        _stop(abort.reason)
    if end.timed_out:
        raise TransientError(f"git took longer than {seconds} s for {what}.", code="SOURCE_UNREACHABLE")
    if end.spawn_error is not None:
        raise ConfigError(f"git cannot be started: {program.why_not_started(end.spawn_error)}.")
    if end.status != 0 or end.stdout.discarded:
        raise _error(end.stderr.data.decode("utf-8", "replace"), what, end.status)
    return end.stdout.data.decode("utf-8", "surrogateescape")


def _environment(given: Mapping[str, str], protocols: str) -> dict[str, str]:
    kept = {name: value for name, value in given.items() if not name.startswith("GIT_") or _KEPT.match(name)}
    return kept | {
        "GIT_ALLOW_PROTOCOL": protocols,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_LITERAL_PATHSPECS": "1",
        "LC_ALL": "C",
    }


def _error(printed: str, what: str, status: int | None) -> AkmError:
    told = _USER_INFO.sub("", printed)
    if _LOST.search(told):
        return NotFoundError(
            f"There is no such branch, tag or commit in {what}.",
            code="SOURCE_NOT_FOUND",
            hint="Give a branch, a tag or a full commit, or none for the newest commit.",
        )
    said = _SAID.search(told)
    reason = said[1].rstrip(".") if said else f"it ended with status {status}"
    if _AWAY.search(told):
        return TransientError(f"git does not reach {what}: {reason}.", code="SOURCE_UNREACHABLE")
    return NotFoundError(f"git cannot use {what}: {reason}.", code="SOURCE_NOT_FOUND")


def _stop(reason: str | None) -> NoReturn:
    number = signal.Signals[reason or "SIGINT"]
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(128 + number)
