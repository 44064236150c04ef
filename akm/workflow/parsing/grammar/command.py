"""The `exec` bag: an argument vector, where it runs, and which variables of the environment it may see."""

from __future__ import annotations

from akm.workflow.parsing.document import Exec
from akm.workflow.parsing.fields import Field
from akm.workflow.parsing.grammar.lists import unique_texts, variable_name
from akm.workflow.working_directory import WorkingDirectoryFault, canonical


def command(field: Field) -> Exec | None:
    """Read the command of a unit; None after noting that it has no usable argument vector."""
    entries = field.mapping(("command", "cwd", "pass_env"))
    if entries is None:
        return None
    if "command" not in entries:
        field.fail(
            "lacks `command`, the list of program and arguments", suggestion='command: ["echo", "hello"]'
        )
    argv = _argv(entries["command"]) if "command" in entries else None
    cwd = _cwd(entries["cwd"]) if "cwd" in entries else None
    names = unique_texts(entries["pass_env"], "variable", variable_name) if "pass_env" in entries else None
    return Exec(argv, cwd, names or ()) if argv else None


def _argv(field: Field) -> tuple[str, ...] | None:
    value = field.node.value
    if isinstance(value, str):
        field.fail(
            "must be a list of program and arguments, since no shell is involved",
            suggestion='command: ["sh", "-c", "..."]' if _looks_like_shell(value) else None,
        )
        return None
    items = field.items()
    if items is None:
        return None
    if not items:
        field.fail("is an empty list; name the program to start")
    arguments = [_argument(item) for item in items]
    return tuple(argument for argument in arguments if argument is not None)


def _looks_like_shell(text: str) -> bool:
    return any(character in text for character in "|&;<>$*`")


def _argument(field: Field) -> str | None:
    value = field.node.value
    if not isinstance(value, str):
        # An argument may well be a blank, so only the type is read as text() does.
        field.text()
        return None
    if not value:
        field.fail("is an empty argument; remove it")
        return None
    if "\0" in value:
        field.fail("holds a NUL character, which no argument can carry; remove it")
        return None
    return value


def _cwd(field: Field) -> str | None:
    value = field.node.value
    if not isinstance(value, str):
        field.text()
        return None
    try:
        return canonical(value)
    except WorkingDirectoryFault as fault:
        field.fail(fault.reason, code=fault.code)
        return None
