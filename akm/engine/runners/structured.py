"""Reading a unit's output as one JSON value and checking it against the unit's schema."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any, NoReturn

from akm.engine.runners.base import Outcome, failed
from akm.engine.runners.text import PARTIAL, clip
from akm.workflow.parsing.document import Schema

_FENCE = re.compile(r"^[ \t]*```([A-Za-z0-9]*)[ \t]*\r?\n(.*?)^[ \t]*```[ \t]*\r?$", re.DOTALL | re.MULTILINE)
#: Openings of an object that are tried in prose, so that a page of braces stays cheap.
_TRIES = 64


class NotJson(ValueError):
    """A text is not the one JSON value it should be; the message is a clause that says why."""


def check(text: str, schema: Schema, *, parse: Callable[[str], Any], label: str) -> Outcome:
    """Return the parsed value as a success, or `parse_error` or `validation_error`."""
    try:
        value = parse(text)
        return check_value(value, schema, label=label, text=text)
    except NotJson as error:
        return failed("parse_error", f"{label}: the output {error}.", text=clip(text, PARTIAL))
    except RecursionError:
        return failed("parse_error", f"{label}: the output is nested too deeply.", text=clip(text, PARTIAL))


def check_value(value: Any, schema: Schema, *, label: str, text: str | None = None) -> Outcome:
    """Return the value as a success, or `validation_error`; `text` is what it was read from."""
    from akm.workflow import schemas

    errors = schemas.check(schema, value)
    if not errors:
        return Outcome("completed", result=value, has_result=True)
    listed = "\n".join(f"- {error}" for error in errors)
    diagnostic = f"{label}: the output does not match the unit's schema:\n{listed}"
    return failed("validation_error", diagnostic, text=None if text is None else clip(text, PARTIAL))


def exactly(text: str) -> Any:
    """Parse a text that is one JSON value and white space. Raises NotJson."""
    try:
        value = json.loads(text, parse_constant=_refuse_constant, parse_float=_finite)
    except json.JSONDecodeError as error:
        raise NotJson(_explain(text, error)) from None
    except RecursionError:
        raise NotJson("is nested too deeply") from None
    except NotJson:
        raise
    except ValueError:
        raise NotJson("holds a number with too many digits") from None
    return _with_whole_text(text, value)


def leniently(text: str) -> Any:
    """Parse one JSON value that may stand in a fenced block, or one object amid prose. Raises NotJson."""
    try:
        return exactly(text)
    except NotJson as error:
        strict = error
    blocks = _FENCE.findall(text)
    fenced = [body for tag, body in blocks if tag.lower() == "json"] or [
        body for tag, body in blocks if not tag
    ]
    if len(fenced) == 1:
        return exactly(fenced[0])
    found = _objects(text)
    if len(found) > 1:
        raise NotJson("holds more than one JSON object; it must hold exactly one")
    if not found:
        raise strict
    return exactly(found[0])


def _objects(text: str) -> list[str]:
    """Find the texts of the outermost JSON objects in prose, two at most."""
    decoder = json.JSONDecoder()
    found: list[str] = []
    start = text.find("{")
    for _ in range(_TRIES):
        if start < 0 or len(found) > 1:
            break
        end = start + 1
        try:
            _, end = decoder.raw_decode(text, start)
            found.append(text[start:end])
        except (ValueError, RecursionError):
            pass
        start = text.find("{", end)
    return found


def _explain(text: str, error: json.JSONDecodeError) -> str:
    if not text.strip():
        return "is empty; it must be exactly one JSON value"
    if error.msg == "Extra data":
        return f"goes on after its first JSON value (line {error.lineno}); it must be exactly one"
    return f"is not JSON (line {error.lineno}, column {error.colno}); it must be exactly one JSON value"


def _refuse_constant(name: str) -> NoReturn:
    raise NotJson(f"holds {name}, which is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise NotJson("holds a number that is too large")
    return number


def _with_whole_text(text: str, value: Any) -> Any:
    # Only an escape can bring half of a surrogate pair in, and neither a file nor the ledger can hold one.
    if "\\ud" in text or "\\uD" in text:
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise NotJson("holds a lone surrogate escape, which is no character") from None
    return value
