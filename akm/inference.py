"""What a request to a model says by itself, so that parameters passed through must not say it again."""

from __future__ import annotations

MAX_EXTRA_PARAMS_BYTES = 64 * 1024
#: Keys that `extra_params` must not hold, in a workflow file as in the configuration.
OWN_KEYS = (
    "model",
    "messages",
    "stream",
    "response_format",
    "temperature",
    "max_tokens",
    "reasoning_effort",
    "enable_thinking",
    "context_length",
    "supports_json_schema",
)
