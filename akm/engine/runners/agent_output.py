"""What an agent's output says, read by the description in its plan: no tool has code of its own here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from akm.engine.runners import picks, structured
from akm.engine.runners.picks import Json

_FACTORS = {"k": 1_000, "M": 1_000_000}
_LINE_OF_JSON = re.compile(r"^\{", re.MULTILINE)
_LONGEST_ID = 200


@dataclass(frozen=True, slots=True)
class Reading:
    """What was found. None is what the output does not say.

    `error` is what the agent reported, `fault` a clause on why the output is not what it should be.
    """

    text: str | None = None
    session_id: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    error: str | None = None
    fault: str | None = None

    @property
    def tokens(self) -> int | None:
        """Return all that was spent."""
        known = [count for count in (self.input_tokens, self.output_tokens) if count is not None]
        return sum(known) if known else None


def read(output: Json, text: str) -> Reading:
    """Read a whole output. What stands before a fault counts too: it was spent."""
    if output["format"] == "text":
        return _text(output, text)
    events, fault = _lines(text) if output["format"] == "jsonl" else _document(text)
    has_ended = "end" in output and any(picks.is_like(event, output["end"]) for event in events)
    error = None if has_ended else _error(output, events)
    answer = _answer(output["result"], events)
    if fault is None and error is None:
        fault = _lack(output, has_answer=answer is not None, has_ended=has_ended)
    return Reading(
        text=answer,
        session_id=_id(output.get("session"), events),
        input_tokens=_whole(picks.total(output.get("input", ()), events)),
        output_tokens=_whole(picks.total(output.get("output", ()), events)),
        cost=picks.total([output["cost"]], events) if "cost" in output else None,
        error=error,
        fault=fault,
    )


def without_noise(output: Json, text: str) -> str:
    """Return a text without what the tool says about itself."""
    pattern = output.get("noise")
    return re.sub(pattern, "", text, flags=re.MULTILINE).strip("\r\n") if pattern else text


def _text(output: Json, text: str) -> Reading:
    pattern = output.get("usage")
    found = list(re.finditer(pattern, text, re.MULTILINE)) if pattern else []
    costs = [_amount(one["cost"]) for one in found if one["cost"]]
    return Reading(
        text=without_noise(output, text),
        input_tokens=_whole(sum(_amount(one["input"]) for one in found) if found else None),
        output_tokens=_whole(sum(_amount(one["output"]) for one in found) if found else None),
        cost=costs[-1] if costs else None,
    )


def _amount(written: str) -> float:
    """Read such as `12k`, `1.2M` or `1,204`."""
    digits = written.rstrip("kM").replace(",", "")
    try:
        return round(float(digits) * _FACTORS.get(written[-1], 1), 6)
    except ValueError:
        return 0.0


def _document(text: str) -> tuple[list[Any], str | None]:
    """Read one value, perhaps after lines of prose: tools write notices of their own before it."""
    start = None if text.startswith("[{") else _LINE_OF_JSON.search(text)
    try:
        value = structured.exactly(text[start.start() :] if start else text)
    except structured.NotJson as error:
        return [], str(error)
    return (value if isinstance(value, list) else [value]), None


def _lines(text: str) -> tuple[list[Any], str | None]:
    """Read one object a line; a line that does not begin as one is a notice."""
    events = []
    # Only this ends a line of JSON: other separators may stand in its texts.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.startswith("{"):
            try:
                events.append(structured.exactly(line))
            except structured.NotJson:
                return events, f"holds a line that is no JSON (line {number})"
    return events, None if events else "holds no line of JSON"


def _lack(output: Json, *, has_answer: bool, has_ended: bool) -> str | None:
    if "end" in output and not has_ended:
        return "breaks off before the agent is done"
    return None if has_answer or output.get("may_be_silent") else "holds no answer"


def _error(output: Json, events: list[Any]) -> str | None:
    for pick in output.get("errors", ()):
        found = picks.found(pick, events)
        if found:
            return str(found[-1])
    return None


def _answer(pick: Json, events: list[Any]) -> str | None:
    texts = [value for value in picks.found(pick, events) if isinstance(value, str)]
    if not texts:
        return None
    return "\n".join(texts) if pick.get("take") == "join" else texts[-1]


def _id(pick: Json | None, events: list[Any]) -> str | None:
    found = picks.found(pick, events) if pick else []
    return found[-1] if found and isinstance(found[-1], str) and 0 < len(found[-1]) <= _LONGEST_ID else None


def _whole(number: float | None) -> int | None:
    return None if number is None else int(min(number, picks.LARGEST))
