"""From a ref or a path to a frozen plan: read the file, compile it, freeze it. Writes nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from akm import refs
from akm.engine.workplace import Workplace
from akm.errors import AkmError, NotFoundError, UsageError, WorkflowSourceError
from akm.workflow.freezing.freeze import Frozen, freeze
from akm.workflow.freezing.freeze_settings import Child, Gates
from akm.workflow.parsing.compile import compile
from akm.workflow.parsing.document import Document, Unit
from akm.workflow.parsing.findings import Finding
from akm.workflow.plan import Plan


@dataclass(frozen=True, slots=True)
class Loaded:
    """A workflow file that compiled, with its advisories as sentences."""

    source: refs.Source
    document: Document
    warnings: tuple[str, ...]


def load(work: Workplace, target: str) -> Loaded:
    """Find and compile a workflow. Raises NotFoundError, or WorkflowSourceError with every finding."""
    return compiled(find(work, target))


def find(work: Workplace, target: str) -> refs.Source:
    """Find the file that a ref or path names."""
    return refs.resolve(target, bundles=work.bundles, anchor=work.anchor, cwd=work.cwd)


def compiled(source: refs.Source) -> Loaded:
    """Compile the file of a source."""
    result = compile(read(source.path), name=source.path.name, root=source.root)
    if result.document is None:
        raise broken(source.path, result.findings)
    warnings = tuple(f"{source.path}:{one.line}: {one.text}" for one in result.findings)
    return Loaded(source, result.document, warnings)


def broken(path: Path, findings: Sequence[Finding]) -> WorkflowSourceError:
    """Build the error for a file with errors; it carries every finding."""
    errors = [one for one in findings if one.is_error]
    count = "an error" if len(errors) == 1 else f"{len(errors)} errors"
    return WorkflowSourceError(f"{path} has {count}; nothing was started.", errors, file=str(path))


def read(path: Path) -> bytes:
    """Read a workflow file. Raises UsageError when the system will not."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error


def frozen(work: Workplace, loaded: Loaded, *, strict: bool, gates: Gates = "judge") -> Frozen:
    """Freeze a compiled workflow with the settings of this place and its env assets, by name.

    When strict, an env asset that cannot be read raises what `env_assets` says; otherwise it is a warning,
    and so is an engine whose program is not installed here. (A run finds that out where its units start.)
    """
    done = _frozen(work, loaded, strict=strict, gates=gates)
    if strict:
        return done
    from akm.engine import installed

    return Frozen(done.plan, done.warnings + installed.lacks(done.plan))


def _frozen(
    work: Workplace, loaded: Loaded, *, strict: bool, gates: Gates, path: tuple[str, ...] = ()
) -> Frozen:
    source = loaded.source
    relative = (
        source.path.relative_to(source.root) if source.path.is_relative_to(source.root) else source.path
    )
    found = work.freeze_settings(root=source.root, source_path=relative.as_posix(), strict=strict)
    settings = replace(
        found, gates=gates, child=partial(_child, work, source, (*path, source.ref), strict, gates)
    )
    commit, warnings = _commit(loaded)
    settings = replace(settings, commit=commit)
    refs = _env_refs(loaded.document)
    if not refs:
        done = freeze(loaded.document, settings)
        return Frozen(done.plan, done.warnings + warnings)
    from akm.engine.secrecy import env_assets

    home = env_assets.Owner(source.bundle, source.root)
    env, faults = env_assets.described(refs, home=home, bundles=work.bundles)
    if faults and strict:
        raise faults[0]
    done = freeze(loaded.document, replace(settings, env=env))
    return Frozen(done.plan, done.warnings + warnings + tuple(fault.message for fault in faults))


def _commit(loaded: Loaded) -> tuple[str | None, tuple[str, ...]]:
    """Ask git what worktrees are made of, if a unit wants one; without a commit, say what will fail."""
    steps = loaded.document.steps
    wanting = [step.id for step, unit in zip(steps, _units(loaded.document), strict=True) if _is_apart(unit)]
    if not wanting:
        return None, ()
    from akm.engine.isolation import git, repositories

    try:
        return repositories.head(str(loaded.source.root.resolve())), ()
    except git.GitFault as fault:
        return None, (f"Step {wanting[0]} will fail: it asks for worktrees, and {fault.reason}.",)


def _is_apart(unit: Unit | None) -> bool:
    return unit is not None and unit.isolation == "worktree"


def _units(document: Document) -> list[Unit | None]:
    return [step.map.unit if step.map else step.unit for step in document.steps]


def _child(
    work: Workplace, parent: refs.Source, path: tuple[str, ...], strict: bool, gates: Gates, ref: str
) -> Child:
    """Find, compile and freeze a child workflow; `path` leads from the root to its parent."""
    source = _nearest(work, parent, ref)
    if source.ref in path:
        way = " -> ".join((*path, source.ref))
        raise UsageError(
            f"A workflow cannot run itself as its own child: {way}.",
            code="COMPOSITION_INVALID",
            hint="Take the child that closes the circle out, or let it be a workflow of its own.",
        )
    loaded = compiled(source)
    done = _frozen(work, loaded, strict=strict, gates=gates, path=path)
    return Child(source.ref, done.plan, loaded.warnings + done.warnings)


def _nearest(work: Workplace, parent: refs.Source, ref: str) -> refs.Source:
    """Find a child's file: one that is named without a bundle is in its parent's first."""
    if "//" not in ref:
        bundles = {**work.bundles, parent.bundle: parent.root}
        own = f"{parent.bundle}//{ref if ref.startswith(refs.FOLDER) else f'{refs.FOLDER}/{ref}'}"
        with suppress(NotFoundError):
            return refs.resolve(own, bundles=bundles, anchor=parent.root, cwd=parent.root)
    return refs.resolve(ref, bundles=work.bundles, anchor=work.anchor, cwd=parent.root)


def _env_refs(document: Document) -> list[str]:
    return [ref for unit in _units(document) if unit for ref in unit.env]


def drift(work: Workplace, ref: str, plan: Plan) -> str | None:
    """Say in one sentence how the source file differs from what the plan froze; None when it does not."""
    if plan.source_hash is None:
        return None
    try:
        source = refs.resolve(ref, bundles=work.bundles, anchor=_root(plan) or work.anchor, cwd=work.cwd)
        found = hashlib.sha256(source.path.read_bytes()).hexdigest()
    except (AkmError, OSError):
        return f"The source of {ref} cannot be read any more; the run goes on with its frozen plan."
    if found == plan.source_hash:
        return None
    return (
        f"{source.path} has changed since this run was started; the run goes on with its frozen plan. "
        f"Start a fresh run of the new text with `akm workflow run --new {ref}`."
    )


def _root(plan: Plan) -> Path | None:
    for step in plan.steps:
        identity = getattr(step.unit.target, "cwd_identity", None) if step.unit else None
        if identity is not None:
            return Path(identity.requested_root)
    return None
