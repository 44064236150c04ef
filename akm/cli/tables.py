"""Tables for people: with colour through Rich at a terminal, aligned plain text anywhere else."""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

from akm.cli.plain import printable

_NOTHING = "-"
#: The colour of a status word, in whichever column it stands.
STYLES = {
    "active": "cyan",
    "running": "cyan",
    "completed": "green",
    "blocked": "yellow",
    "interrupted": "yellow",
    "missed": "yellow",
    "paused": "yellow",
    "failed": "red",
    "skipped": "dim",
    "pending": "dim",
}


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text under headings. `empty` is said instead when there are no rows.

    Cells under the headings in `whole` are never broken: they are there to be copied. At a terminal, which is
    narrow, those in `optional` are left out while no row has anything to say under them.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
    empty: str = "Nothing to show."
    whole: Sequence[str] = ()
    optional: Sequence[str] = ()


def drawn(table: Table, *, is_terminal: bool) -> str:
    """Draw a table, in colour at a terminal unless NO_COLOR is set; ends with a line break."""
    if not table.rows:
        return f"{table.empty}\n"
    rows = [[_cell(value) for value in row] for row in table.rows]
    return _rich(table, rows) if is_terminal else _plain(table.columns, rows)


def _cell(value: object) -> str:
    return _NOTHING if value is None else printable(str(value)).replace("\n", " ").replace("\t", " ")


def _plain(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [[column.upper() for column in columns], *rows]
    widths = [max(len(line[index]) for line in lines) for index in range(len(columns))]
    padded = (
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines
    )
    return "".join(f"{line.rstrip()}\n" for line in padded)


def _rich(table: Table, rows: Sequence[Sequence[str]]) -> str:
    from rich.console import Console
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid(box=None, pad_edge=False, header_style="bold")
    said = [
        name not in table.optional or any(row[index] != _NOTHING for row in rows)
        for index, name in enumerate(table.columns)
    ]
    for column in compress(table.columns, said):
        grid.add_column(column.upper(), overflow="fold", no_wrap=column in table.whole)
    for row in rows:
        grid.add_row(*(Text(cell, style=STYLES.get(cell, "")) for cell in compress(row, said)))
    sheet = io.StringIO()
    width = shutil.get_terminal_size().columns
    Console(file=sheet, force_terminal=True, no_color=bool(os.environ.get("NO_COLOR")), width=width).print(
        grid
    )
    return sheet.getvalue()
