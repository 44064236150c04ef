"""Which tasks are switched on: the list `scheduler.enabled` of the user's configuration file."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from akm import config, paths, ref_grammar
from akm.errors import ConfigError
from akm.spelling import counted
from akm.tasks import catalog
from akm.tasks.files import ids
from akm.tasks.firing.away import is_away
from akm.tasks.schedulers.crontab_text import Block
from akm.tasks.schedulers.row import owner


class Chosen(NamedTuple):
    """The refs that are switched on. `is_new`: there is no list yet, and these are to be its beginning.

    `warnings` are sentences for a person.
    """

    refs: list[str]
    warnings: list[str]
    is_new: bool


def bundles() -> dict[str, Path]:
    """Return the bundles whose tasks can be scheduled: a scheduler stands in no project."""
    return config.bundles(config.read(Path("/")))


def enabled(complain: Callable[[str], None] = lambda _text: None) -> list[str] | None:
    """Return the refs that are switched on; None when this machine never chose. Raises ConfigError.

    `complain` hears a sentence about each entry that is no ref of a task; it is left out.
    """
    file = paths.user_config_file()
    entries = _entries(config.read_file(file)) if os.path.exists(file) else None
    if entries is None:
        return None
    refs = [_ref(entry) for entry in entries]
    for fault in filter(None, map(_fault, refs)):
        complain(fault)
    return list(dict.fromkeys(str(ref) for ref in refs if _fault(ref) is None))


def chosen(blocks: Iterable[Block], mark: str, known: Mapping[str, Path]) -> Chosen:
    """Return what is switched on; without a list, the tasks that have a row of the installation `mark`."""
    warnings: list[str] = []
    refs = enabled(warnings.append)
    if refs is not None:
        return Chosen(refs, warnings, is_new=False)
    owners = [owner(block.native_id) for block in blocks if block.is_enabled]
    scheduled = {whose.ref for whose in owners if whose is not None and whose.installation == mark}
    refs = sorted(ref for ref in scheduled if _fault(ref) is None and _is_there(ref, known))
    now = counted(len(refs), "task that is scheduled now", "tasks that are scheduled now")
    said = f"scheduler.enabled was not set: it starts with the {now}."
    return Chosen(refs, [said], is_new=True)


def file(ref: str, known: Mapping[str, Path]) -> catalog.File | None:
    """Return the file of a ref of the list; None when its bundle is not among `known`."""
    bundle, _, inner = ref.partition("//")
    id = inner.removeprefix(f"{catalog.FOLDER}/")
    return catalog.file(bundle, known[bundle], id) if bundle in known else None


def write(refs: Collection[str]) -> None:
    """Make `refs` the list, sorted; comments, other settings and texts that are no refs of tasks stay.

    Raises ConfigError, TransientError.
    """
    from akm.config_edit import lists
    from akm.config_edit.file import edit

    edit(
        lambda text: lists.put(text, "scheduler", "enabled", sorted({*refs, *_left_out(text)})),
        entry="the entry `enabled` of [scheduler]",
    )


def _entries(values: Mapping[str, Any]) -> list[Any] | None:
    section = values.get("scheduler", {})
    found = section.get("enabled") if isinstance(section, dict) else section
    if found is None or isinstance(found, list):
        return found
    raise ConfigError(
        f"{paths.user_config_file()}: scheduler.enabled must be a list of refs such as team//tasks/nightly."
    )


def _ref(entry: Any) -> Any:
    """Return the ref of an entry; those of older versions are objects with `kind`, `ref` and `sourceId`."""
    return entry.get("ref") if isinstance(entry, dict) else entry


def _fault(ref: Any) -> str | None:
    """Say what keeps an entry from being the ref of a task; None when nothing does."""
    if not isinstance(ref, str):
        return "scheduler.enabled holds an entry that is no ref such as team//tasks/nightly; it is left out."
    bundle, separator, inner = ref.partition("//")
    if separator and ref_grammar.is_bundle_name(bundle):
        folder, _, id = inner.partition("/")
        if folder == catalog.FOLDER and ids.fault(id) is None:
            return None
        if folder == ref_grammar.FOLDER:
            return (
                f"scheduler.enabled holds {ref}, but a workflow has no schedule of its own and is not fired: "
                f"write a task with `uses: {ref}` and a schedule, and enable that."
            )
    return f"scheduler.enabled holds {ref!r}, which is no ref such as team//tasks/nightly; it is left out."


def _left_out(text: str) -> list[str]:
    import tomllib

    refs = map(_ref, _entries(tomllib.loads(text)) or ())
    return [ref for ref in refs if isinstance(ref, str) and _fault(ref) is not None]


def _is_there(ref: str, known: Mapping[str, Path]) -> bool:
    found = file(ref, known)
    return found is not None and (os.path.isfile(found.path) or is_away(found))
