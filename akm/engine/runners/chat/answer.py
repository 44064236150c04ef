"""What a model answered, out of the body of a reply. What follows from it is not decided here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from akm.engine.runners.chat import stream, usage
from akm.engine.runners.chat.json_body import Unreadable, parse
from akm.engine.runners.chat.usage import Usage


class Answer(NamedTuple):
    """A model's words, empty when it said nothing, and why it stopped, in the protocol's words.

    `is_mended`: something in it was no character and was replaced by U+FFFD.
    """

    text: str
    finish_reason: str | None = None
    refusal: str = ""
    usage: Usage = Usage()
    is_mended: bool = False


class Complaint(NamedTuple):
    """An error that came as the answer: a status of its own where it names one, and the server's words."""

    status: int | None
    words: str


def read(body: bytes | bytearray, content_type: str) -> Answer | Complaint:
    """Read the body of an answer. Raises Unreadable, and CutOff for a stream without an end."""
    text, is_mended = _decoded(body)
    if not text or text.isspace():
        return Answer("")
    found = stream.joined(text) if stream.is_stream(content_type, text) else parse(text)
    if not isinstance(found, dict):
        raise Unreadable("is no JSON object")
    choices = found.get("choices")
    if found.get("error") and not choices:
        return complaint(found)
    answer = _chosen(choices)
    said, was_mended = _characters(answer.text)
    return answer._replace(
        text=said.rstrip("\r\n"), usage=usage.read(found.get("usage")), is_mended=is_mended or was_mended
    )


def complaint(found: Any) -> Complaint:
    """Read the words of an error, wherever the server puts them; none are found as an empty text."""
    error = found.get("error", found) if isinstance(found, Mapping) else found
    if not isinstance(error, Mapping):
        return Complaint(None, error if isinstance(error, str) else "")
    code = error.get("code")
    said = [error.get(name) for name in ("message", "detail", "code", "type")]
    words = " / ".join(dict.fromkeys(one for one in said if isinstance(one, str) and one))
    return Complaint(code if type(code) is int and 400 <= code < 600 else None, words)


def error_words(body: bytes | bytearray) -> str:
    """Return the words of the body of an error, as they came when it is no JSON."""
    text, _ = _decoded(body)
    try:
        return complaint(parse(text)).words
    except Unreadable:
        # A page for a browser says nothing to anybody.
        return "" if text.lstrip().startswith("<") else text


def _chosen(choices: Any) -> Answer:
    if choices is None or choices == []:
        return Answer("")
    first = choices[0] if isinstance(choices, list) else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(first, dict) or not isinstance(message, dict):
        raise Unreadable("has choices that hold no message")
    finish, refusal = first.get("finish_reason"), message.get("refusal")
    return Answer(
        _content(message.get("content")),
        finish if isinstance(finish, str) else None,
        _characters(refusal)[0].strip() if isinstance(refusal, str) else "",
    )


def _content(content: Any) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(text for text in texts if isinstance(text, str))
    raise Unreadable("has a message whose content is no text")


def _decoded(body: bytes | bytearray) -> tuple[str, bool]:
    try:
        return body.decode("utf-8-sig"), False
    except UnicodeDecodeError:
        return body.decode("utf-8-sig", "replace"), True


def _characters(text: str) -> tuple[str, bool]:
    """Return `text` with halves of a character joined, or replaced where the other half is missing."""
    try:
        text.encode()
    except UnicodeEncodeError:
        # A stream may send the halves of one character in two events.
        joined = text.encode("utf-16-le", "surrogatepass")
        mended = joined.decode("utf-16-le", "replace")
        return mended, mended.encode("utf-16-le") != joined
    return text, False
