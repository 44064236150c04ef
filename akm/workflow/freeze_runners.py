"""An engine's profile as a plan keeps it, without any credential, and how many requests it takes at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from akm.workflow.freeze_settings import Engine

WIDEST = 64
_REMOTE_WIDTH = 4


def agent_runner(engine: Engine, timeout: int | None) -> dict[str, Any]:
    """Describe how an agent command is started; `timeout` is in ms."""
    return {
        "kind": "agent",
        "engine": engine.name,
        "preset": engine.preset,
        "command": list(engine.command),
        "prompt": engine.prompt,
        "passEnv": list(engine.pass_env),
        "timeoutMs": timeout,
    }


def llm_runner(engine: Engine, timeout: int | None) -> dict[str, Any]:
    """Describe how a model is reached; `timeout` is in ms."""
    return {**engine.settings, "kind": "llm", "engine": engine.name, "timeoutMs": timeout}


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
