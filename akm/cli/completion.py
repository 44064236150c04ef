"""Completion in bash, zsh and fish: the scripts, and what is completed besides commands and flags."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from akm.cli import output
from akm.errors import AkmError, ConfigError, UsageError

if TYPE_CHECKING:
    from akm.cli.lazy import LazyGroup

SHELLS = ("bash", "zsh", "fish")
_VARIABLE = "_AKM_COMPLETE"


def answer(root: LazyGroup) -> int:
    """Answer the shell's question, which is in the environment. Returns the exit status it expects."""
    from typer.completion import completion_init  # type: ignore[attr-defined]

    completion_init()
    try:
        root.main(args=[], prog_name="akm", complete_var=_VARIABLE)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0
    except AkmError:
        pass  # A shell that asks for completions must not be answered with an error.
    return 0


def show(shell: str) -> None:
    """Print the completion script of one shell."""
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    output.raw(get_completion_script(prog_name="akm", complete_var=_VARIABLE, shell=_checked(shell)))


def install(shell: str) -> None:
    """Write the completion script to where the shell looks for it."""
    from typer.completion import install as write  # type: ignore[attr-defined]

    try:
        _, file = write(shell=_checked(shell), prog_name="akm", complete_var=_VARIABLE)
    except OSError as error:
        named = f" to {error.filename}" if error.filename is not None else ""
        raise ConfigError(f"The completion script cannot be written{named}: {error.strerror}.") from error
    output.show({"ok": True, "shell": shell, "path": str(file)}, render=_installed)


def targets(incomplete: str) -> list[str]:
    """Complete a workflow's ref or a run's id."""
    return [*workflows(incomplete), *runs(incomplete)]


def workflows(incomplete: str) -> list[str]:
    """Complete the refs of the workflows that exist here."""
    from akm import config, paths, refs, scope

    try:
        cwd = paths.working_directory()
        bundles = config.bundles(config.read(cwd))
        known = refs.names(bundles, scope.anchor(cwd, bundles))
    except (AkmError, OSError):
        return []
    return [name for name in known if name.startswith(incomplete)]


def runs(incomplete: str) -> list[str]:
    """Complete a run's id. A ledger that is missing or of another revision is left alone."""
    from akm import config
    from akm.store import schema, sql
    from akm.store.connect import connect
    from akm.store.database import Database
    from akm.views import runs as ledger

    try:
        path = config.database(config.read()).path
        if not path.is_file():
            return []
        with closing(connect(path, busy_seconds=1, read_only=True)) as connection:
            if schema.revision(connection) != sql.REVISIONS[-1]:
                return []
            return ledger.identifiers(Database(connection, path), incomplete)
    except (AkmError, OSError):
        return []


def _checked(shell: str) -> str:
    if shell not in SHELLS:
        raise UsageError(
            f"There is no completion for {shell!r}: choose {', '.join(SHELLS[:-1])} or {SHELLS[-1]}."
        )
    return shell


def _installed(result: dict[str, str]) -> list[str]:
    return [f"Completion for {result['shell']} is in {result['path']}; it works in a new terminal."]
