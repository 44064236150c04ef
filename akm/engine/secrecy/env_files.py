"""Env assets as files: dotenv text with `${secret:NAME}` tokens. Which file a ref means is `env_assets`'s."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from pathlib import Path

from akm.errors import UsageError

TOKEN = re.compile(r"\$\{secret:([A-Za-z_][A-Za-z0-9_]*)\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_LARGEST = 1024 * 1024


def read(file: Path) -> dict[str, str]:
    """Read the variables of a file, tokens as they are written.

    Raises UsageError WORKFLOW_SOURCE_INVALID naming file and line, never a value.
    """
    from dotenv.parser import parse_stream

    entries: dict[str, str] = {}
    for binding in parse_stream(io.StringIO(_text(file))):
        line = binding.original.line + binding.original.string[
            : -len(binding.original.string.lstrip())
        ].count("\n")
        if binding.error:
            raise _faulty(f"{file}:{line} is no NAME=value line: correct it.")
        if binding.key is None:
            continue
        if not _NAME.match(binding.key):
            raise _faulty(f"{file}:{line}: {binding.key!r} cannot be the name of a variable.")
        if binding.key in entries:
            raise _faulty(f"{file}:{line}: {binding.key} is set twice: remove one of the lines.")
        entries[binding.key] = _value(binding.value, f"{file}:{line}: {binding.key}")
    return entries


def secret_names(entries: Mapping[str, str]) -> list[str]:
    """List the names of the secrets that the values ask for, sorted."""
    return sorted({name for value in entries.values() for name in TOKEN.findall(value)})


def _value(value: str | None, named: str) -> str:
    if value is None:
        raise _faulty(f"{named} has no value: write {named.rpartition(' ')[2]}= for an empty one.")
    if "\0" in value:
        raise _faulty(f"{named} holds a NUL, which no environment variable can.")
    if "${secret:" in TOKEN.sub("", value):
        raise _faulty(f"{named} holds a token that names no secret: write ${{secret:NAME}}.")
    return value


def _text(file: Path) -> str:
    try:
        with open(file, "rb") as stream:
            found = stream.read(_LARGEST + 1)
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}.", code="FILE_NOT_FOUND") from error
    if len(found) > _LARGEST:
        raise _faulty(f"{file} is larger than 1 MiB, which is no file of variables.")
    try:
        return found.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _faulty(f"{file} is not UTF-8 text (byte {error.start}).") from error


def _faulty(sentence: str) -> UsageError:
    return UsageError(sentence, code="WORKFLOW_SOURCE_INVALID")
