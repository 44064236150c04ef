"""One child process from its start to its end: its pipes, its timeout, its abort and its process group.

What the end means for a unit is decided elsewhere.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from akm.engine.abort import Abort
from akm.engine.runners import standard_input
from akm.engine.runners.capture import Head, Tail
from akm.engine.runners.supervision import Supervision


@dataclass(frozen=True, slots=True)
class Exit:
    """How a child ended.

    `status` is as in `subprocess`: negative for a signal, None when nothing was started or when not even
    SIGKILL ended it. `spawn_error` is set when it could not be started. A child that ended by itself is
    neither aborted nor timed out, even when the request to stop came in the same moment.
    """

    status: int | None = None
    was_aborted: bool = False
    timed_out: bool = False
    spawn_error: OSError | ValueError | None = None
    stdout: Head = field(default_factory=Head)
    stderr: Tail = field(default_factory=Tail)
    started: bool = True


def supervise(
    argv: Sequence[str],
    *,
    program: str,
    cwd: str,
    env: Mapping[str, str],
    stdin: bytes | None,
    timeout_ms: int | None,
    abort: Abort,
) -> Exit:
    """Start the file `program` as `argv` and wait for its end, its timeout or its abort.

    All of `stdin` is there for it from its start on; None is an empty input.

    The child leads a session and process group of its own. On timeout and abort the group gets SIGTERM and
    5 s later SIGKILL; the call then returns within a second whatever a descendant does with the pipes.
    Descendants that moved to another session or group cannot be followed and stay. Once the child has ended
    by itself its pipes have 2 s to reach their end; a group that still holds stdout then is killed.

    Safe on many threads at once: no signal handling, no shared state.
    """
    if abort.is_set:
        return Exit(was_aborted=True, started=False)
    try:
        with standard_input.holding(stdin) as source:
            child = subprocess.Popen(
                argv,
                executable=program,
                cwd=cwd,
                env=env,
                stdin=source,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
    except (OSError, ValueError) as error:
        return Exit(spawn_error=error, started=False)
    watched = Supervision(child, timeout_ms=timeout_ms, abort=abort)
    watched.run()
    return Exit(
        status=child.returncode,
        was_aborted=watched.was_stopped and abort.is_set,
        timed_out=watched.timed_out,
        stdout=watched.stdout,
        stderr=watched.stderr,
    )
