"""Which tasks are switched on: the list `scheduler.enabled` of the user's configuration file."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from akm import config, paths, ref_grammar
from akm.errors import AkmError, ConfigError, NotFoundError, UsageError
from akm.spelling import suggestion
from akm.tasks import ids

FOLDER = "tasks/"


@dataclass(frozen=True, slots=True)
class Place:
    """A task's ref taken apart, and where its file is. The file need not exist."""

    ref: str
    bundle: str
    id: str
    root: Path

    @property
    def path(self) -> Path:
        """Return the path of the task's file."""
        return self.root / FOLDER / f"{self.id}{ids.ENDING}"


def bundles(layers: config.Layers) -> dict[str, Path]:
    """Return the bundles whose tasks can be scheduled: a scheduler knows no project, only the user's file."""
    return {
        name: path
        for name, path in config.bundles(layers).items()
        if layers.origins["bundles", name, "path"].where == "user file"
    }


def enabled() -> list[str] | None:
    """Return the refs that are switched on; None when this machine never chose. Raises ConfigError."""
    file = paths.user_config_file()
    section = config.read_file(file).get("scheduler", {}) if file.exists() else {}
    found: Any = section.get("enabled") if isinstance(section, dict) else section
    if found is None:
        return None
    if not isinstance(found, list) or not all(isinstance(ref, str) for ref in found):
        raise ConfigError(f"{file}: scheduler.enabled must be a list of refs such as team//tasks/nightly.")
    return found


def locate(ref: str, known: dict[str, Path]) -> Place:
    """Find the task that a typed ref means: `[<bundle>//][tasks/]<id>`, in one of the bundles `known`.

    Raises UsageError for an unknown bundle or an ambiguous ref, NotFoundError when no bundle has the task.
    """
    bundle, separator, inner = ref.rpartition("//")
    id = ids.typed(inner.removeprefix(FOLDER))
    if separator and bundle not in known:
        raise _no_such_bundle(bundle, known)
    owners = [bundle] if separator else list(known)
    found = [Place(f"{name}//{FOLDER}{id}", name, id, known[name]) for name in owners]
    there = [place for place in found if place.path.is_file()]
    if not there:
        looked = ", ".join(str(place.path) for place in found) or "no bundle, because none is configured"
        raise NotFoundError(f"There is no task {ref!r}: looked for {looked}.")
    if len(there) > 1:
        spelled = " or ".join(place.ref for place in there)
        raise UsageError(f"{ref!r} exists in several bundles: write {spelled}.")
    return there[0]


def canonical(ref: str, known: dict[str, Path]) -> Place | None:
    """Take an entry of the list apart; None when its bundle is not among `known`. Raises UsageError."""
    bundle, separator, inner = ref.partition("//")
    if not separator or not inner.startswith(FOLDER) or not ref_grammar.is_bundle_name(bundle):
        raise UsageError(f"scheduler.enabled holds {ref!r}, which is no ref such as team//tasks/nightly.")
    id = ids.check(inner.removeprefix(FOLDER))
    return Place(ref, bundle, id, known[bundle]) if bundle in known else None


def write(refs: Collection[str]) -> None:
    """Make `refs` the list, sorted; comments and other settings stay. Raises ConfigError, TransientError."""
    from akm.config_edit import file, lists

    wanted = sorted(set(refs))
    file.edit(
        lambda text: lists.put(text, "scheduler", "enabled", wanted),
        entry="the entry `enabled` of [scheduler]",
    )


def _no_such_bundle(bundle: str, known: dict[str, Path]) -> AkmError:
    return UsageError(
        f"No bundle named {bundle!r} is configured in the user's file, which is what schedules see.",
        hint=suggestion(bundle, known) or "Add it with `akm bundle add NAME PATH`.",
    )
