"""A row of a query is a named tuple in all that anybody asks of one."""

from __future__ import annotations

import pickle
from typing import Any, NamedTuple, get_type_hints

import pytest

from akm.store import sql
from akm.store.row import Row


class Ours(Row):
    id: str
    rows: int | None


class Typed(NamedTuple):
    id: str
    rows: int | None


QUESTIONS: dict[str, Any] = {
    "values by order": lambda kind: tuple(kind("a", 1)),
    "values by name": lambda kind: tuple(kind("a", rows=1)),
    "names": lambda kind: kind._fields,
    "a value": lambda kind: (kind("a", 1).id, kind("a", 1).rows),
    "taken apart": lambda kind: [*kind("a", 1)],
    "as a dictionary": lambda kind: kind("a", 1)._asdict(),
    "with another value": lambda kind: tuple(kind("a", 1)._replace(rows=None)),
    "as text": lambda kind: repr(kind("a", 1)).removeprefix(kind.__name__),
    "types": get_type_hints,
    "equal": lambda kind: (kind("a", 1) == ("a", 1), hash(kind("a", 1)) == hash(("a", 1))),
    "packed": lambda kind: pickle.loads(pickle.dumps(kind("a", 1))) == kind("a", 1),
    "no dictionary": lambda kind: hasattr(kind("a", 1), "__dict__"),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_row_answers_as_a_typed_named_tuple_does(question: str) -> None:
    assert QUESTIONS[question](Ours) == QUESTIONS[question](Typed)


@pytest.mark.parametrize(
    ("values", "named"), [(("a",), {}), (("a", 1, 2), {}), (("a", 1), {"rows": 1}), (("a",), {"x": 1})]
)
def test_neither_takes_other_values_than_its_own(values: Any, named: Any) -> None:
    for kind in (Ours, Typed):
        with pytest.raises(TypeError):
            kind(*values, **named)


def test_the_statements_have_rows_of_this_kind() -> None:
    assert issubclass(sql.Step, Row)
    assert sql.Step._fields[0] == "run_id"
