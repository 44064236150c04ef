"""Arguments that several commands share, as annotated types, and the options of `akm` itself."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

import typer
from typer.core import TyperOption

from akm.cli import output
from akm.cli.lazy import COMMAND_CLASS, format_option

_Function = TypeVar("_Function")


def targets(incomplete: str) -> list[str]:
    """Complete a workflow's ref or a run's id."""
    from akm.cli import completion

    return completion.targets(incomplete)


def workflows(incomplete: str) -> list[str]:
    """Complete a workflow's ref."""
    from akm.cli import completion

    return completion.workflows(incomplete)


def run_ids(incomplete: str) -> list[str]:
    """Complete a run's id."""
    from akm.cli import completion

    return completion.runs(incomplete)


#: A run id, its beginning, a ref or a file.
Target = Annotated[
    str,
    typer.Argument(
        metavar="TARGET", autocompletion=targets, help="A run id, its beginning, a ref or a file."
    ),
]
#: A workflow alone, where a run says nothing.
Workflow = Annotated[
    str,
    typer.Argument(metavar="WORKFLOW", autocompletion=workflows, help="A ref or a file."),
]
#: A run id or its beginning.
Run = Annotated[
    str,
    typer.Argument(metavar="RUN", autocompletion=run_ids, help="A run id or its first 4 or more characters."),
]


def takes_parameters(function: _Function) -> _Function:
    """Let a command take `-p name=value` and `--name value`, to be read with `parameters.given(ctx)`."""
    from akm.cli.parameters import FreeParametersCommand

    setattr(function, COMMAND_CLASS, FreeParametersCommand)
    return function


def of_the_root() -> list[Any]:
    """Build the options of `akm` itself."""
    return [
        format_option(),
        _eager("--version", "Print the version.", _show_version, "-V"),
        _eager("--show-completion", "Print a completion script: bash, zsh or fish.", _show_completion),
        _eager("--install-completion", "Install completion: bash, zsh or fish.", _install_completion),
    ]


def _eager(flag: str, help: str, act: Any, *short: str) -> TyperOption:
    is_flag = flag == "--version"
    return TyperOption(
        param_decls=[flag, *short],
        is_flag=is_flag,
        default=False if is_flag else None,
        metavar=None if is_flag else "SHELL",
        help=help,
        is_eager=True,
        expose_value=False,
        callback=lambda ctx, _param, value: act(value) if value and not ctx.resilient_parsing else None,
    )


def _show_version(_value: bool) -> None:
    from akm import __version__

    output.raw(f"akm {__version__}")
    raise typer.Exit


def _show_completion(shell: str) -> None:
    from akm.cli import completion

    completion.show(shell)
    raise typer.Exit


def _install_completion(shell: str) -> None:
    from akm.cli import completion

    completion.install(shell)
    raise typer.Exit
