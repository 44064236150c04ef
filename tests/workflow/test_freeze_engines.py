"""Which engine, model and judge a step gets, and what is said when there is none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from freezing import ENGINES, a_step, document, frozen, settings, unit_of

from akm.errors import ConfigError, UsageError
from akm.workflow.freezing.freeze import Engine, freeze
from akm.workflow.hashing import sha256_hex
from akm.workflow.parsing.document import Defaults, Gate, Unit
from akm.workflow.plan import CommandTarget
from akm.workflow.plan_text import plan_json


@pytest.mark.parametrize(
    ("engine", "configured", "expected"),
    [
        ("writer", None, None),
        ("writer", 9, 9),
        ("checker", None, 600_000),
        ("checker", 9, 9),
        ("checker", "none", None),
    ],
)
def test_prose_falls_back_to_the_timeout_of_its_engine_and_then_of_its_kind(
    engine: str, configured: Any, expected: int | None, tmp_path: Path
) -> None:
    engines = {engine: replace(ENGINES[engine], timeout_ms=configured)}
    target = unit_of(a_step(unit=Unit(engine=engine)), tmp_path, engines=engines).target
    assert isinstance(target, CommandTarget)
    assert target.request["timeoutMs"] == target.runner["timeoutMs"] == expected


def test_prose_gets_the_engine_the_resolved_model_and_the_merged_inference(tmp_path: Path) -> None:
    defaults = Defaults(llm={"temperature": 0.1, "max_tokens": 5})
    unit = Unit(llm={"temperature": 0.9}, output={"type": "object"})
    target = unit_of(a_step(unit=unit), tmp_path, defaults=defaults).target
    assert isinstance(target, CommandTarget)
    assert target.request == {
        "engine": "writer",
        "model": "small-model",
        "timeoutMs": None,
        "content": "Do it.",
        "outputSchema": {"type": "object"},
        "inference": {"temperature": 0.9, "max_tokens": 5},
    }
    assert target.runner == {
        "kind": "agent",
        "engine": "writer",
        "preset": "generic",
        "command": ["my-agent", "--print"],
        "prompt": "stdin",
        "passEnv": ["HOME_OF_AGENT"],
        "timeoutMs": None,
    }
    assert target.content_hash == sha256_hex("Do it.")


def test_profile_of_a_model_is_kept_with_the_name_of_its_key_and_what_is_configured(tmp_path: Path) -> None:
    given = {
        "base_url": "https://models.example/v1",
        "api_key_env": "KEY",
        "max_tokens": 9,
        "extra_params": {},
    }
    engines = {"m": Engine("m", "llm", settings=given, model="small")}
    target = unit_of(a_step(unit=Unit(engine="m")), tmp_path, engines=engines).target
    assert isinstance(target, CommandTarget)
    assert target.request["model"] == "small"
    assert target.runner == {
        "kind": "llm",
        "engine": "m",
        "baseUrl": "https://models.example/v1",
        "apiKeyEnv": "KEY",
        "maxTokens": 9,
        "timeoutMs": 600_000,
    }


@pytest.mark.parametrize(
    ("unit", "defaults", "expected"),
    [
        (Unit(), Defaults(), "writer"),
        (Unit(), Defaults(engine="checker"), "checker"),
        (Unit(engine="writer"), Defaults(engine="checker"), "writer"),
    ],
)
def test_the_unit_s_engine_wins_over_the_file_s_and_that_over_the_installation_s(
    unit: Unit, defaults: Defaults, expected: str, tmp_path: Path
) -> None:
    target = unit_of(a_step(unit=unit), tmp_path, defaults=defaults).target
    assert isinstance(target, CommandTarget)
    assert target.request["engine"] == expected


@pytest.mark.parametrize(
    ("engine_settings", "expected"),
    [
        ({"base_url": "https://models.example/v1"}, 4),
        ({"base_url": "http://127.0.0.1:8080/v1"}, 1),
        ({"base_url": "http://127.9.9.9"}, 1),
        ({"base_url": "http://localhost:1"}, 1),
        ({"base_url": "http://a.localhost"}, 1),
        ({"base_url": "http://[::1]:8080"}, 1),
        ({"base_url": "http://[::ffff:127.0.0.1]/"}, 1),
        ({"base_url": "http://0.0.0.0"}, 1),
        ({"base_url": "http://localhost.example"}, 4),
        ({"base_url": "http://10.0.0.1"}, 4),
        ({"base_url": "http://[bad"}, 1),
        ({}, 1),
        ({"base_url": "http://127.0.0.1", "concurrency": 7}, 7),
        ({"concurrency": 700}, 64),
    ],
)
def test_a_local_model_gets_one_request_at_a_time_and_a_remote_one_four(
    engine_settings: dict[str, Any], expected: int, tmp_path: Path
) -> None:
    engines = {"m": Engine("m", "llm", settings=engine_settings)}
    target = unit_of(a_step(unit=Unit(engine="m")), tmp_path, engines=engines).target
    assert isinstance(target, CommandTarget)
    assert target.concurrency == expected


def test_a_run_refuses_prose_without_an_engine_and_names_the_setting(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        frozen(a_step("write", Unit()), tmp_path, default_engine=None)
    assert caught.value.code == "INVALID_CONFIG_FILE"
    assert 'Step "write"' in caught.value.message
    assert "defaults.engine" in caught.value.message


def test_a_run_refuses_a_rubric_that_nobody_judges_and_names_the_setting(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        frozen(a_step("check", gate=Gate(("It printed one.",))), tmp_path, judge_engine=None)
    assert caught.value.code == "INVALID_CONFIG_FILE"
    assert 'Step "check"' in caught.value.message
    assert "workflow.judge_engine" in caught.value.message


def test_a_run_refuses_an_engine_that_does_not_exist_and_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        frozen(a_step(unit=Unit(engine="writter")), tmp_path)
    assert 'no engine "writter"' in caught.value.message
    assert "configured: checker, writer" in caught.value.message
    assert 'Did you mean "writer"?' in caught.value.message


def test_an_alias_that_leaves_the_engine_out_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"\[models.fast\]"):
        frozen(a_step(unit=Unit(engine="checker", model="fast")), tmp_path)


def test_a_preview_warns_of_all_that_instead(tmp_path: Path) -> None:
    steps = (a_step("a", Unit(engine="nobody")), a_step("b", Unit()), a_step("c", gate=Gate(("Good.",))))
    looser = settings(tmp_path, strict=False, default_engine=None, judge_engine=None)
    result = freeze(document(*steps), looser)
    for word, warning in zip(("nobody", "defaults.engine", "judge_engine"), result.warnings, strict=True):
        assert word in warning
    targets = [step.unit.target for step in result.plan.steps[:2] if step.unit]
    assert [target.runner for target in targets if isinstance(target, CommandTarget)] == [
        {"kind": "missing"}
    ] * 2
    assert result.plan.steps[2].gate.judge is None
    assert plan_json.decode(plan_json.encode(result.plan)) == result.plan


def test_a_judge_is_frozen_only_where_there_is_a_rubric(tmp_path: Path) -> None:
    assert frozen(a_step(), tmp_path, judge_engine=None).gate.judge is None
    judge = frozen(a_step(gate=Gate(("Good.",))), tmp_path).gate.judge
    assert judge is not None
    assert (judge.request["engine"], judge.runner["kind"]) == ("checker", "llm")


def test_a_person_who_approves_needs_no_judge(tmp_path: Path) -> None:
    by_file = frozen(a_step(gate=Gate(("Good.",), approve=True)), tmp_path, judge_engine=None).gate
    by_flag = frozen(a_step(gate=Gate(("Good.",))), tmp_path, judge_engine=None, gates="approve").gate
    inert = frozen(a_step(), tmp_path, gates="approve").gate
    assert [(gate.approve, gate.judge) for gate in (by_file, by_flag, inert)] == [
        (True, None),
        (True, None),
        (False, None),
    ]


def test_a_model_cannot_work_in_a_worktree(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        frozen(a_step(unit=Unit(engine="checker", isolation="worktree")), tmp_path)
    assert caught.value.code == "WORKFLOW_SOURCE_INVALID"
    assert unit_of(a_step(unit=Unit(isolation="worktree")), tmp_path).isolation == "worktree"


def test_an_alias_is_resolved_for_units_defaults_engines_and_judges(tmp_path: Path) -> None:
    engines = {
        "coder": Engine("coder", "agent", preset="claude", model="fast"),
        "checker": Engine("checker", "llm", model="fast", settings={"base_url": "https://models.example/v1"}),
    }
    models = {"fast": {"coder": "haiku", "checker": "small"}, "best": {"coder": "opus"}}
    given: dict[str, Any] = {"engines": engines, "models": models, "default_engine": "coder"}

    def asked(unit: Unit, defaults: Defaults | None = None) -> tuple[Any, Any]:
        step = frozen(a_step(unit=unit, gate=Gate(("Good.",))), tmp_path, defaults=defaults, **given)
        assert step.unit is not None
        assert isinstance(step.unit.target, CommandTarget)
        assert step.gate.judge is not None
        return step.unit.target, step.gate.judge.request["model"]

    target, judge = asked(Unit())
    assert (target.request["model"], judge) == ("haiku", "small")
    assert target.runner["command"][-2:] == ["--model", "haiku"]
    assert asked(Unit(), Defaults(model="best"))[0].request["model"] == "opus"
    assert asked(Unit(model="fast"), Defaults(model="best"))[0].request["model"] == "haiku"
    assert asked(Unit(model="exact-name"), Defaults(model="best"))[0].request["model"] == "exact-name"
    assert asked(Unit(engine="checker"))[0].request["model"] == "small"


def test_a_preset_that_nobody_configured_is_told_how(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r'Add \[engines.codex\] with kind = "agent" and preset = "codex"'):
        frozen(a_step(unit=Unit(engine="codex")), tmp_path)


def test_the_plan_of_a_generic_engine_says_nothing_of_presets(tmp_path: Path) -> None:
    target = unit_of(a_step(unit=Unit(engine="writer")), tmp_path).target
    assert isinstance(target, CommandTarget)
    assert not {"output", "sessionArguments", "promptArguments"} & set(target.runner)


def test_a_plan_with_a_preset_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    engines = {"coder": Engine("coder", "agent", preset="opencode", model="a/b")}
    plan = freeze(
        document(a_step(unit=Unit(engine="coder"))), settings(tmp_path, engines=engines, judge_engine=None)
    ).plan
    assert plan_json.decode(plan_json.encode(plan)) == plan
