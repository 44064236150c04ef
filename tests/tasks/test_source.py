"""Reading task files: the whole grammar of version 4, its refusals, and the versions before it."""

from __future__ import annotations

from pathlib import Path

import pytest

from akm.errors import UsageError
from akm.tasks.files import interpreters, source
from akm.tasks.files.task import DEFAULT_TIMEOUT_MS, Command, Schedule, Script, Shell, Task, Workflow


def read(root: Path, text: str, name: str = "nightly.yml") -> Task:
    (root / "tasks").mkdir(exist_ok=True)
    (root / "tasks" / name).write_text(text)
    return source.read(root / "tasks" / name, bundle="team", root=root)


def v4(root: Path, text: str) -> Task:
    return read(root, f"version: 4\n{text}")


def refused(root: Path, text: str) -> UsageError:
    with pytest.raises(UsageError) as caught:
        v4(root, text)
    assert caught.value.code == "TASK_SOURCE_INVALID"
    assert f"{root}/tasks/nightly.yml:" in caught.value.message
    return caught.value


def test_a_file_with_everything_is_read(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    task = v4(
        tmp_path,
        """name: Nightly
description: Does it.
tags: [a, b]
run: "echo  hi"
shell: bash
working-directory: work
env: {A: x, B: 2, C: true}
timeout: 2h
redact: [TOKEN]
maxSteps: 2
maxRetries: 0
inputs:
  level: {type: integer, default: 3}
schedule:
  - cron: "@daily"
  - {cron: "0 3 * * *", inputs: {level: 5}}
""",
    )
    assert task.ref == "team//tasks/nightly"
    assert task.target == Shell("echo  hi", "bash", "work")
    assert task.env == {"A": "x", "B": "2", "C": "true"}
    assert (task.timeout_ms, task.redact, task.max_steps, task.max_retries) == (7_200_000, ("TOKEN",), 2, 0)
    assert task.inputs["level"].schema == {"type": "integer"}
    assert task.inputs["level"].default == 3
    assert task.schedules == (Schedule("@daily"), Schedule("0 3 * * *", {"level": 5}))


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("uses: workflows/a", Workflow("team//workflows/a")),
        ("uses: other//workflows/a", Workflow("other//workflows/a")),
        ("uses: scripts/a@2.sh", Script("team//scripts/a@2.sh")),
        ("uses: commands/a", Command(ref="team//commands/a")),
        ("uses: akm/command\nwith: {content: Do it, arguments: x}", Command(content="Do it", arguments="x")),
        ("uses: akm/command\nwith: {ref: commands/a}", Command(ref="team//commands/a")),
    ],
)
def test_every_form_of_a_target_is_read_with_its_bundle(tmp_path: Path, text: str, target: object) -> None:
    assert v4(tmp_path, text).target == target


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("run: a\ntiemout: 5m", 3, "did you mean `timeout`?"),
        ("run: a\non: {schedule: x}", 3, "`on` is retired"),
        ("run: a\nakm: {}", 3, "`akm` is retired"),
        ("name: a", 1, "exactly one of `uses` and `run`"),
        ("run: a\nuses: workflows/a", 3, "exactly one of `uses` and `run`"),
        ("run: ' '", 2, "must not be blank"),
        ("uses: tasks/a", 2, "no task starts another"),
        ("uses: agents/a", 2, "cannot be executed"),
        ("uses: actions/checkout@v4", 2, "GitHub Action"),
        ("uses: workflows/${{x}}", 2, "expressions are not evaluated"),
        ("uses: workflows/a b", 2, "one word"),
        ("uses: workflows/../a", 2, "must be `akm/command`, or a ref"),
        ("uses: workflows/a\nshell: sh", 3, "belongs to `run` only"),
        ("run: a\nshell: fish", 3, "must be one of"),
        ("run: a\nwith: {content: x}", 3, "only read beside `uses: akm/command`"),
        ("uses: akm/command", 2, "needs `with`"),
        ("uses: akm/command\nwith: {ref: commands/a, content: x}", 3, "exactly one of `ref` and `content`"),
        ("run: a\nworking-directory: ../x", 3, "must not hold `..`"),
        ("run: a\nworking-directory: /tmp", 3, "must be relative"),
        ("run: a\nworking-directory: a//b", 3, "empty part"),
        ("run: a\nworking-directory: missing", 3, "does not exist"),
        ("run: a\nworking-directory: out", 3, "leads out of the bundle"),
        ("run: a\nenv: {1A: x}", 3, "no name of an environment variable"),
        ("run: a\nenv: {A: [x]}", 3, "must be text, a number, true or false"),
        ("uses: workflows/a\nenv: {A: x}", 3, "not read for a workflow"),
        ("run: a\ntimeout: 30s", 3, "write the milliseconds as a number: 30000"),
        ("run: a\ntimeout: 5 m", 3, 'write "5m"'),
        ("run: a\ntimeout: -1", 3, "must lie between"),
        ("run: a\ntimeout: soon", 3, "must be milliseconds"),
        ("run: a\nredact: [A, A]", 3, "a second time"),
        ("run: a\nmaxSteps: 0", 3, "1 or more"),
        ("run: a\noutput: {type: string}", 3, "only read for"),
        ("run: a\ninputs: {format: {type: string}}", 3, "is a flag of `akm task run`"),
        ("run: a\ninputs: {a: {tpye: string}}", 3, '"type"'),
        ("run: a\ninputs: {a: {type: string, default: x, required: true}}", 3, "keep one of them"),
        ("run: a\ninputs: {a: {type: integer, default: x}}", 3, "does not satisfy"),
        ("run: a\nschedule: []", 3, "1 to 64"),
        ("run: a\nschedule: nope", 3, "is no schedule"),
        ("run: a\nschedule: [{cron: '@daily', inputs: {b: 1}}]", 3, "is no declared input"),
        ("run: a\nschedule: '@daily'\ninputs: {a: {type: string, required: true}}", 3, "gives no value"),
        ("run: a\nschedule: [{cron: '@daily', enabled: true}]", 3, "cannot enable itself"),
        ("run: &x a", 2, "is an anchor"),
        ("run: a\nrun: b", 3, "stands twice"),
        ("run: a\ntags: [" + "a, " * 1025 + "]", 3, "more than 1024"),
    ],
)
def test_a_fault_is_told_with_its_line_and_what_to_do(
    tmp_path: Path, text: str, line: int, told: str
) -> None:
    (tmp_path / "out").symlink_to("/")
    message = refused(tmp_path, text).message
    assert f"nightly.yml:{line}: " in message
    assert told in message


def test_every_fault_of_a_file_is_told_at_once(tmp_path: Path) -> None:
    assert len(refused(tmp_path, "run: a\ntimeout: 5s\nredact: [1x]\nfoo: 1").message.splitlines()) == 3


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("5m", 300_000),
        ("1M", 2_592_000_000),
        ("1H", 3_600_000),
        ("2D", 172_800_000),
        ("0", 0),
        ("null", None),
    ],
)
def test_the_case_of_a_unit_of_time_matters(tmp_path: Path, text: str, milliseconds: int | None) -> None:
    assert v4(tmp_path, f"run: a\ntimeout: {text}").timeout_ms == milliseconds
    assert v4(tmp_path, "run: a").timeout_ms == DEFAULT_TIMEOUT_MS


@pytest.mark.parametrize(
    ("first", "code", "told"),
    [
        ("version: 2", "TASK_SCHEMA_VERSION_UNSUPPORTED", "is 2"),
        ("version: 3", "TASK_SCHEMA_VERSION_UNSUPPORTED", "is 3"),
        ("version: 5", "TASK_SCHEMA_VERSION_UNSUPPORTED", "is 5"),
        ("version: '4'", "TASK_SOURCE_INVALID", "exactly 4"),
        ("name: x", "TASK_SOURCE_INVALID", "is required"),
        ("command: x", "TASK_SOURCE_INVALID", "those of version 2"),
    ],
)
def test_only_version_4_is_read(tmp_path: Path, first: str, code: str, told: str) -> None:
    with pytest.raises(UsageError, match=told) as caught:
        read(tmp_path, f"{first}\n")
    assert caught.value.code == code


@pytest.mark.parametrize("name", ["a.yaml", "con.yml", "-a.yml", f"{'a' * 229}.yml"])
def test_a_name_that_gives_no_id_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="Invalid task at"):
        read(tmp_path, "version: 4\nrun: a\n", name)


def test_a_script_is_run_by_what_its_ending_stands_for() -> None:
    assert interpreters.interpreter(Path("/b/x.kts")) == ("kotlinc", "-script")


@pytest.mark.parametrize("script", ["scripts/x.exe", "scripts/run", "other//scripts/a.sh.txt"])
def test_a_script_that_nothing_runs_is_refused_with_its_line(tmp_path: Path, script: str) -> None:
    with pytest.raises(UsageError, match=r"nightly\.yml:2: `uses` names a script that nothing") as caught:
        read(tmp_path, f"version: 4\nuses: {script}\n")
    assert caught.value.code == "TASK_SOURCE_INVALID"
