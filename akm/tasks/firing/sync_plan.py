"""What has to change for the scheduler to fire what is switched on. Pure: nothing is read or written here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from akm.tasks.schedulers.crontab_text import Block
from akm.tasks.schedulers.row import Row, owner


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a task has not the rows that it should have."""

    path: str
    reason: str
    ref: str | None = None


@dataclass(slots=True)
class Plan:
    """The native ids by what is to be done with them; `lines` are those of the rows to be written.

    `ours` are the rows of this installation that are there, of whichever bundle.
    """

    installed: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    ours: set[str] = field(default_factory=set)
    lines: dict[str, str] = field(default_factory=dict)


def plan(
    installed: Sequence[Block],
    desired: Sequence[tuple[Row, str]],
    *,
    mark: str,
    keep: Collection[str] = (),
    bundle: str | None = None,
    rebind: bool = False,
) -> Plan:
    """Compare the blocks that are there with the rows and lines that should be.

    Rows of other installations, of other bundles than `bundle`, and of the refs `keep` stay untouched. Of
    two rows with one native id, in whatever case, neither is written and both are reported. `rebind` takes
    the rows away with which other installations fire the desired tasks.
    """
    made = Plan()
    counts = Counter(row.native_id.lower() for row, _ in desired)
    there = {block.native_id: block for block in installed}
    taken: set[str] = set()
    for row, line in desired:
        if counts[row.native_id.lower()] > 1:
            reason = "another task has the same name but for the case of its letters: rename one of them"
            made.failures.append(Failure(str(row.path), reason, row.ref))
            continue
        _sort(made, there.get(row.native_id), row.native_id, line)
        taken.add(row.ref)
    for native_id in there:
        whose = owner(native_id)
        if whose is None:
            continue
        if whose.installation != mark:
            if rebind and whose.ref in taken:
                made.removed.append(native_id)
            continue
        made.ours.add(native_id)
        if whose.ref in keep or (bundle is not None and whose.bundle != bundle):
            continue
        if native_id not in made.lines and native_id not in made.unchanged:
            made.removed.append(native_id)
    return made


def _sort(made: Plan, block: Block | None, native_id: str, line: str) -> None:
    if block is not None and block.line == line:
        made.unchanged.append(native_id)
        return
    (made.installed if block is None else made.updated).append(native_id)
    made.lines[native_id] = line
