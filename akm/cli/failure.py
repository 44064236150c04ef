"""How an error ends a command: which sentence, code and exit status. Imported only when one happened."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable

from typer.exceptions import Abort, Exit, TyperException

from akm.cli import output
from akm.errors import AkmError, ConfigError, TransientError, WorkflowSourceError

INTERRUPTED = 130
BROKEN_PIPE = 141
_BUG = 70
_RIGHTS = "Correct the permissions of it and of the folders above it, or name another place."
#: What a file or folder may refuse to anybody's program, whichever way akm came to it, and what to do then.
_OF_THE_PLACE = {
    errno.EACCES: _RIGHTS,
    errno.EPERM: _RIGHTS,
    errno.EROFS: "Name a place on a disk that may be written to.",
    errno.ENAMETOOLONG: "Choose a shorter name.",
}
#: The codes of the mistakes that Typer finds, by the name of its exception.
_CODES = {"NoSuchOption": "UNKNOWN_FLAG", "MissingParameter": "MISSING_REQUIRED_ARGUMENT"}


def report(error: BaseException) -> int:
    """Say what happened on standard error and return the exit status."""
    if _is_debugging() and isinstance(error, Exception) and not isinstance(error, Exit | BrokenPipeError):
        import traceback

        output.trace("".join(traceback.format_exception(error)))
    status = _status(error)
    if isinstance(error, BrokenPipeError) or getattr(error, "code", None) == "OUTPUT_UNWRITABLE":
        _abandon_output()
    return status


def _status(error: BaseException) -> int:
    if isinstance(error, Exit):
        return error.exit_code
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    if isinstance(error, KeyboardInterrupt | Abort):
        output.fail("Interrupted.", code="INTERRUPTED", hint=None)
        return INTERRUPTED
    if isinstance(error, BrokenPipeError):
        return BROKEN_PIPE  # The reader has seen enough: nothing is said, as with any filter.
    if isinstance(error, AkmError):
        output.fail(error.message, code=error.code, hint=error.hint, findings=_findings(error))
        return error.exit_status
    if isinstance(error, TyperException):
        return _usage(error)
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
        return _too_many_files()
    if isinstance(error, OSError) and isinstance(error.filename, str) and error.errno in _OF_THE_PLACE:
        return _unusable(error, _OF_THE_PLACE[error.errno])
    return _bug(error)


def _findings(error: AkmError) -> Iterable[output.Finding]:
    if isinstance(error, WorkflowSourceError):
        for found in error.findings:
            yield error.file, found.line, found.text, found.code


def _usage(error: TyperException) -> int:
    context = getattr(error, "ctx", None)
    message = " ".join(error.format_message().split())
    for type_of_program in ("a valid int range", "a valid int"):
        message = message.replace(f"is not {type_of_program}", "is not a whole number")
    hint = f"See `{context.command_path} --help`." if context is not None else None
    code = _CODES.get(type(error).__name__, "INVALID_FLAG_VALUE")
    output.fail(message if message.endswith((".", "?", "!")) else f"{message}.", code=code, hint=hint)
    return error.exit_code


def _too_many_files() -> int:
    output.fail(
        "No more files can be opened; nothing that was finished is lost.",
        code="TOO_MANY_FILES",
        hint="Raise the limit (`ulimit -n`) or end other programs, then run the same command again.",
    )
    return TransientError.exit_status


def _unusable(error: OSError, hint: str) -> int:
    output.fail(
        f"{error.filename} cannot be used: {error.strerror}.",
        code="FILE_UNUSABLE",
        hint=hint,
    )
    return ConfigError.exit_status


def _bug(error: BaseException) -> int:
    output.fail(
        f"This is a bug in akm ({type(error).__name__}); nothing that was finished is lost.",
        code="INTERNAL_ERROR",
        hint="Run the same command with AKM_DEBUG=1 and report what it prints, together with `akm info`.",
    )
    return _BUG


def _is_debugging() -> bool:
    return os.environ.get("AKM_DEBUG", "").strip() == "1"


def _abandon_output() -> None:
    # Python would try to write what is left at exit, and complain again.
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError, AttributeError):
        pass  # Standard output is closed or is no file: nothing is left to be written.
