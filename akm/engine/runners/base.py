"""What the driver hands to a runner and what it gets back: plain values, so a runner needs no database."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from akm.engine.abort import Abort
from akm.engine.redaction import NOTHING, Redaction
from akm.workflow.hashing import canonical
from akm.workflow.prompt import Prompt
from akm.workflow.worklist import WorkItem


class Shared:
    """What the units of a step have in common, written or looked up once instead of once per unit.

    Threads use it together: at worst something is found out twice.
    """

    __slots__ = ("_texts", "programs")

    def __init__(self) -> None:
        # By identity, with the value itself, so that it lives as long as its entry.
        self._texts: dict[int, tuple[object, str]] = {}
        #: The file found for a program's name, its directory and its PATH.
        self.programs: dict[tuple[str, str, str | None], str] = {}

    def text(self, value: Any, shape: Callable[[Any], Any] | None = None) -> str:
        """Return the canonical JSON of `value`, or of what `shape` makes of it. Raises ValueError."""
        known = self._texts.get(id(value))
        if known is None:
            known = value, canonical(value if shape is None else shape(value))
            self._texts[id(value)] = known
        return known[1]


@dataclass(frozen=True, slots=True)
class Dispatch:
    """One attempt, reserved in the ledger and about to happen.

    `item.node` is the frozen unit. `dispatch_id` stays the same when a killed attempt is handed out again:
    it is the idempotency key for whatever the work touches. `environment` is what the process's own
    environment is filtered from (normally a copy of `os.environ` made once per run: looking names up in
    that itself costs much more). `bindings` are the variables read from the unit's env assets, live.
    `shared` is one object for all units of a step. `prompt` is what a judge is asked; None stands for the
    unit's own prompt. `worktree` is the path reserved for the attempt's worktree, `base` the directory in it
    that stands for the frozen base directory; both None without one. `redaction` knows the secret values: a
    runner applies it to what it cuts, and everything else of its outcome is redacted for it.
    """

    run_id: str
    attempt: int
    dispatch_id: str
    item: WorkItem
    params: Mapping[str, Any]
    abort: Abort
    environment: Mapping[str, str] = field(repr=False, default_factory=dict)
    bindings: Mapping[str, str] = field(repr=False, default_factory=dict)
    shared: Shared = field(repr=False, default_factory=Shared, compare=False)
    prompt: Prompt | None = None
    worktree: str | None = None
    base: str | None = None
    redaction: Redaction = field(repr=False, default=NOTHING, compare=False)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one attempt ended. Failures are values: a runner never raises for them.

    Success: `has_result` with the JSON value in `result` (a schema was declared), or `text`; empty text is no
    output at all. Failure: `failure_reason` is a word of the failure vocabulary, `diagnostic` what a person
    reads; `text` may hold partial output. `warnings` are for the person running the command.

    `tokens` is everything that was spent, `input_tokens` and `output_tokens` (reasoning included) its parts
    where they are known, `cost` the money that the tool itself reported. `worktree` is the path of the
    attempt's worktree when it was kept.
    """

    status: Literal["completed", "failed"]
    text: str | None = None
    result: Any = None
    has_result: bool = False
    failure_reason: str | None = None
    diagnostic: str | None = None
    tokens: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    session_id: str | None = None
    warnings: tuple[str, ...] = ()
    worktree: str | None = None

    @property
    def is_ok(self) -> bool:
        """Tell whether the unit succeeded."""
        return self.status == "completed"

    def redacted(self, secrets: Redaction) -> Outcome:
        """Return this without `secrets`; a failure reason that held one becomes `reported_failure`."""
        if secrets.is_empty:
            return self
        reason = self.failure_reason
        return replace(
            self,
            text=secrets.value(self.text),
            result=secrets.value(self.result),
            failure_reason=reason if secrets.value(reason) == reason else "reported_failure",
            diagnostic=secrets.value(self.diagnostic),
            session_id=secrets.value(self.session_id),
            warnings=tuple(map(secrets.text, self.warnings)),
        )


class Runner(Protocol):
    """Does one attempt's slow work on a worker thread and says how it ended."""

    def __call__(self, dispatch: Dispatch) -> Outcome:
        """Run the attempt to its end, its timeout or its abort."""


def failed(
    reason: str, diagnostic: str, *, text: str | None = None, warnings: tuple[str, ...] = ()
) -> Outcome:
    """Build the outcome of a failed attempt."""
    return Outcome("failed", text=text, failure_reason=reason, diagnostic=diagnostic, warnings=warnings)
