"""The directory a unit runs in: its frozen base joined with its `cwd`, checked again at dispatch."""

from __future__ import annotations

import os

from akm.engine.runners.base import Outcome, failed
from akm.workflow.plan import CwdIdentity


def resolve(
    identity: CwdIdentity | None, cwd: str | None, *, label: str, instead: str | None = None
) -> str | Outcome:
    """Return the real path of the directory, or the failure when it lies outside the base or is none.

    `instead` is the real path of a directory that stands for the frozen base.
    """
    if identity is None:
        return failed("dispatch_error", f"{label} has no base directory in its plan; start a new run.")
    base = instead or identity.real_root
    if not os.path.isdir(base):
        return failed("spawn_failed", f"{label} was not started: its base directory {base} is gone.")
    try:
        real = os.path.realpath(os.path.join(base, cwd or ""))
    except ValueError:
        return failed("spawn_failed", f"{label} was not started: its cwd holds a NUL byte.")
    if real != base and not real.startswith(base.rstrip("/") + "/"):
        return failed(
            "exec_cwd_escape",
            f"{label} was not started: its cwd {cwd or '.'!r} leads to {real}, "
            f"outside its base directory {base}.",
        )
    if real != base and not os.path.isdir(real):
        return failed(
            "spawn_failed", f"{label} was not started: its cwd {cwd!r} is not a directory in {base}."
        )
    return real
