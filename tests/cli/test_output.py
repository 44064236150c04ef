"""What is printed where: formats, tables, colour, control characters."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from contextlib import suppress
from typing import Any

import pytest

from akm.cli import output, tables
from akm.errors import ConfigError, OutputError

ROWS = [{"id": "a", "status": "failed"}, {"id": "bé", "status": "completed"}]
SHOW = """
from akm.cli import output, tables
rows = [["a", "failed"], ["b", "completed"]]
output.show({"runs": []}, render=lambda result: ["Two runs:", tables.Table(("id", "status"), rows)])
"""


@pytest.fixture(autouse=True)
def _no_choice(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.delenv("AKM_FORMAT", raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    output.choose(None)
    yield
    output.choose(None)


def at_a_terminal(**environment: str) -> tuple[str, str]:
    """Show two runs with standard output at a terminal; returns what it saw and the modules' list."""
    leader, follower = pty.openpty()
    env = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "AKM_FORMAT")}
    program = SHOW + "import sys; print('rich' in sys.modules, file=sys.stderr)"
    command = [sys.executable, "-c", program]
    env |= {"TERM": "xterm"} | environment
    done = subprocess.run(command, stdout=follower, stderr=subprocess.PIPE, env=env, text=True, check=True)
    os.close(follower)
    seen = ""
    # A terminal gives what was written in pieces, and an error once nothing is left.
    with suppress(OSError):
        while piece := os.read(leader, 10_000):
            seen += piece.decode()
    os.close(leader)
    return seen, done.stderr.strip()


def test_a_terminal_gets_tables_in_colour() -> None:
    seen, has_rich = at_a_terminal()
    assert "Two runs:" in seen
    assert "\x1b[31mfailed" in seen
    assert has_rich == "True"


def test_no_color_is_honoured() -> None:
    seen, _ = at_a_terminal(NO_COLOR="1")
    assert "failed" in seen
    assert "\x1b[3" not in seen


def test_a_terminal_may_ask_for_json_and_needs_no_rich_for_it() -> None:
    seen, has_rich = at_a_terminal(AKM_FORMAT="jsonl")
    assert seen == '{"runs": []}\r\n'
    assert has_rich == "False"


def test_json_is_one_document_with_full_values(capsys: pytest.CaptureFixture[str]) -> None:
    output.show({"runs": ROWS})
    assert capsys.readouterr().out == (
        '{\n  "runs": [\n    {\n      "id": "a",\n      "status": "failed"\n    },\n'
        '    {\n      "id": "bé",\n      "status": "completed"\n    }\n  ]\n}\n'
    )


@pytest.mark.parametrize(("result", "items"), [({"runs": ROWS, "scopeKey": None}, "runs"), (ROWS, None)])
def test_jsonl_is_one_item_per_line(
    capsys: pytest.CaptureFixture[str], result: Any, items: str | None
) -> None:
    output.choose("jsonl")
    output.show(result, items=items)
    assert capsys.readouterr().out == '{"id": "a", "status": "failed"}\n{"id": "bé", "status": "completed"}\n'


def test_jsonl_of_anything_else_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    output.choose("jsonl")
    output.show({"a": [1, 2]})
    assert capsys.readouterr().out == '{"a": [1, 2]}\n'


def test_jsonl_of_an_empty_list_is_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    output.choose("jsonl")
    output.show({"runs": []}, items="runs")
    assert capsys.readouterr().out == ""


def test_text_through_a_pipe_is_aligned_and_plain(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AKM_FORMAT", "text")
    table = tables.Table(("id", "status"), [["a", "failed"], ["long", None]])
    output.show({}, render=lambda _result: ["Runs:", table, tables.Table(("id",), [], "No runs.")])
    assert capsys.readouterr().out == "Runs:\nID    STATUS\na     failed\nlong  -\nNo runs.\n"


def test_the_flag_wins_over_the_variable(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AKM_FORMAT", "text")
    output.choose("jsonl")
    output.show({"a": 1})
    assert capsys.readouterr().out == '{"a": 1}\n'


def test_a_wrong_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AKM_FORMAT", "xml")
    with pytest.raises(ConfigError, match="AKM_FORMAT must be text, json or jsonl"):
        output.resolved()


def test_text_cannot_act_on_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    output.choose("text")
    table = tables.Table(("id",), [["a\x1b[31m\nb"]])
    output.show({}, render=lambda _result: ["evil\x1b]0;title\x07 é\ttab", table])
    assert capsys.readouterr().out == "evil\ufffd]0;title\ufffd é\ttab\nID\na\ufffd[31m b\n"


def test_warnings_and_errors_go_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    output.choose("text")
    output.warn("Mind this.")
    output.fail("It broke.", code="X", hint="Mend it.")
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == "akm: warning: Mind this.\nakm: It broke.\nhint: Mend it.\n"


def test_an_error_for_machines_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    output.fail("It\nbroke.", code=None, hint=None)
    assert capsys.readouterr().err == '{"ok": false, "error": "It\\nbroke."}\n'


def test_a_closed_standard_output_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(OutputError, match="standard output is closed"):
        output.show({})


@pytest.mark.parametrize(
    ("name", "wanted"), [("text", "line a\n"), ("json", '{"id": "a"}\n'), ("jsonl", '{"id": "a"}\n')]
)
def test_a_growing_list_is_printed_line_by_line(
    capsys: pytest.CaptureFixture[str], name: str, wanted: str
) -> None:
    output.choose(name)
    output.stream({"id": "a"}, lambda item: f"line {item['id']}")
    assert capsys.readouterr().out == wanted


@pytest.mark.parametrize(
    ("name", "wanted"), [("jsonl", '{"id": "\\u00e9 \\udc80"}'), ("text", "id: \\xe9 \\ufffd")]
)
def test_what_the_terminals_encoding_cannot_hold_is_escaped(name: str, wanted: str) -> None:
    program = f"from akm.cli import output; output.choose({name!r}); output.show({{'id': '\\xe9 \\udc80'}})"
    env = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=env, check=True
    )
    assert done.stdout == f"{wanted}\n"


def test_what_is_there_to_be_copied_is_never_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    rows = [("a description of many words", "github:team/tools-of-ours")]
    broken = tables.Table(("description", "install"), rows)
    whole = tables.Table(("description", "install"), rows, whole=("install",))
    assert rows[0][1] not in tables.drawn(broken, is_terminal=True)
    assert rows[0][1] in tables.drawn(whole, is_terminal=True)


def test_a_column_that_says_nothing_takes_no_room_at_a_terminal_and_stays_anywhere_else() -> None:
    columns = ("unit", "tokens", "reason")
    table = tables.Table(columns, [("a:solo", None, None), ("b:solo", None, "timeout")], optional=columns)
    at_a_terminal = tables.drawn(table, is_terminal=True)
    assert "REASON" in at_a_terminal
    assert "TOKENS" not in at_a_terminal
    assert tables.drawn(table, is_terminal=False).splitlines() == [
        "UNIT    TOKENS  REASON",
        "a:solo  -       -",
        "b:solo  -       timeout",
    ]
