"""Tasks that hand prose to a configured engine: which one, with which text, as which program."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from akm import config
from akm.engine.workplace import Workplace
from akm.errors import ConfigError, UsageError
from akm.tasks import places
from akm.tasks.task import Command, Task
from akm.workflow.freeze_engines import Missing, model_for
from akm.workflow.presets import PRESETS

if TYPE_CHECKING:
    from akm.settings import AgentEngine, Config

_FENCE = "---"


class Chosen(NamedTuple):
    """The engine of a task: its name, its program up to the prompt, and how the prompt gets there."""

    name: str
    argv: tuple[str, ...]
    takes_argument: bool
    pass_env: tuple[str, ...]


def chosen(task: Task, work: Workplace) -> Chosen:
    """Find the engine of a task. Raises ConfigError naming the setting that is missing."""
    from akm.settings import AgentEngine

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
    if not isinstance(engine, AgentEngine):
        raise ConfigError(
            f"Task {task.id} needs an engine of the kind agent, and engines.{name} is of another kind: "
            "name another one in the task's `engine`.",
            code="TASK_TARGET_UNSUPPORTED",
        )
    return _asked(name, engine, task, checked)


def _asked(name: str, engine: AgentEngine, task: Task, checked: Config) -> Chosen:
    preset = PRESETS[engine.preset]
    model = model_for(name, task.model or engine.model, checked.models, Missing(strict=True))
    # What it prints is the task's log, which people read.
    argv = preset.command_for_people(engine.command or (), model)
    return Chosen(name, argv, (engine.prompt or preset.prompt) == "argument", tuple(engine.pass_env))


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
