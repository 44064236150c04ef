"""The body of a request: the frozen model, its parameters and, where the engine can, the schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from akm.workflow.parsing.document import Schema
from akm.workflow.plan import CommandTarget
from akm.workflow.prompt import Prompt

_PATH = "/chat/completions"
#: A plan's name of a parameter, the workflow file's, which wins, and the protocol's.
_PARAMETERS = (
    ("temperature", "temperature", "temperature"),
    ("maxTokens", "max_tokens", "max_tokens"),
    ("reasoningEffort", "reasoning_effort", "reasoning_effort"),
)


def endpoint(base_url: str) -> tuple[str, str]:
    """Return the URL that is asked, and how messages show it: without its query and any credential.

    Raises ValueError when `base_url` is no URL of a host.
    """
    parts = urlsplit(base_url)
    # Reading the port is what checks it.
    if parts.port == 0 or parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise ValueError("no URL of a host")
    path = parts.path.rstrip("/") + _PATH
    # Some endpoints want a version as a query; it stays behind the path.
    url = urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))
    return url, urlunsplit((parts.scheme, parts.netloc, path, "", ""))


def write(target: CommandTarget, model: str, prompt: Prompt, schema: Schema | None) -> bytes:
    """Return the request as JSON. Raises UnicodeEncodeError for a prompt that holds a lone surrogate."""
    said = _mapping(target.request.get("inference"))
    body: dict[str, Any] = {**_extra(target, said), "model": model, "messages": _messages(prompt)}
    body["stream"] = False
    for in_plan, in_file, in_protocol in _PARAMETERS:
        value = said.get(in_file, target.runner.get(in_plan))
        if value is not None:
            body[in_protocol] = value
    if schema is not None and said.get("supports_json_schema", target.runner.get("supportsJsonSchema")):
        # Not strict: that is a dialect of its own, which refuses most schemas.
        wanted = {"name": "result", "schema": dict(schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": wanted}
    return json.dumps(body, ensure_ascii=False, allow_nan=False).encode()


def _extra(target: CommandTarget, said: Mapping[str, Any]) -> dict[str, Any]:
    extra = {**_mapping(target.runner.get("extraParams")), **_mapping(said.get("extra_params"))}
    thinking = said.get("enable_thinking")
    if thinking is not None:
        # Hosted models read the first, servers that render a chat template the second.
        template = _mapping(extra.get("chat_template_kwargs"))
        extra["enable_thinking"] = thinking
        extra["chat_template_kwargs"] = {**template, "enable_thinking": thinking}
    return extra


def _messages(prompt: Prompt) -> list[dict[str, str]]:
    asked = {"role": "user", "content": prompt.user}
    return [asked] if prompt.system is None else [{"role": "system", "content": prompt.system}, asked]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
