"""The Python surface: the ledger and the drive loop that the command uses, with values instead of flags."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from math import ceil, isfinite
from pathlib import Path
from typing import Any, Literal

from akm import config, paths
from akm.engine import driver, workplace
from akm.engine.result import RunResult
from akm.engine.runners import choose, python
from akm.engine.runners.base import Dispatch, Outcome, Runner
from akm.engine.runners.python import Dispatcher
from akm.errors import UsageError
from akm.store.database import Database
from akm.store.opening import open_database
from akm.workflow.plan import UnitNode

__all__ = ["Database", "Dispatch", "Dispatcher", "Outcome", "RunResult", "open", "run"]

#: The kinds of units whose work a callable may do.
KINDS = ("exec", "agent", "llm")
_LONGEST_MS = 2_147_483_647


def open(
    url: str | os.PathLike[str] | None = None, *, synchronous: Literal["full", "normal"] | None = None
) -> Database:
    """Open the ledger, creating or upgrading it first; use it in a `with` block and in this thread only.

    `url` is a path or `sqlite:///path`; None means the ledger that the `akm` command would use here.
    `synchronous` None is what the configuration says for that ledger, and full for any other. Sentences for
    a person are in the database's `warnings`. Raises ConfigError or TransientError; the file is then as it
    was.
    """
    if url is None:
        found = config.database(config.read())
        path, synchronous = found.path, synchronous or found.synchronous
    else:
        path = _path(os.fspath(url))
    paths.create(path.parent)
    return open_database(path, synchronous=synchronous or "full")


def run(
    db: Database,
    target: str | os.PathLike[str],
    *,
    params: Mapping[str, Any] | None = None,
    dispatchers: Mapping[str, Dispatcher] | None = None,
    cwd: str | os.PathLike[str] | None = None,
    new: bool = False,
    max_steps: int | None = None,
    max_retries: int = 0,
    timeout_seconds: float | None = None,
    max_concurrency: int | None = None,
) -> RunResult:
    """Start a workflow, or go on with a run, and drive it until it stops, as `akm workflow run` does.

    `target` is a run id, its beginning, a ref or a file seen from `cwd`. `params` are JSON values.
    `dispatchers` do the units' work instead of processes, by kind (`exec`, `agent`, `llm`): each gets the
    Dispatch on a worker thread and returns an Outcome or a JSON value; what it raises makes the unit fail.
    Failures are in the result; raises an AkmError for what keeps the run from being started or driven.
    """
    options = driver.Options(
        max_steps=_at_least(1, "max_steps", max_steps),
        max_retries=_at_least(0, "max_retries", max_retries) or 0,
        timeout_ms=_milliseconds(timeout_seconds),
        max_concurrency=_at_least(1, "max_concurrency", max_concurrency),
        new=new,
        runner_for=_choice(dispatchers) if dispatchers else None,
    )
    work = workplace.here(None if cwd is None else Path(cwd))
    return driver.run(db, work, os.fspath(target), given=dict(params or {}), options=options)


def _path(text: str) -> Path:
    here = paths.working_directory()
    if "://" in text or text in ("", ":memory:"):
        return paths.database_path(text, base=here, named="The argument of akm.open")
    return paths.absolute(text, here)


def _choice(dispatchers: Mapping[str, Dispatcher]) -> Callable[[UnitNode], Runner | None]:
    unknown = [str(kind) for kind in dispatchers if kind not in KINDS]
    if unknown:
        raise UsageError(
            f"There are no units of kind {unknown[0]!r}: dispatchers are for {', '.join(KINDS)}."
        )
    runners: dict[str, Runner] = {
        kind: partial(choose.guard, python.runner(call, kind=kind)) for kind, call in dispatchers.items()
    }
    return lambda node: runners.get(choose.kind_of(node.target)) or choose.runner_for(node)


def _at_least(least: int, name: str, value: int | None) -> int | None:
    if value is None or (type(value) is int and value >= least):
        return value
    raise UsageError(f"{name} must be a whole number, {least} or more.")


def _milliseconds(seconds: float | None) -> int | None:
    if seconds is None:
        return None
    if not (isfinite(seconds) and 0 < seconds <= _LONGEST_MS / 1000):
        raise UsageError(f"timeout_seconds must be more than 0 and at most {_LONGEST_MS // 1000}.")
    return ceil(seconds * 1000)
