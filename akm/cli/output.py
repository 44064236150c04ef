"""The one place that prints: results to standard output, everything else to standard error.

The format is `--format`, else AKM_FORMAT, else text at a terminal and JSON anywhere else.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TextIO

from akm.cli.plain import printable
from akm.errors import ConfigError, OutputError, UsageError

if TYPE_CHECKING:
    from akm.cli.tables import Table

FORMATS = ("text", "json", "jsonl")
Render = Callable[[Any], "Iterable[str | Table]"]
#: File (None when unknown), line, message and code of one fault of a workflow file.
Finding = tuple[str | None, int, str, str]
_chosen: str | None = None


def choose(name: str | None) -> None:
    """Set the format that `--format` asked for; None leaves it to AKM_FORMAT and the terminal."""
    global _chosen
    _chosen = name


def asked() -> str | None:
    """Return the format that `--format` asked for; None when it was not given."""
    return _chosen


def check_format(name: str | None) -> str | None:
    """Take the value of `--format`. Raises UsageError when there is no such format."""
    if name is not None and name not in FORMATS:
        raise UsageError(f"--format must be {_listed()}.")
    if name is not None:
        choose(name)
    return name


def resolved() -> str:
    """Return the format in force. Raises ConfigError when AKM_FORMAT names none."""
    asked = _chosen or os.environ.get("AKM_FORMAT", "").strip()
    if not asked:
        return "text" if _is_terminal(sys.stdout) else "json"
    if asked not in FORMATS:
        raise ConfigError(f"The environment variable AKM_FORMAT must be {_listed()}.")
    return asked


def show(result: Any, *, render: Render | None = None, items: str | None = None) -> None:
    """Print a command's result, a JSON value.

    `render` turns it into lines and tables for people; `items` names the key of the list that `jsonl` prints
    line by line. Raises OutputError when standard output takes no more.
    """
    name = resolved()
    if name == "text":
        _show_text(_plainly(result) if render is None else render(result))
    elif name == "json":
        _write(_json(result, indent=2) + "\n")
    else:
        lines = result[items] if items is not None else result if isinstance(result, list) else [result]
        _write("".join(_line(line) + "\n" for line in lines))


def stream(item: Any, line: Callable[[Any], str]) -> None:
    """Print one item of a list that is still growing: a line of text, or a line of JSON."""
    _write((printable(line(item)) if resolved() == "text" else _line(item)) + "\n")


def raw(text: str) -> None:
    """Print text as it is, whatever the format: a script or a template that was asked for."""
    _write(text if text.endswith("\n") else text + "\n")


def warn(text: str) -> None:
    """Tell the person running the command something that stops nothing."""
    _say(f"akm: warning: {text}")


def tell(text: str) -> None:
    """Tell the person running the command how it is getting on."""
    _say(text)


def confirmed(question: str, *, instead: str) -> bool:
    """Ask the person at the terminal; only `y` and `yes` mean yes.

    Raises UsageError with `instead`, what to write to not be asked, when nobody is at a terminal.
    """
    if not (_is_terminal(sys.stdin) and _is_terminal(sys.stderr)):
        raise UsageError(f"{question} Nobody is there to be asked: say {instead}.")
    sys.stderr.write(f"{printable(question)} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def trace(text: str) -> None:
    """Write a traceback to standard error; only ever on request."""
    _say(text.rstrip())


def explain(text: str) -> None:
    """Write help to standard error, unless a machine is listening there."""
    if _is_for_people():
        _say(text)


def fail(message: str, *, code: str | None, hint: str | None, findings: Iterable[Finding] = ()) -> None:
    """Write an error to standard error: sentences for people, one JSON object on one line otherwise."""
    found = list(findings)
    if _is_for_people():
        places = [f"{file or 'line'}:{line}: {text} [{kind}]" for file, line, text, kind in found]
        _say("\n".join([f"akm: {message}", *places, *([f"hint: {hint}"] if hint else [])]))
        return
    envelope: dict[str, Any] = {"ok": False, "error": message, "code": code, "hint": hint}
    if found:
        keys = ("file", "line", "message", "code")
        envelope["findings"] = [dict(zip(keys, finding, strict=True)) for finding in found]
    _say(_line({key: value for key, value in envelope.items() if value is not None}), is_text=False)


def finish() -> None:
    """Hand everything printed to the operating system. Raises OutputError when it is not taken."""
    _write("")


def _show_text(parts: Iterable[str | Table]) -> None:
    is_terminal = _is_terminal(sys.stdout)
    for part in parts:
        if isinstance(part, str):
            _write(printable(part) + "\n")
            continue
        from akm.cli import tables

        _write(tables.drawn(part, is_terminal=is_terminal))


def _plainly(result: Any) -> Iterable[str]:
    pairs = result.items() if isinstance(result, dict) else [("", result)]
    for name, value in pairs:
        text = value if isinstance(value, str) else _line(value)
        yield f"{name}: {text}" if name else text


def _write(text: str) -> None:
    if sys.stdout is None:
        raise OutputError("The result cannot be written: standard output is closed.")
    try:
        try:
            sys.stdout.write(text)
        except UnicodeEncodeError:
            sys.stdout.write(text.encode(_encoding(), "backslashreplace").decode(_encoding()))
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "standard output is closed"
        raise OutputError(f"The result cannot be written: {reason}.") from error


def _say(text: str, *, is_text: bool = True) -> None:
    try:
        sys.stderr.write((printable(text) if is_text else text) + "\n")
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        pass  # There is nowhere left to say it; the exit status still does.


def _line(value: Any) -> str:
    return _json(value, indent=None)


def _json(value: Any, *, indent: int | None) -> str:
    import json

    text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    try:
        text.encode(_encoding())
    except UnicodeEncodeError:  # A locale without UTF-8, or a file name that is none.
        return json.dumps(value, indent=indent, allow_nan=False)
    return text


def _encoding() -> str:
    return getattr(sys.stdout, "encoding", None) or "utf-8"


def _is_for_people() -> bool:
    try:
        return resolved() == "text"
    except ConfigError:
        return _is_terminal(sys.stdout)


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and not stream.closed and stream.isatty()


def _listed() -> str:
    return f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}"
