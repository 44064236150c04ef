"""What is wrong with configuration values: wrong ones as one key and one sentence, unknown keys as a list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from akm.settings import AgentEngine, Config, LlmEngine, ModelPrice, RegistrySource
from akm.settings import BundleSettings as Bundle
from akm.spelling import suggestion

Key = tuple[str, ...]
#: The tables whose keys are names that a person chose, and what each entry is.
_NAMED: dict[str, type[BaseModel] | None] = {
    "models": None,
    "prices": ModelPrice,
    "bundles": Bundle,
    "registries": RegistrySource,
}
_KINDS: dict[Any, type[BaseModel]] = {"agent": AgentEngine, "llm": LlmEngine}
_MESSAGES = {
    "missing": "is missing",
    "union_tag_not_found": 'needs kind = "agent" or kind = "llm"',
    "union_tag_invalid": 'needs kind = "agent" or kind = "llm"',
    "model_type": "must be a table",
    "model_attributes_type": "must be a table",
    "dict_type": "must be a table",
    "list_type": 'must be a list, such as ["one", "two"]',
    "string_type": "must be text",
    "string_too_short": "must not be empty",
    "too_short": "must not be empty",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "bool_type": "must be true or false",
}


def first(error: ValidationError) -> tuple[Key, str]:
    """Return the key of the first fault and a sentence's end about it; the value itself is never told."""
    fault = error.errors(include_url=False, include_input=False)[0]
    location = [str(part) for part in fault["loc"]]
    if location[0] == "engines" and len(location) > 2 and location[2] in _KINDS:
        del location[2]  # pydantic puts the tag of the union between the name and the key.
    key = tuple(part for part in location if part != "[key]")
    return key, _sentence(fault["type"], fault["msg"], fault.get("ctx", {}))


def unknown(values: Mapping[str, Any]) -> Iterator[tuple[Key, str | None]]:
    """Yield every key that no setting has, with a suggestion or None."""
    for section, held in values.items():
        field = Config.model_fields.get(section)
        if field is None:
            yield (section,), suggestion(section, Config.model_fields)
        elif isinstance(held, dict):
            yield from _unknown_in(section, held)


def _unknown_in(section: str, held: Mapping[str, Any]) -> Iterator[tuple[Key, str | None]]:
    if section not in _NAMED and section != "engines":
        yield from _unknown_keys((section,), held, Config.model_fields[section].annotation)
        return
    for name, entry in held.items():
        if isinstance(entry, dict):
            model = _KINDS.get(entry.get("kind")) if section == "engines" else _NAMED[section]
            yield from _unknown_keys((section, name), entry, model)


def _unknown_keys(path: Key, held: Mapping[str, Any], model: Any) -> Iterator[tuple[Key, str | None]]:
    if model is not None:
        for key in held:
            if key not in model.model_fields:
                yield (*path, key), suggestion(key, model.model_fields)


def _sentence(kind: str, message: str, context: Mapping[str, Any]) -> str:
    if kind in _MESSAGES:
        return _MESSAGES[kind]
    if kind == "value_error":
        return str(context["error"])
    if kind == "literal_error":
        return f"must be {context['expected']}"
    if kind in ("greater_than_equal", "greater_than"):
        return f"must be at least {context.get('ge', context.get('gt'))}"
    return message[:1].lower() + message[1:]
