"""Tasks that hand prose to a configured engine: which one, with which text, for how long."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from akm import config
from akm.engine.workplace import Workplace
from akm.errors import ConfigError, UsageError
from akm.tasks import places
from akm.tasks.files.task import Command, Task
from akm.workflow.freezing.freeze_engines import Missing, model_for
from akm.workflow.presets import PRESETS

if TYPE_CHECKING:
    from akm.settings import AgentEngine, Config, Engine

_FENCE = "---"


@dataclass(frozen=True, slots=True)
class Chosen:
    """The engine of a task: its name, its program up to the prompt, and how the prompt gets there.

    `timeout_ms` None is no limit; `warnings` say what it cannot be told.
    """

    name: str
    argv: tuple[str, ...]
    takes_argument: bool
    pass_env: tuple[str, ...]
    timeout_ms: int | None
    warnings: tuple[str, ...] = ()


def chosen(task: Task, work: Workplace) -> Chosen:
    """Choose the engine of a task. Raises ConfigError naming the setting that is missing or does not do."""
    checked = config.load(layers=work.layers)
    name = task.engine or checked.defaults.engine
    if name is None:
        raise ConfigError(
            f"Task {task.id} needs an engine, and neither the task nor the configuration names one: "
            "set defaults.engine.",
            code="LLM_NOT_CONFIGURED",
        )
    engine = checked.engines.get(name)
    if engine is None:
        raise ConfigError(
            f"Task {task.id} needs the engine {name!r}, which is not configured: set engines.{name}.",
            code="LLM_NOT_CONFIGURED",
        )
    return _asked(task, name, _usable(task, name, engine), checked)


def _usable(task: Task, name: str, engine: Engine) -> AgentEngine:
    """Return the engine if a task can be handed to it. Raises ConfigError, or UsageError for `agent`."""
    from akm.settings import AgentEngine

    if not isinstance(engine, AgentEngine):
        raise ConfigError(
            f"Task {task.id} asks for engines.{name}, which is a model behind an endpoint, and a task cannot "
            "call one yet: name an engine of the kind agent in the task's `engine`.",
            code="TASK_TARGET_UNSUPPORTED",
        )
    if task.agent is not None:
        # Whoever names an agent counts on its instructions and its limits; without them it would be another.
        raise UsageError(
            f"Task {task.id} names the agent {task.agent!r}, and no engine is handed an agent's instructions "
            "yet: remove `agent`, and write into the command what the agent is to heed.",
            code="TASK_TARGET_UNSUPPORTED",
        )
    return engine


def _asked(task: Task, name: str, engine: AgentEngine, checked: Config) -> Chosen:
    preset = PRESETS[engine.preset]
    model = model_for(name, task.model or engine.model, checked.models, Missing(strict=True))
    return Chosen(
        name,
        # What it prints is the task's log, which people read.
        preset.command_for_people(engine.command or (), model),
        (engine.prompt or preset.prompt) == "argument",
        tuple(engine.pass_env),
        _timeout_ms(task, engine),
        _unheard(task, name, engine, model),
    )


def _unheard(task: Task, name: str, engine: AgentEngine, model: str | None) -> tuple[str, ...]:
    if task.model is None or PRESETS[engine.preset].model:
        return ()
    return (
        f"Task {task.id} asks for the model {model}, and engines.{name} cannot be told one, because its "
        "command decides: write the model into that command, or remove `model`.",
    )


def _timeout_ms(task: Task, engine: AgentEngine) -> int | None:
    if task.says_timeout or engine.timeout is None:
        return task.timeout_ms
    return None if engine.timeout == "none" else engine.timeout


def text(task: Task, target: Command, work: Workplace) -> str:
    """Return what the engine is to read: the content, `$ARGUMENTS` replaced once and literally."""
    content = target.content
    if content is None:
        file = places.asset(task, target.ref or "", work.bundles, ending=".md")
        try:
            content = _body(file.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{file} cannot be read as UTF-8 text ({type(error).__name__}).") from None
    return content if target.arguments is None else content.replace("$ARGUMENTS", target.arguments)


def _body(markdown: str) -> str:
    """Return a command file without its frontmatter."""
    lines = markdown.splitlines(keepends=True)
    if lines and lines[0].rstrip() == _FENCE:
        for number, line in enumerate(lines[1:], start=1):
            if line.rstrip() == _FENCE:
                return "".join(lines[number + 1 :]).lstrip("\n")
    return markdown
