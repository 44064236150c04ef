"""Decoding what a row of the task history carries as JSON, in every form that has been written so far."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

VERSION: Final = 2
_TEXTS = ("runId", "reason", "error")
#: What the kinds of an unmarked row mean now. Newer kinds were only ever written with their present meaning.
_OLD_KINDS = {
    "prompt": "command",
    "command": "shell",
    "workflow": "workflow",
    "shell": "shell",
    "script": "script",
}
_KINDS = ("workflow", "command", "shell", "script")


class Damaged(Exception):
    """The metadata of a row cannot be read; the text says why without repeating it."""


@dataclass(frozen=True, slots=True)
class Holder:
    """The process that reserved a row."""

    pid: int
    host: str
    process_started_at: int | None


@dataclass(frozen=True, slots=True)
class Metadata:
    """Decoded metadata. `is_marked` tells that the row's kind of target is a present-day word."""

    duration_ms: int | float
    detail: Mapping[str, Any] | None = None
    engine: str | None = None
    is_marked: bool = False
    holder: Holder | None = None


@dataclass(slots=True)
class Warned:
    """Says each warning once through `complain`."""

    complain: Callable[[str], None]
    _said: set[str] = field(default_factory=set)

    def say(self, text: str) -> None:
        """Say `text` unless it was said before."""
        if text not in self._said:
            self._said.add(text)
            self.complain(text)


def decode(text: str, warned: Warned) -> Metadata:
    """Read a row's metadata; an unknown version is warned of and read as well as can be. Raises Damaged."""
    try:
        root = json.loads(text)
    except (ValueError, RecursionError):
        raise Damaged("it is no JSON") from None
    if not isinstance(root, dict):
        raise Damaged("it is no JSON object")
    _check_version(root, warned)
    duration: Any = root.get("durationMs")
    if not _is_number(duration):
        raise Damaged("durationMs is no number")
    engine = root.get("engine")
    return Metadata(
        duration_ms=duration,
        detail=_detail(root.get("detail")),
        engine=engine if isinstance(engine, str) else None,
        is_marked=_is_marked(root, warned),
        holder=_holder(root.get("holder")),
    )


def target(kind: str | None, ref: str | None, metadata: Metadata) -> dict[str, Any]:
    """Shape what a row ran, in present-day words; `unknown` where that was never settled."""
    if metadata.is_marked:
        meant = kind if kind in _KINDS else "unknown"
    else:
        meant = _OLD_KINDS.get(kind or "", "unknown")
    if meant == "workflow":
        return {"kind": meant, "ref": ref or ""}
    return {"kind": meant, "engine": metadata.engine} if meant == "command" else {"kind": meant}


def _check_version(root: dict[str, Any], warned: Warned) -> None:
    version = root.get("metadataVersion", VERSION)
    if not _is_two(version):
        warned.say(
            f"The task history holds metadata of version {_shown(version)}, which this akm does not know; "
            f"it is read as version {VERSION}."
        )


def _is_marked(root: dict[str, Any], warned: Warned) -> bool:
    if "targetVocab" not in root:
        return False
    if _is_two(root["targetVocab"]):
        return True
    warned.say(
        f"The task history holds targets of vocabulary {_shown(root['targetVocab'])}, newer than {VERSION}; "
        "their kinds are read as unmarked rows are."
    )
    return False


def _detail(value: Any) -> Mapping[str, Any] | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise Damaged("detail is no object")
    for name in _TEXTS:
        if name in value and not isinstance(value[name], str):
            raise Damaged(f"detail.{name} is no text")
    exit_code = value.get("exitCode")
    if exit_code is not None and not _is_number(exit_code):
        raise Damaged("detail.exitCode is no number")
    return {name: value[name] for name in (*_TEXTS, "exitCode") if name in value}


def _holder(value: Any) -> Holder | None:
    """Read the holder; None where nobody, or nothing readable, was written down."""
    if not isinstance(value, dict):
        return None
    pid, host, started_at = (value.get(name) for name in ("pid", "host", "processStartedAt"))
    if type(pid) is not int or not isinstance(host, str):
        return None
    return Holder(pid, host, started_at if type(started_at) is int else None)


def _is_number(value: Any) -> bool:
    # A bool is no number in JSON, whatever Python says.
    return type(value) in (int, float)


def _is_two(value: Any) -> bool:
    return _is_number(value) and bool(value == VERSION)


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True)[:40]
