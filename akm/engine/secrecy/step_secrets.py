"""What a step's units get from env assets, and the secret values that must not reach the ledger."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from akm import states
from akm.engine.drive import Drive
from akm.engine.redaction import Redaction
from akm.engine.runners.environment import ALLOWLIST
from akm.engine.secrecy import env_assets
from akm.services import events
from akm.workflow import secret_shapes
from akm.workflow.plan import CommandTarget, PlanStep, ShellTarget, Target, UnitNode

_INNOCENT = ("_HOME", "_DIR", "_PATH")


class StepSecrets:
    """The secrets of one step. Env assets are read when `read` is called, once, and not before."""

    def __init__(self, drive: Drive, step: PlanStep) -> None:
        self._drive = drive
        self._step = step
        self._values = dict(_known(drive, step))
        self._bindings: dict[str, str] | None = None
        self._redaction: Redaction | None = None

    @property
    def redaction(self) -> Redaction:
        """Return what replaces every secret known so far."""
        if self._redaction is None:
            self._redaction = Redaction(self._values.values(), spared=self._spared())
        return self._redaction

    def read(self) -> Mapping[str, str]:
        """Return the variables of the step's env assets; of two that set one, the later wins.

        Records `env_access` per asset. Raises AkmError when one cannot be read as the plan describes it.
        """
        if self._bindings is None:
            self._bindings = self._materialised(self._step.unit)
        return self._bindings

    def notices(self) -> list[str]:
        """Say which secrets are not replaced wherever they appear, because a row could not be read then."""
        spared = self._spared()
        left = [
            name
            for name, value in self._values.items()
            if Redaction([value], spared=spared).left and _is_named_secret(name)
        ]
        if not left:
            return []
        listed = ", ".join(sorted(left))
        why = "shorter than 8 characters or equal to a status or an id"
        return [f"Not replaced in what is stored, because {why}: {listed}."]

    def _spared(self) -> frozenset[str]:
        ids = {step.step_id for step in self._drive.plan.steps} | {self._drive.ledger.run_id}
        return frozenset(ids | {*states.RUN, *states.STEP, *states.UNIT, *states.ATTEMPT})

    def _materialised(self, node: UnitNode | None) -> dict[str, str]:
        refs = [binding for binding in node.environment if binding.kind == "env-ref"] if node else []
        found = [env_assets.materialise(binding, self._drive.environment) for binding in refs]
        bindings: dict[str, str] = {}
        for one in found:
            bindings |= one.variables
            self._values |= {f"{one.ref} {name}": value for name, value in one.variables.items()}
            self._values |= {f"secret {name}": value for name, value in one.secrets.items()}
            self._record(one)
        self._redaction = None
        return bindings

    def _record(self, one: env_assets.Materialised) -> None:
        metadata = {"keys": sorted(one.variables), "secretNames": sorted(one.secrets)}
        events.try_record(
            self._drive.ledger.db,
            "env_access",
            at=self._drive.ledger.now(),
            ref=one.ref,
            metadata=metadata,
            complain=lambda _sentence: None,
        )


def _known(drive: Drive, step: PlanStep) -> Iterator[tuple[str, str]]:
    """Walk over the secrets that are known without reading anything."""
    yield from secret_shapes.certain(drive.params)
    for target in (step.unit.target if step.unit else None, step.gate.judge):
        for name in _names(target):
            if value := drive.environment.get(name):
                yield name, value


def _names(target: Target | None) -> Iterator[str]:
    if isinstance(target, ShellTarget):
        yield from target.pass_env
    if isinstance(target, CommandTarget):
        key = target.runner.get("apiKeyEnv") or target.runner.get("api_key_env")
        if isinstance(key, str):
            yield key
        yield from (str(name) for name in target.runner.get("passEnv") or () if not _is_innocent(str(name)))


def _is_innocent(name: str) -> bool:
    return name in ALLOWLIST or name.endswith(_INNOCENT)


def _is_named_secret(name: str) -> bool:
    return name.startswith("secret ") or secret_shapes.names_a_secret(name)
