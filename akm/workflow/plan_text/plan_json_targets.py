"""What a frozen plan's units start, as JSON. Hashes are made of the same form."""

from __future__ import annotations

from typing import Any

from akm.workflow.plan import (
    ChildTarget,
    CommandTarget,
    CwdIdentity,
    EnvBinding,
    InputBinding,
    ShellTarget,
    Target,
)

Json = dict[str, Any]


def present(**members: Any) -> Json:
    """Keep the members that say something: no null, no empty text, list or object."""
    return {name: value for name, value in members.items() if value is not None and value not in ("", [], {})}


def target_json(target: Target) -> Json:
    """Write a frozen target; this form is also what hashes are made of."""
    if isinstance(target, ShellTarget):
        return _shell(target)
    if isinstance(target, CommandTarget):
        return command_json(target)
    return _child(target)


def shell_json(
    command: tuple[str, ...], cwd: str | None, pass_env: tuple[str, ...], timeout: int | None
) -> Json:
    """Write what a shell target starts. `timeout` is in ms; None means unbounded and is written as null."""
    return {"command": list(command), "timeoutMs": timeout, **present(cwd=cwd, passEnv=list(pass_env))}


def environment_json(bindings: tuple[EnvBinding, ...]) -> list[Json]:
    """Write where a unit's environment comes from: names, never values (except for literals)."""
    return [_environment(binding) for binding in bindings]


def cwd_json(identity: CwdIdentity) -> Json:
    """Write where a unit runs."""
    return {
        "requestedRoot": identity.requested_root,
        "realRoot": identity.real_root,
        **present(device=identity.device, inode=identity.inode),
    }


def binding_json(binding: InputBinding) -> Json:
    """Write one input of a child workflow."""
    if binding.kind == "literal":
        return {"kind": "literal", "name": binding.name, "value": binding.value}
    # An empty schema is a statement (anything goes) and stays.
    schema = {} if binding.schema is None else {"schema": dict(binding.schema)}
    return {"kind": "reference", "name": binding.name, "from": binding.from_, **schema}


def _shell(target: ShellTarget) -> Json:
    return {
        "kind": "shell",
        "contentHash": target.content_hash,
        "exec": shell_json(target.command, target.cwd, target.pass_env, target.timeout_ms),
        **_identity(target.cwd_identity),
    }


def command_json(target: CommandTarget) -> Json:
    """Write a target that hands prose to an engine; judges have this form too."""
    return {
        "kind": "command",
        "ref": target.ref,
        "contentHash": target.content_hash,
        "request": dict(target.request),
        "runner": dict(target.runner),
        **present(concurrency=target.concurrency),
        **_identity(target.cwd_identity),
    }


def _child(target: ChildTarget) -> Json:
    return {
        "kind": "child-workflow",
        "ref": target.ref,
        "contentHash": target.content_hash,
        **present(
            planHash=target.plan_hash,
            frozenPlan=dict(target.frozen_plan) if target.frozen_plan else None,
            inputBindings=[binding_json(binding) for binding in target.input_bindings],
        ),
    }


def _identity(identity: CwdIdentity | None) -> Json:
    return {"cwdIdentity": cwd_json(identity)} if identity else {}


def _environment(binding: EnvBinding) -> Json:
    if binding.kind == "pass-through":
        return {"kind": binding.kind, "name": binding.name}
    if binding.kind == "env-ref":
        return {**binding.detail, "kind": binding.kind, "ref": binding.name}
    return {"kind": binding.kind, "name": binding.name, "value": binding.value}
