"""What `akm workflow run TARGET` means: a run that exists, or a workflow to start."""

from __future__ import annotations

import re
from typing import NamedTuple

from akm import ids, refs
from akm.engine import sources
from akm.engine.workplace import Workplace
from akm.errors import NotFoundError, UsageError
from akm.store.database import Database
from akm.views import runs

# From this length on a text of this shape is always meant as a run id and never tried as a ref.
_ID_SHAPED = re.compile(r"[0-9a-f-]{8,36}\Z")


class Existing(NamedTuple):
    """A run to go on with. `is_attached`: found as the active run of a ref, not named itself."""

    run_id: str
    is_attached: bool


class Fresh(NamedTuple):
    """A workflow to start. `refs` are the spellings that count as the same workflow."""

    source: refs.Source
    refs: tuple[str, ...]


def resolve(db: Database, work: Workplace, text: str, *, new: bool, has_params: bool) -> Existing | Fresh:
    """Decide what a target means.

    Raises NotFoundError WORKFLOW_NOT_FOUND, or UsageError for an ambiguous prefix and for parameters or
    `--new` given to a run that exists.
    """
    run_id = runs.find(db, text)
    if run_id is not None:
        _refuse_for_a_run(run_id, new=new, has_params=has_params)
        return Existing(run_id, is_attached=False)
    if _ID_SHAPED.match(text):
        raise NotFoundError(f"There is no run {text!r}.", code="WORKFLOW_NOT_FOUND")
    literal = runs.active_in_scope(db, (text,), work.scope_key) if "//" in text and not new else None
    try:
        source = sources.find(work, text)
    except NotFoundError:
        # A run goes on after its source has disappeared.
        if literal is None or has_params:
            raise
        return Existing(literal.id, is_attached=True)
    spellings = refs.ref_set(source, text)
    active = None if new else runs.active_in_scope(db, spellings, work.scope_key)
    if active is None:
        return Fresh(source, spellings)
    if has_params:
        raise UsageError(
            f"Run {active.id} of {active.workflow_ref} is active here (scope {active.scope_key}) with "
            "parameters of its own, so new ones cannot be given.",
            hint=f"Continue it with `akm workflow run {active.id}`, end it with "
            f"`akm workflow abandon {active.id}`, or start another one with --new.",
        )
    return Existing(active.id, is_attached=True)


def shown(db: Database, work: Workplace, text: str, *, all_scopes: bool) -> str:
    """Find the run that `status TARGET` means: an id, a prefix, or the newest run of a ref."""
    run_id = runs.find(db, text)
    if run_id is not None:
        return run_id
    if _ID_SHAPED.match(text) and ids.is_prefix(text):
        raise NotFoundError(f"There is no run {text!r}.", code="WORKFLOW_NOT_FOUND")
    spellings = listed_refs(work, text)
    found = runs.latest(db, spellings, None if all_scopes else work.scope_key)
    if found is None:
        where = "anywhere" if all_scopes else f"in {work.anchor}"
        raise NotFoundError(
            f"There is no run of {spellings[0]} {where}.",
            code="WORKFLOW_NOT_FOUND",
            hint=None if all_scopes else "Look everywhere with --all-scopes.",
        )
    return found


def listed_refs(work: Workplace, text: str) -> tuple[str, ...]:
    """Return the stored spellings that a ref filter matches; a qualified ref matches without its file."""
    if not text.strip() or "#" in text:
        raise UsageError(f"{text!r} is not a workflow ref.", code="INVALID_FLAG_VALUE")
    try:
        return refs.ref_set(sources.find(work, text), text)
    except NotFoundError:
        if "//" not in text:
            raise
        return (text,)


def _refuse_for_a_run(run_id: str, *, new: bool, has_params: bool) -> None:
    if new:
        raise UsageError(f"--new starts a workflow, and {run_id} is a run; name the workflow instead.")
    if has_params:
        raise UsageError(
            f"Run {run_id} has its parameters already, so new ones cannot be given.",
            hint="Start another run of its workflow with --new and the parameters.",
        )
