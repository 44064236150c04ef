"""An engine's profile as a plan keeps it, without any credential, and how many requests it takes at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from akm.workflow.freezing.freeze_settings import Engine
from akm.workflow.plan_text.plan_json_targets import present
from akm.workflow.presets import PRESETS

WIDEST = 64
_REMOTE_WIDTH = 4
#: The settings of a model's engine that its plan keeps, and their names there.
_LLM = {
    "base_url": "baseUrl",
    "api_key_env": "apiKeyEnv",
    "max_tokens": "maxTokens",
    "temperature": "temperature",
    "extra_params": "extraParams",
    "supports_json_schema": "supportsJsonSchema",
    "concurrency": "concurrency",
}


def agent_runner(engine: Engine, model: str | None, timeout: int | None) -> dict[str, Any]:
    """Describe how an agent is started and how its output is read; `timeout` is in ms.

    All of it is in the plan, so that a run goes on as it began whatever a later akm knows of the tool.
    """
    preset = PRESETS[engine.preset]
    return {
        "kind": "agent",
        "engine": engine.name,
        "preset": engine.preset,
        "command": list(preset.command(engine.command, model)),
        "prompt": engine.prompt or preset.prompt,
        "passEnv": list(engine.pass_env),
        "timeoutMs": timeout,
        **present(
            sessionArguments=list(preset.session), promptArguments=list(preset.last), output=preset.output
        ),
    }


def llm_runner(engine: Engine, timeout: int | None) -> dict[str, Any]:
    """Describe how a model is reached; `timeout` is in ms."""
    said = {_LLM[key]: value for key, value in engine.settings.items() if key in _LLM and value != {}}
    return {**said, "kind": "llm", "engine": engine.name, "timeoutMs": timeout}


def provider_width(settings: Mapping[str, Any]) -> int:
    """Say how many requests a model's endpoint takes at once: a local server usually holds one model."""
    configured = settings.get("concurrency")
    if isinstance(configured, int):
        return min(WIDEST, max(1, configured))
    return 1 if _is_loopback(str(settings.get("base_url") or "")) else _REMOTE_WIDTH


def _is_loopback(url: str) -> bool:
    from ipaddress import IPv6Address, ip_address
    from urllib.parse import urlsplit

    try:
        host = (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return True
    if not host or host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback or address.is_unspecified
