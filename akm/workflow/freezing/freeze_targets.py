"""The frozen targets that need no engine: argvs and child workflows, with their place and environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from akm.workflow.freezing.freeze_engines import timeout_ms
from akm.workflow.hashing import canonical, sha256_hex
from akm.workflow.parsing.document import Defaults, Exec, Unit
from akm.workflow.plan import CwdIdentity, EnvBinding, ShellTarget
from akm.workflow.plan_text.plan_json_targets import cwd_json, environment_json, shell_json

EXEC_TIMEOUT_MS = 600_000


def cwd_identity(root: Path) -> CwdIdentity:
    """Record where a base directory really is; a missing one has no device and inode."""
    real = os.path.realpath(root)
    try:
        found = os.stat(real)
    except OSError:
        return CwdIdentity(str(root), real)
    return CwdIdentity(str(root), real, found.st_dev, found.st_ino)


def environment(unit: Unit, described: Mapping[str, Mapping[str, Any]]) -> tuple[EnvBinding, ...]:
    """Name where a unit's environment comes from: passed-through variables, then env assets in order."""
    passed = unit.exec.pass_env if unit.exec else ()
    assets = dict.fromkeys(unit.env)
    return (
        *(EnvBinding("pass-through", name) for name in passed),
        *(
            EnvBinding("env-ref", ref, detail={**described.get(ref, {}), "precedence": position})
            for position, ref in enumerate(assets)
        ),
    )


def shell_target(
    start: Exec, unit: Unit, defaults: Defaults, identity: CwdIdentity, bindings: tuple[EnvBinding, ...]
) -> ShellTarget:
    """Freeze an argv."""
    timeout = timeout_ms(unit.timeout, defaults.timeout, EXEC_TIMEOUT_MS)
    content = {
        "exec": shell_json(start.command, start.cwd, start.pass_env, timeout),
        "environment": environment_json(bindings),
        "cwdIdentity": cwd_json(identity),
    }
    return ShellTarget(
        command=start.command,
        content_hash=sha256_hex("akm.workflow.shell.v1\0" + canonical(content)),
        cwd_identity=identity,
        cwd=start.cwd,
        pass_env=start.pass_env,
        timeout_ms=timeout,
    )
