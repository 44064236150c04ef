"""Every error akm raises on purpose, as an outline.

    AkmError                70  a bug, unless a subclass says otherwise
      UsageError             2  the command, its arguments or a workflow file is wrong
        WorkflowSourceError  2  a workflow file with findings, all of them
      NotFoundError          1  no such run, workflow or file
      ConfigError           78  configuration or installation must change first
      TransientError        75  held or contended: the same command works later
      ResponseError          1  a server answered with something that is no use
      OutputError            1  the work is done, but its result cannot be written

A message says what happened, to which thing, and what to do next. Errors never print themselves:
`akm.cli.output` does, in one place. Unit failures are values, not exceptions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from akm.workflow.parsing.findings import Finding

#: What to do about a code when the raiser has nothing better to say.
HINTS: dict[str, str] = {
    "UNKNOWN_FLAG": "List the parameters with `akm workflow plan`.",
    "RUN_LEASE_HELD": "Wait for the other process to end, then run the same command again.",
    "STATE_DB_CONTENDED": "Another process holds the database; run the same command again.",
    "WORKFLOW_NOT_FOUND": "List runs with `akm workflow list --all-scopes`.",
    "DATABASE_NEWER": "Upgrade akm, or point AKM_DATABASE_URL at another file.",
    "REGISTRY_RESPONSE_INVALID": "Check that the URL is that of the registry, or ask whoever runs it.",
    "DATABASE_FULL": "Free some disk space, then run the same command again.",
}


class AkmError(Exception):
    """Something inside akm went wrong that no user can put right."""

    exit_status = 70
    code: str | None = None

    def __init__(self, message: str, *, code: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or type(self).code
        self.hint = hint or HINTS.get(self.code or "")


class UsageError(AkmError):
    """The command, an argument, a parameter or a file it names is wrong; nothing was written."""

    exit_status = 2
    code = "INVALID_FLAG_VALUE"


class WorkflowSourceError(UsageError):
    """A workflow file does not compile; `findings` holds every reason, in file order.

    `file` is the path to print before each line number, None when the source is no file.
    """

    code = "WORKFLOW_SOURCE_INVALID"

    def __init__(
        self, message: str, findings: Sequence[Finding], *, file: str | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.findings = tuple(findings)
        self.file = file


class NotFoundError(AkmError):
    """The named run, workflow or file does not exist."""

    exit_status = 1
    code = "ASSET_NOT_FOUND"


class ConfigError(AkmError):
    """Configuration, installation or the database file must be changed by a person first."""

    exit_status = 78
    code = "INVALID_CONFIG_FILE"


class TransientError(AkmError):
    """Something else is in the way just now; the same command works later."""

    exit_status = 75
    code = "STATE_DB_CONTENDED"


class ResponseError(AkmError):
    """A server answered, and its answer cannot be used: too large, no JSON, another shape, refused."""

    exit_status = 1
    code = "REGISTRY_RESPONSE_INVALID"


class OutputError(AkmError):
    """The result cannot be written to standard output; whatever the command did is done."""

    exit_status = 1
    code = "OUTPUT_UNWRITABLE"
