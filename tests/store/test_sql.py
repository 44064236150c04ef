"""The generated statements: what the models say, and every one of them understood by SQLite."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import get_type_hints

import pytest

from akm.store import sql
from akm.store.database import Database
from akm.store.generate import render
from akm.store.statement import Change, Query

STATEMENTS = {
    name: found for name, found in vars(sql).items() if type(found) in (Change, Query) and name.isupper()
}
QUERIES = {name: found for name, found in STATEMENTS.items() if isinstance(found, Query)}


def test_the_checked_in_module_is_what_the_models_say() -> None:
    formatted = subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--stdin-filename", "akm/store/sql.py", "-"],
        input=render(),
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    ).stdout
    assert Path(sql.__file__).read_text(encoding="utf-8") == formatted, "run `make sql`"


def test_there_are_statements_of_every_noun() -> None:
    assert {name.split("_")[0].rstrip("S") for name in STATEMENTS} == {
        "RUN",
        "STEP",
        "UNIT",
        "ATTEMPT",
        "EVENT",
        "TASK",
        "CACHE",
    }


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_is_understood_and_names_all_its_parameters(db: Database, name: str) -> None:
    statement = STATEMENTS[name]
    # Too few or too many values are an error of the driver.
    values = statement.pick({name: f"<{name}>" for name in statement.params})
    assert list(values) == [f"<{name}>" for name in statement.params]
    db.connection.execute(f"EXPLAIN {statement.text}", values)


@pytest.mark.parametrize("name", QUERIES)
def test_a_row_type_has_exactly_the_columns_of_its_query(db: Database, name: str) -> None:
    query = QUERIES[name]
    cursor = db.connection.execute(query.text, [0] * len(query.params))
    columns = [column[0] for column in cursor.description]
    assert tuple(columns) == query.row._fields  # type: ignore[attr-defined]
    assert set(get_type_hints(query.row)) == set(columns)
    cursor.close()


def test_the_ledger_is_used_without_any_heavy_import() -> None:
    code = (
        "import sys, akm.store.opening, akm.services, akm.views\n"
        "heavy = {'alembic', 'sqlalchemy', 'sqlmodel', 'pydantic', 'requests', 'yaml'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
