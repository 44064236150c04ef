"""What a unit's process gets as its environment: an allowlist, what the file names, then akm's own context.

It starts empty, so that a credential in the surrounding environment reaches a unit only by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from akm.engine.runners.base import Dispatch

#: Copied from the surrounding environment when they are set there.
ALLOWLIST = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TERM", "TZ"),
    *("TMPDIR", "TEMP", "TMP", "SystemRoot", "SystemDrive", "WINDIR", "COMSPEC", "PATHEXT"),
    *("USERPROFILE", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "ProgramData", "ProgramFiles"),
    "AKM_EVENT_SOURCE",
)
#: Only akm sets these; a unit without one of them does not inherit it from a run around this one either.
CONTEXT_NAMES = (
    *("AKM_RUN_ID", "AKM_STEP_ID", "AKM_UNIT_ID", "AKM_PARAMS"),
    *("AKM_ITEM", "AKM_ITEM_INDEX", "AKM_INPUTS", "AKM_TASK_INPUTS"),
)


def build(dispatch: Dispatch, *, pass_env: Iterable[str], context: Mapping[str, str]) -> dict[str, str]:
    """Return the whole environment; of two sources of a name the later wins, and `context` is the last."""
    parent = dispatch.environment
    built = {name: parent[name] for name in ALLOWLIST if name in parent}
    built.update((name, parent[name]) for name in pass_env if name in parent)
    for binding in dispatch.item.node.environment:
        if binding.kind == "pass-through" and binding.name in parent:
            built[binding.name] = parent[binding.name]
        elif binding.kind == "literal" and binding.value is not None:
            built[binding.name] = binding.value
    built.update(dispatch.bindings)
    for name in CONTEXT_NAMES:
        built.pop(name, None)
    built.update(context)
    return built
