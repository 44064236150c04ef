"""What an argv and a child workflow freeze to, and where they run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from freezing import TRUE, a_step, unit_of

from akm.workflow.hashing import canonical, sha256_hex
from akm.workflow.parsing.document import Defaults, Exec, Unit
from akm.workflow.plan import ChildTarget, ShellTarget
from akm.workflow.plan_text import plan_json


@pytest.mark.parametrize(
    ("own", "inherited", "expected"),
    [
        (None, None, 600_000),
        (None, 5, 5),
        (7, 5, 7),
        ("none", 5, None),
        (None, "none", None),
        (3, "none", 3),
    ],
)
def test_an_argv_takes_the_first_timeout_that_is_set(
    own: Any, inherited: Any, expected: int | None, tmp_path: Path
) -> None:
    unit = replace(TRUE, timeout=own)
    target = unit_of(a_step(unit=unit), tmp_path, defaults=Defaults(timeout=inherited)).target
    assert isinstance(target, ShellTarget)
    assert target.timeout_ms == expected


def test_an_environment_is_frozen_by_name_with_assets_once(tmp_path: Path) -> None:
    unit = Unit(exec=Exec(("true",), pass_env=("B", "A")), env=("env/x", "env/y", "env/x"))
    node = unit_of(a_step(unit=unit), tmp_path)
    assert [(binding.kind, binding.name) for binding in node.environment] == [
        ("pass-through", "B"),
        ("pass-through", "A"),
        ("env-ref", "env/x"),
        ("env-ref", "env/y"),
    ]
    assert node.env == ("env/x", "env/y")


def test_the_base_directory_is_recorded_as_it_really_is(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    target = unit_of(a_step(), tmp_path / "link").target
    assert isinstance(target, ShellTarget)
    identity = target.cwd_identity
    assert identity is not None
    assert identity.requested_root == str(tmp_path / "link")
    assert identity.real_root == str((tmp_path / "real").resolve())
    assert identity.inode == (tmp_path / "real").stat().st_ino


def test_a_missing_base_directory_has_no_identity_of_its_own(tmp_path: Path) -> None:
    target = unit_of(a_step(), tmp_path / "gone").target
    assert isinstance(target, ShellTarget)
    assert target.cwd_identity is not None
    assert target.cwd_identity.device is target.cwd_identity.inode is None


def test_an_argv_s_hash_covers_command_place_and_environment(tmp_path: Path) -> None:
    variants = [
        TRUE,
        Unit(exec=Exec(("false",))),
        Unit(exec=Exec(("true",), cwd="sub")),
        Unit(exec=Exec(("true",), pass_env=("A",))),
        replace(TRUE, timeout=5),
        replace(TRUE, env=("env/x",)),
    ]
    targets = [unit_of(a_step(unit=unit), tmp_path).target for unit in variants]
    assert len({target.content_hash for target in targets}) == len(variants)


def test_a_child_embeds_its_plan_and_its_bindings_sorted_by_name_with_the_defaults(tmp_path: Path) -> None:
    unit = Unit(workflow="workflows/x", bindings={"b": {"from": "params.x"}, "a": {"from": "p", "y": 1}})
    target = unit_of(a_step(unit=unit), tmp_path).target
    assert isinstance(target, ChildTarget)
    assert target.frozen_plan is not None
    assert target.plan_hash == plan_json.digest(canonical(target.frozen_plan))
    assert [(b.kind, b.name, b.from_, b.value) for b in target.input_bindings] == [
        ("literal", "a", None, {"from": "p", "y": 1}),
        ("reference", "b", "params.x", None),
        ("literal", "c", None, 7),
    ]
    content = {
        "ref": "project//workflows/x",
        "planHash": target.plan_hash,
        "inputBindings": [
            {"kind": "literal", "name": "a", "value": {"from": "p", "y": 1}},
            {"kind": "reference", "name": "b", "from": "params.x", "schema": {}},
            {"kind": "literal", "name": "c", "value": 7},
        ],
    }
    assert target.content_hash == sha256_hex("akm.workflow.child-workflow\0v2\0" + canonical(content))
