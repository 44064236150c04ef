"""The outcome of a process that did what it should: its output as text, or as the value a schema asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from akm.engine.redaction import Redaction
from akm.engine.runners import structured
from akm.engine.runners.base import Outcome, failed
from akm.engine.runners.capture import Head
from akm.engine.runners.ending import Command
from akm.engine.runners.process import Exit
from akm.engine.runners.text import PARTIAL, clip
from akm.workflow.parsing.document import Schema

MARKER = "[__akm_exec_output_truncated__]"
#: What is no text grows when it is stored: a NUL takes six bytes of JSON. So less of it is kept.
_GROWTH = 6
_HAS_NUL = "holds NUL bytes, so it is no text; write it to a file and print the file's name"
_NOT_UTF8 = "is not UTF-8; what is not was replaced by U+FFFD"


def settle(command: Command, end: Exit, schema: Schema | None, *, parse: Callable[[str], Any]) -> Outcome:
    """Return what the process wrote, without newlines at its end; with a schema, what `parse` makes of it.

    When more was written than is kept, the text ends in a block that says so and counts the bytes. No text
    is no output.
    """
    text, oddity = _decode(end.stdout, command.redaction)
    # Up to 8 MiB that nobody needs twice.
    end.stdout.data = bytearray()
    warnings = left_behind(command, end)
    if schema is not None:
        if oddity == _NOT_UTF8:
            why = f"{command.label}: the output is not UTF-8, as JSON must be."
            return failed("parse_error", why, text=clip(text, PARTIAL), warnings=warnings)
        outcome = structured.check(text, schema, parse=parse, label=command.label)
        return replace(outcome, warnings=warnings)
    if oddity is not None:
        warnings += (f"{command.label}: its output {oddity}.",)
    return Outcome("completed", text=text or None, warnings=warnings)


def left_behind(command: Command, end: Exit) -> tuple[str, ...]:
    """Return the warning about a process that goes on writing, if there is one."""
    if end.stderr.is_complete:
        return ()
    return (f"{command.label}: a process it left behind keeps its error output open.",)


def _decode(stdout: Head, redaction: Redaction) -> tuple[str, str | None]:
    """Return the text that is kept, redacted, and what is odd about the bytes, if anything is."""
    data = stdout.data
    if not stdout.discarded and data.endswith((b"\n", b"\r")):
        data = data.rstrip(b"\r\n")
    oddity = _HAS_NUL if b"\0" in data else None
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text, oddity = "", _NOT_UTF8
    if oddity is not None:
        data = data[: stdout.limit // _GROWTH]
        text = data.decode("utf-8", "replace")
    discarded = bool(stdout.discarded) or len(data) < len(stdout.data.rstrip(b"\r\n"))
    text = redaction.text(text, is_cut=discarded)
    return (text + _cut_block(stdout.written, len(data)) if discarded else text), oddity


def _cut_block(written: int, retained: int) -> str:
    return (
        f"\n{MARKER}\nbytes written: {written}\nbytes retained: {retained}\n"
        f"bytes discarded: {written - retained}"
    )
