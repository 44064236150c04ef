"""The rows that the switched-on tasks ask for, and why some ask for none. What is installed is not here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from akm.errors import AkmError, NotFoundError
from akm.tasks import catalog
from akm.tasks.catalog import File
from akm.tasks.files.task import Task
from akm.tasks.firing import activation, installation
from akm.tasks.firing.away import is_away
from akm.tasks.firing.sync_plan import Failure
from akm.tasks.schedulers import wrappers
from akm.tasks.schedulers.row import Installation, Row, rows


@dataclass(slots=True)
class Wanted:
    """Rows with their lines, and the scripts of the lines by native id.

    `keep` are refs whose rows stay whatever they are; `away` are the bundles that are not there, with their
    folders.
    """

    rows: list[tuple[Row, str]] = field(default_factory=list)
    scripts: dict[str, str] = field(default_factory=dict)
    keep: set[str] = field(default_factory=set)
    away: dict[str, Path] = field(default_factory=dict)
    skipped: list[dict[str, str]] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)

    def warnings(self) -> list[str]:
        """Say which bundles are not there."""
        return [
            f"The tasks of the bundle {name} cannot be read in {root} (a disk that is not mounted?): their "
            "rows stay as they are."
            for name, root in self.away.items()
        ]


def of(refs: Iterable[str], known: Mapping[str, Path], here: Installation, bundle: str | None) -> Wanted:
    """Read the tasks that are switched on, those of `bundle` alone when it is given."""
    wanted = Wanted()
    for ref in refs:
        if bundle is not None and ref.partition("//")[0] != bundle:
            continue
        file = activation.file(ref, known)
        if file is None:
            reason = "its bundle is not configured in the user's file"
            wanted.skipped.append({"ref": ref, "reason": reason})
        else:
            _read(wanted, file, here)
    return wanted


def _read(wanted: Wanted, file: File, here: Installation) -> None:
    try:
        task = catalog.read(file)
    except NotFoundError:
        if is_away(file):
            wanted.keep.add(file.ref)
            wanted.away[file.bundle] = file.root
        else:
            wanted.skipped.append({"ref": file.ref, "reason": f"there is no file {file.path}"})
        return
    except AkmError as error:
        wanted.keep.add(file.ref)
        wanted.failures.append(Failure(str(file.path), error.message, file.ref))
        return
    if not task.schedules:
        wanted.skipped.append({"ref": file.ref, "reason": "the task has no schedule"})
    _add(wanted, task, here)


def _add(wanted: Wanted, task: Task, here: Installation) -> None:
    try:
        compiled = [(row, wrappers.fitting(row, installation.wrappers())) for row in rows(task, here)]
    except ValueError as error:
        wanted.keep.add(task.ref)
        wanted.failures.append(Failure(str(task.path), str(error), task.ref))
        return
    for row, (line, script) in compiled:
        wanted.rows.append((row, line))
        if script is not None:
            wanted.scripts[row.native_id] = script
