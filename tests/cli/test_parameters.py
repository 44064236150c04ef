"""Parameters on the command line: which words are the command's own, which are the workflow's."""

from __future__ import annotations

from typing import Any

import pytest
import typer
from typer.main import get_command

from akm.cli import lazy, options, parameters
from akm.cli.parameters import Flags, split
from akm.errors import UsageError

FLAGS = Flags(frozenset({"--max-steps", "--format"}), frozenset({"--new", "--help", "-h"}))


@pytest.mark.parametrize(
    ("line", "own", "given"),
    [
        ("W", "W", []),
        ("W --title x", "W", [("title", "x")]),
        ("W --title=x", "W", [("title", "x")]),
        ("W --title=", "W", [("title", "")]),
        ("W --title=a=b", "W", [("title", "a=b")]),
        ("W --dry_run", "W", [("dry_run", True)]),
        ("W --dry_run --title x", "W", [("dry_run", True), ("title", "x")]),
        ("W --dry_run --new", "W --new", [("dry_run", True)]),
        ("W --dry_run -p a=b", "W", [("dry_run", True), ("a", "b")]),
        ("W --count -5", "W", [("count", "-5")]),
        ("W --count -.5 --other -1e3", "W", [("count", "-.5"), ("other", "-1e3")]),
        ("W --count -", "W", [("count", "-")]),
        (
            "W --tag a --tag b --other c --tag d",
            "W",
            [("tag", "a"), ("tag", "b"), ("other", "c"), ("tag", "d")],
        ),
        ("-p a=b W", "W", [("a", "b")]),
        ("W -p a=b -pc=d --e f", "W", [("a", "b"), ("c", "d"), ("e", "f")]),
        ("W -p a=--new", "W", [("a", "--new")]),
        ("W -p a=b=c", "W", [("a", "b=c")]),
        ("W -p a=", "W", [("a", "")]),
        ("--max-steps 3 W --title x", "--max-steps 3 W", [("title", "x")]),
        ("W --title x --max-steps 3", "W --max-steps 3", [("title", "x")]),
        ("W --max-steps=3 --new --title x", "W --max-steps=3 --new", [("title", "x")]),
        ("W --max-steps -1", "W --max-steps -1", []),
        ("W --help", "W --help", []),
        ("-h", "-h", []),
    ],
)
def test_a_line_is_split(line: str, own: str, given: list[tuple[str, object]]) -> None:
    taken = split(line.split(" "), FLAGS)
    assert (taken.own, taken.parameters) == (own.split(" "), given)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("W -- s3cret", "`--` means nothing here"),
        ("W s3cret", "one word too many"),
        ("W --title my s3cret", "one word too many"),
        ("W --params {s3cret}", "--params does not exist"),
        ("W --params={s3cret}", "--params does not exist"),
        ("--params {s3cret} W", "--params does not exist"),
        ("--title s3cret W", "--title stands before the target"),
        ("W -p s3cret", "-p needs a parameter and its value"),
        ("W -p", "-p needs a parameter and its value"),
        ("W -p =s3cret", "-p needs a parameter and its value"),
        ("W -p a-b=s3cret", "-p needs a parameter and its value"),
        ("W --max-step s3cret", "There is no flag --max-step"),
        ("W --9x=s3cret", "There is no flag --9x"),
        ("W -x", "There is no flag -x"),
        ("W --a\nb", r"There is no flag --a\nb, and"),
        ("W --=s3cret", "There is no flag --"),
    ],
)
def test_a_wrong_line_is_refused_and_no_value_repeated(line: str, sentence: str) -> None:
    with pytest.raises(UsageError) as caught:
        split(line.split(" "), FLAGS)
    assert sentence in caught.value.message
    assert "s3cret" not in caught.value.message + str(caught.value.hint)


def test_a_mistyped_flag_of_the_command_is_told_the_closest() -> None:
    with pytest.raises(UsageError) as caught:
        split(["W", "--max-step", "3"], FLAGS)
    assert (caught.value.code, caught.value.hint) == ("UNKNOWN_FLAG", "Did you mean --max-steps?")


def command(seen: list[Any]) -> Any:
    @options.takes_parameters
    def work(ctx: typer.Context, target: options.Target, max_steps: int = 0, new: bool = False) -> None:
        seen.append((target, max_steps, new, parameters.given(ctx)))

    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command("work", cls=getattr(work, lazy.COMMAND_CLASS))(work)
    return get_command(app)


def test_a_command_gets_its_flags_and_the_parameters() -> None:
    seen: list[Any] = []
    work = command(seen)
    for line in ("W --a b --max-steps 3 --new -p c=d", "--max-steps 3 --new -p a=b W --c d"):
        with work.make_context("work", line.split()) as context:
            work.invoke(context)
    assert seen == [("W", 3, True, (("a", "b"), ("c", "d")))] * 2


def test_a_commands_help_names_both_ways(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit):
        command([]).make_context("work", ["W", "--a", "b", "--help"])
    printed = capsys.readouterr().out
    assert "-p NAME=VALUE" in printed
    assert "--format FORMAT" in printed
