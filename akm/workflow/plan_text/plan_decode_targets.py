"""Reading back what a stored plan's units start: an argv, an engine or a child workflow."""

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
from akm.workflow.plan_text.plan_fields import Field


def target(found: Field) -> Target:
    """Read a unit's frozen target."""
    kind = found.get("kind").text()
    if kind == "shell":
        return _shell(found)
    if kind == "command":
        return command(found)
    if kind == "child-workflow":
        return _child(found)
    raise found.get("kind").fail("names an unknown kind of target")


def command(found: Field) -> CommandTarget:
    """Read a target that hands prose to an engine; judges have this form too."""
    if found.get("kind").text() != "command":
        raise found.get("kind").fail('is not "command"')
    runner = found.get("runner")
    runner.get("kind").text()
    return CommandTarget(
        content_hash=found.get("contentHash").text_or(""),
        request=found.get("request").mapping(),
        runner=runner.mapping(),
        ref=found.get("ref").optional_text(),
        concurrency=found.get("concurrency").count_or(None),
        cwd_identity=_identity(found.get("cwdIdentity")),
    )


def environment(found: Field) -> tuple[EnvBinding, ...]:
    """Read where a unit's environment comes from; nothing when the key is absent."""
    return tuple(_environment(binding) for binding in found.items()) if found.value is not None else ()


def _shell(found: Field) -> ShellTarget:
    start = found.get("exec")
    argv = start.get("command")
    # An argument may be empty, a program's name may not.
    if not argv.items() or not all(isinstance(word, str) for word in argv.value) or not argv.value[0]:
        raise argv.fail("is not a non-empty list of texts")
    return ShellTarget(
        command=tuple(argv.value),
        content_hash=found.get("contentHash").text_or(""),
        cwd_identity=_identity(found.get("cwdIdentity")),
        cwd=start.get("cwd").optional_text(),
        pass_env=start.get("passEnv").texts(),
        timeout_ms=_timeout(start),
    )


def _timeout(start: Field) -> int | None:
    timeout = start.get("timeoutMs")
    if "timeoutMs" in start.mapping() and timeout.value is None:
        return None
    if isinstance(timeout.value, bool) or not isinstance(timeout.value, (int, float)):
        raise timeout.fail("is neither a number of milliseconds nor null")
    return int(timeout.value)


def _child(found: Field) -> ChildTarget:
    embedded = found.get("frozenPlan")
    if embedded.value is not None:
        from akm.workflow.plan_text.plan_decode import decode_value

        decode_value(embedded.value, embedded.path)
    bindings = found.get("inputBindings")
    return ChildTarget(
        ref=found.get("ref").text(),
        content_hash=found.get("contentHash").text_or(""),
        plan_hash=found.get("planHash").optional_text(),
        frozen_plan=embedded.optional_mapping(),
        input_bindings=tuple(map(_binding, bindings.items())) if bindings.value is not None else (),
    )


def _binding(found: Field) -> InputBinding:
    kind, name = found.get("kind").text(), found.get("name").text()
    if kind == "literal":
        return InputBinding("literal", name, value=found.get("value").value)
    if kind == "reference":
        schema = found.get("schema").optional_mapping()
        return InputBinding("reference", name, from_=found.get("from").text(), schema=schema)
    raise found.get("kind").fail("names an unknown kind of binding")


def _environment(found: Field) -> EnvBinding:
    kind = found.get("kind").text()
    if kind == "pass-through":
        return EnvBinding("pass-through", found.get("name").text())
    if kind == "literal":
        return EnvBinding("literal", found.get("name").text(), value=found.get("value").text_or(""))
    if kind == "env-ref":
        detail: dict[str, Any] = {k: v for k, v in found.mapping().items() if k not in ("kind", "ref")}
        return EnvBinding("env-ref", found.get("ref").text(), detail=detail)
    raise found.get("kind").fail("names an unknown kind of environment")


def _identity(found: Field) -> CwdIdentity | None:
    if found.optional_mapping() is None:
        return None
    requested = found.get("requestedRoot").text_or("")
    return CwdIdentity(
        requested_root=requested,
        real_root=found.get("realRoot").text_or(requested),
        device=found.get("device").count_or(None, least=0),
        inode=found.get("inode").count_or(None, least=0),
    )
