"""Which agent started a run, as far as the environment tells. Informational only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

# Variable that a harness sets, its name, and the variable with its session id.
_HARNESSES = (
    ("CLAUDECODE", "claude", "CLAUDE_CODE_SESSION_ID"),
    ("CODEX_SANDBOX", "codex", "CODEX_SESSION_ID"),
    ("OPENCODE", "opencode", "OPENCODE_SESSION_ID"),
    ("GEMINI_CLI", "gemini", "GEMINI_SESSION_ID"),
    ("CURSOR_AGENT", "cursor", "CURSOR_SESSION_ID"),
)


class Identity(NamedTuple):
    """The invoking harness and its session; None when not known."""

    harness: str | None
    session_id: str | None


def detect(environment: Mapping[str, str]) -> Identity:
    """Read the identity: AKM_AGENT_HARNESS and AKM_AGENT_SESSION_ID win over what harnesses set."""
    explicit = environment.get("AKM_AGENT_HARNESS"), environment.get("AKM_AGENT_SESSION_ID")
    for variable, harness, session in _HARNESSES:
        if environment.get(variable):
            return Identity(explicit[0] or harness, explicit[1] or environment.get(session))
    return Identity(explicit[0] or None, explicit[1] or None)
