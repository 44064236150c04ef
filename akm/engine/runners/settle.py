"""The outcome of a process that did what it should: its output as text, or as the value a schema asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from akm.engine.runners import structured
from akm.engine.runners.base import Outcome, failed
from akm.engine.runners.capture import Head
from akm.engine.runners.ending import Command
from akm.engine.runners.process import Exit
from akm.engine.runners.text import PARTIAL, clip
from akm.workflow.document import Schema

MARKER = "[__akm_exec_output_truncated__]"


def settle(command: Command, end: Exit, schema: Schema | None, *, parse: Callable[[str], Any]) -> Outcome:
    """Return what the process wrote, without newlines at its end; with a schema, what `parse` makes of it.

    When more was written than is kept, the text ends in a block that says so and counts the bytes. No text
    is no output.
    """
    text, is_utf8 = _decode(end.stdout)
    warnings = _warnings(command, end)
    if schema is not None:
        if not is_utf8:
            why = f"{command.label}: the output is not UTF-8, as JSON must be."
            return failed("parse_error", why, text=clip(text, PARTIAL), warnings=warnings)
        outcome = structured.check(text, schema, parse=parse, label=command.label)
        return replace(outcome, warnings=warnings)
    if not is_utf8:
        warnings += (f"{command.label}: its output is not UTF-8; what is not was replaced by U+FFFD.",)
    return Outcome("completed", text=text or None, warnings=warnings)


def _warnings(command: Command, end: Exit) -> tuple[str, ...]:
    if end.stderr.is_complete:
        return ()
    return (f"{command.label}: a process it left behind keeps its error output open.",)


def _decode(stdout: Head) -> tuple[str, bool]:
    data = stdout.data
    if not stdout.discarded and data.endswith((b"\n", b"\r")):
        data = data.rstrip(b"\r\n")
    try:
        text, is_utf8 = data.decode(), True
    except UnicodeDecodeError:
        text, is_utf8 = data.decode("utf-8", "replace"), False
    return (text + _cut_block(stdout) if stdout.discarded else text), is_utf8


def _cut_block(stdout: Head) -> str:
    return (
        f"\n{MARKER}\nbytes written: {stdout.written}\nbytes retained: {len(stdout.data)}\n"
        f"bytes discarded: {stdout.discarded}"
    )
