"""Groups of commands that import a command's module only when that command runs, and commands without Rich.

Help and completion are answered from the table of commands alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption
from typer.main import get_command

from akm.cli import output
from akm.errors import UsageError

_SETTINGS = {"help_option_names": ["--help", "-h"], "max_content_width": 100}
#: The attribute in which a command's function may name its own class of command.
COMMAND_CLASS = "__akm_command_class__"
_HELP = "__akm_help_option__"


class Verb(NamedTuple):
    """One command: its one line of help and the function that runs it, as `module:function`."""

    help: str
    target: str


class Group(NamedTuple):
    """A command that holds commands."""

    help: str
    commands: Mapping[str, Verb | Group]


class Command(TyperCommand):
    """A command with `--format`, whose completions carry no help: for that, Typer would import Rich."""

    def __init__(self, *args: Any, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.params.append(format_option())

    def get_help_option(self, _ctx: Any) -> TyperOption | None:
        """Return the help option, which prints through `akm.cli.output`."""
        return help_option(self)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Complete the names of this command's options."""
        return _bare(super().shell_complete(ctx, incomplete))


def format_option() -> TyperOption:
    """Build the option that says how to print; its value goes to `akm.cli.output` and nowhere else."""
    return TyperOption(
        param_decls=["--format"],
        metavar="FORMAT",
        help="How to print: text, json or jsonl. [text at a terminal, else json]",
        expose_value=False,
        callback=lambda _ctx, _param, value: output.check_format(value),
        autocompletion=lambda _ctx, _args, incomplete: [
            f for f in output.FORMATS if f.startswith(incomplete)
        ],
    )


def help_option(command: Any) -> TyperOption:
    """Return a command's help option, always the same one."""
    option: TyperOption | None = command.__dict__.get(_HELP)
    if option is None:
        option = TyperOption(
            param_decls=["--help", "-h"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            default=False,
            help="Show this message.",
            callback=_show_help,
        )
        command.__dict__[_HELP] = option
    return option


def _show_help(ctx: Any, _param: Any, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        output.raw(ctx.get_help())
        raise typer.Exit


class LazyGroup(TyperGroup):
    """The commands of one table."""

    def __init__(self, name: str, group: Group, **attributes: Any) -> None:
        super().__init__(
            name=name, help=group.help, rich_markup_mode=None, context_settings=dict(_SETTINGS), **attributes
        )
        self.table = group.commands

    def get_help_option(self, _ctx: Any) -> TyperOption | None:
        """Return the help option, which prints through `akm.cli.output`."""
        return help_option(self)

    def list_commands(self, _ctx: Any) -> list[str]:
        """Name the commands in the order of the table."""
        return list(self.table)

    def get_command(self, _ctx: Any, cmd_name: str) -> Any:
        """Import the command's module and build the command; None when there is none of that name."""
        entry = self.table.get(cmd_name)
        if isinstance(entry, Group):
            return LazyGroup(cmd_name, entry)
        return None if entry is None else _command(cmd_name, entry)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse to run without a command, after the help has been shown."""
        if not args and not ctx.resilient_parsing:
            output.explain(ctx.get_help())
            raise UsageError(
                f"`{ctx.command_path}` needs a command: {', '.join(self.table)}.",
                code="MISSING_REQUIRED_ARGUMENT",
                hint=f"See `{ctx.command_path} --help`.",
            )
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[Any, Any, list[str]]:
        """Find the command that the first argument names. Raises UsageError `UNKNOWN_COMMAND`."""
        name = args[0]
        if name not in self.table and not ctx.resilient_parsing:
            from akm.spelling import suggestion

            raise UsageError(
                f"`{ctx.command_path}` has no command {name!r}.",
                code="UNKNOWN_COMMAND",
                hint=suggestion(name, self.table) or f"See `{ctx.command_path} --help`.",
            )
        command = self.get_command(ctx, name)
        return (name if command else None), command, args[1:]

    def format_commands(self, _ctx: Any, formatter: Any) -> None:
        """Write the table's own lines of help, so that nothing is imported for them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in self.table.items()])

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Complete the names of commands and of this group's options."""
        from typer.core import CompletionItem  # type: ignore[attr-defined]

        found = [CompletionItem(name) for name in self.table if name.startswith(incomplete)]
        return found + _bare(TyperCommand.shell_complete(self, ctx, incomplete))


def _command(name: str, verb: Verb) -> Any:
    module, _, attribute = verb.target.partition(":")
    function = getattr(import_module(module), attribute)
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    kind = getattr(function, COMMAND_CLASS, Command)
    app.command(name, cls=kind, context_settings=dict(_SETTINGS), short_help=verb.help)(function)
    return get_command(app)


def _bare(items: list[Any]) -> list[Any]:
    for item in items:
        item.help = None
    return items
