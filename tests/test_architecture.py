"""The shape of the code: sizes, docstrings, and what may be said and done where. Imports have a checker."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from service_calls import public_services

import akm.services

PACKAGE = Path(akm.services.__path__[0]).parent
FILES = sorted(PACKAGE.rglob("*.py"))
TREES = {path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in FILES}
GENERATED = "store/sql.py"
LONGEST_FILE = 217
LONGEST_FUNCTION = 60
# A verb and what must follow it, so that a sentence which starts with "Select" is none.
SQL = re.compile(r"\b(SELECT\s.+\sFROM|INSERT\s+(OR\s+\w+\s+)?INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM)\b", re.S)


def functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for name, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{name}:{node.name}", node


def length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the lines of a function's own, its docstring left out."""
    doc = node.body[0] if ast.get_docstring(node, clean=False) is not None else None
    return (node.end_lineno or 0) - node.lineno + 1 - ((doc.end_lineno or 0) - doc.lineno + 1 if doc else 0)


@pytest.mark.parametrize("name", TREES)
def test_every_module_says_what_lives_in_it(name: str) -> None:
    is_empty = not TREES[name].body and name.endswith("__init__.py")
    assert is_empty or (ast.get_docstring(TREES[name]) or "").endswith((".", ":", "`"))


def test_every_public_function_and_class_says_what_it_is_for() -> None:
    silent = [
        f"{name}:{node.name}"
        for name, tree in TREES.items()
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
        and ast.get_docstring(node) is None
        and name != GENERATED
    ]
    assert silent == []


def test_functions_are_short() -> None:
    lengths = {name: length(node) for name, node in functions()}
    assert [name for name, lines in lengths.items() if lines > LONGEST_FUNCTION] == []
    short = sum(lines < 25 for lines in lengths.values())
    assert short >= 0.9 * len(lengths), sorted(lengths.items(), key=lambda one: -one[1])[:20]


def test_files_are_short() -> None:
    lengths = {
        path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8").count("\n") for path in FILES
    }
    del lengths[GENERATED]
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST_FILE} == {}
    assert sum(lines <= 150 for lines in lengths.values()) >= 0.9 * len(lengths)


def test_sql_is_written_in_the_store_alone() -> None:
    found = [
        f"{name}:{node.lineno}"
        for name, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and SQL.search(node.value)
        if not name.startswith("store/")
    ]
    assert found == []


def test_one_module_prints() -> None:
    # The generator of statements is the developer's and no part of the command.
    allowed = {"__main__.py", "cli/output.py", "store/generate.py"}
    found = [
        f"{name}:{node.lineno}"
        for name, tree in TREES.items()
        if name not in allowed
        for node in _prints(tree)
    ]
    assert found == []


def _prints(tree: ast.Module) -> Iterator[ast.Call]:
    """Find calls of `print`, `<stream>.write` and `<stream>.writelines` on the standard streams."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called == "print" or re.fullmatch(r"sys\.(__)?std(out|err)(__)?(\.buffer)?\.write\w*", called):
                yield node


# These take their times from what they write, or have none.
WITHOUT_TIME = {
    *("pruning.prune_runs", "pruning.sweep_events", "rebuilding.rebuild_units"),
    *("runs.publish", "runs.publish_child", "task_history.finalize", "task_history.record"),
    *("task_history.prune", "bundle_rename.conclude", "registry_cache.clear", "run_imports.admit"),
}


@pytest.mark.parametrize("name", sorted(public_services() - WITHOUT_TIME))
def test_services_are_told_the_time_by_keyword(name: str) -> None:
    module, _, function = name.partition(".")
    parameters = inspect.signature(getattr(getattr(akm.services, module), function)).parameters
    assert parameters["at"].kind is inspect.Parameter.KEYWORD_ONLY
    assert parameters["at"].default is inspect.Parameter.empty


def test_services_have_no_clock_of_their_own() -> None:
    named = {
        name: {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        | {
            alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in [ast.alias(node.module or ""), *node.names]
        }
        for name, tree in TREES.items()
        if name.startswith("services/")
    }
    assert {name: found & {"time", "datetime", "clock"} for name, found in named.items()} == {
        name: set() for name in named
    }
