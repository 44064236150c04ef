"""Parameters of a workflow on the command line: `-p name=value` anywhere, `--name value` after the target.

Values are text here, or True for a bare `--name`; the workflow's schemas give them types later. No message
repeats a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

import typer
from typer.core import TyperOption

from akm.cli.lazy import Command
from akm.errors import UsageError
from akm.spelling import suggestion, visible

Parameter = tuple[str, str | bool]
_META = "akm.parameters"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_NEGATIVE = re.compile(r"-[0-9.]")


@dataclass(slots=True)
class Flags:
    """The flags that belong to the command itself: those that take a value, and those that take none."""

    valued: frozenset[str]
    bare: frozenset[str]

    def known(self) -> list[str]:
        """List every flag."""
        return sorted(self.valued | self.bare)


@dataclass(slots=True)
class Split:
    """A command line taken apart: what the command itself parses, and the parameters in order."""

    own: list[str] = field(default_factory=list)
    parameters: list[Parameter] = field(default_factory=list)
    has_target: bool = False


class FreeParametersCommand(Command):
    """A command whose target is followed by parameters that only the workflow knows."""

    def __init__(self, *args: Any, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        help = "Set a parameter; repeat it for a list. After the target, --NAME VALUE does the same."
        self.params.append(
            TyperOption(
                param_decls=["-p"], multiple=True, metavar="NAME=VALUE", help=help, expose_value=False
            )
        )

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Set the parameters aside and parse the rest."""
        if ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        taken = split(args, self._flags(ctx))
        ctx.meta[_META] = tuple(taken.parameters)
        return super().parse_args(ctx, taken.own)

    def _flags(self, ctx: Any) -> Flags:
        valued: set[str] = set()
        bare: set[str] = set()
        for option in self.get_params(ctx):
            if isinstance(option, TyperOption):
                (bare if option.is_flag or option.count else valued).update(
                    option.opts, option.secondary_opts
                )
        return Flags(frozenset(valued - {"-p"}), frozenset(bare))


def given(ctx: typer.Context) -> tuple[Parameter, ...]:
    """Return the parameters of this command line in the order in which they were written."""
    parameters: tuple[Parameter, ...] = ctx.meta.get(_META, ())
    return parameters


def split(args: list[str], flags: Flags) -> Split:
    """Tell a command's own arguments from the workflow's parameters. Raises UsageError."""
    taken = Split()
    rest = iter_with_next(args)
    for token, following in rest:
        if token == "--":
            raise UsageError("`--` means nothing here: write parameters as -p name=value or --name value.")
        if not _is_flag(token):
            _take_word(token, taken)
        elif token.startswith("-p") and not token.startswith("--"):
            text = token[2:] or following
            if not token[2:]:
                next(rest, None)
            taken.parameters.append(_assignment(text))
        elif _is_own(token, flags):
            taken.own.append(token)
            if token in flags.valued and following is not None:
                taken.own.append(following)
                next(rest, None)
        else:
            parameter, used_following = _free(token, following, flags, taken)
            taken.parameters.append(parameter)
            if used_following:
                next(rest, None)
    return taken


def iter_with_next(args: list[str]) -> Iterator[tuple[str, str | None]]:
    """Yield each argument with the one after it; None after the last."""
    yield from zip(args, [*args[1:], None], strict=False)


def _is_flag(token: str) -> bool:
    return len(token) > 1 and token.startswith("-") and not _NEGATIVE.match(token)


def _is_own(token: str, flags: Flags) -> bool:
    name = token.partition("=")[0] if token.startswith("--") else token[:2]
    return name in flags.valued or name in flags.bare


def _take_word(token: str, taken: Split) -> None:
    if taken.has_target:
        raise UsageError("There is one word too many after the target: quote a value that holds spaces.")
    taken.has_target = True
    taken.own.append(token)


def _assignment(text: str | None) -> Parameter:
    name, separator, value = (text or "").partition("=")
    if not separator or not _NAME.match(name):
        raise UsageError("-p needs a parameter and its value, written as -p name=value.")
    return name, value


def _free(token: str, following: str | None, flags: Flags, taken: Split) -> tuple[Parameter, bool]:
    flag, separator, value = token.partition("=")
    if flag == "--params":
        raise UsageError("--params does not exist: give each parameter as -p name=value or --name value.")
    name = flag[2:] if flag.startswith("--") else ""
    if not _NAME.match(name):
        _refuse(flag, flags)
    if not taken.has_target:
        raise UsageError(
            f"{flag} stands before the target, where only the command's own flags may: write it after.",
            code="UNKNOWN_FLAG",
            hint=suggestion(flag, flags.known()),
        )
    if separator:
        return (name, value), False
    if following is None or _is_flag(following):
        return (name, True), False
    return (name, following), True


def _refuse(flag: str, flags: Flags) -> NoReturn:
    raise UsageError(
        f"There is no flag {visible(flag)}, and no parameter can have that name.",
        code="UNKNOWN_FLAG",
        hint=suggestion(flag, flags.known()),
    )
