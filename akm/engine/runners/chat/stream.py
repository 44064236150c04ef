"""Answers that come as a stream of server-sent events although none was asked for, joined into one."""

from __future__ import annotations

from typing import Any

from akm.engine.runners.chat.json_body import Unreadable, parse

CONTENT_TYPE = "text/event-stream"
_DONE = "[DONE]"
#: The bytes of the last event; a line break in front, because inside of JSON there is none.
END = b"\ndata: [DONE]"


class CutOff(Exception):
    """A stream ended before it said that it was over."""


def is_stream(content_type: str, text: str) -> bool:
    """Tell whether an answer is a stream; some servers do not say so in its type."""
    return content_type.lower().startswith(CONTENT_TYPE) or text.startswith("data:")


def joined(text: str) -> dict[str, Any]:
    """Return the whole answer in the shape of one that is no stream.

    Raises Unreadable for what is no event, CutOff for a stream without an end.
    """
    pieces: dict[str, list[str]] = {"content": [], "refusal": []}
    finish, usage, is_over = None, None, False
    for data in _data(text):
        if data.strip() == _DONE:
            is_over = True
            break
        event = parse(data)
        if not isinstance(event, dict):
            raise Unreadable("is a stream of something else than JSON objects")
        if event.get("error"):
            return {"error": event["error"]}
        usage = event.get("usage") or usage
        choice = _choice(event)
        finish = choice.get("finish_reason") or finish
        _collect(choice.get("delta") or choice.get("message"), pieces)
    if not is_over and finish is None:
        raise CutOff
    message = {name: "".join(texts) for name, texts in pieces.items()}
    return {"choices": [{"message": message, "finish_reason": finish}], "usage": usage}


def _data(text: str) -> list[str]:
    events = text.replace("\r\n", "\n").replace("\r", "\n").split("\n\n")
    return [data for event in events if (data := _event_data(event))]


def _event_data(event: str) -> str:
    lines = [line[5:].removeprefix(" ") for line in event.split("\n") if line.startswith("data:")]
    return "\n".join(lines)


def _choice(event: dict[str, Any]) -> dict[str, Any]:
    choices = event.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else {}


def _collect(delta: Any, pieces: dict[str, list[str]]) -> None:
    for name, texts in pieces.items():
        piece = delta.get(name) if isinstance(delta, dict) else None
        if isinstance(piece, str):
            texts.append(piece)
