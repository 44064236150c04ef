"""Whom a unit asks and until when, out of its frozen target. Nothing is sent from here."""

from __future__ import annotations

import os
from collections.abc import Mapping

from akm.engine.runners.base import Dispatch, Outcome, failed
from akm.engine.runners.chat import request
from akm.engine.runners.chat.terms import Surroundings, Terms
from akm.http.deadline import Deadline
from akm.workflow.plan import CommandTarget

_CA_BUNDLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


class _Unfit(Exception):
    """A dispatch that cannot be sent; the message is a clause that says why."""


def prepare(dispatch: Dispatch, surroundings: Surroundings) -> Terms | Outcome:
    """Return the terms of a dispatch, its deadline running from now, or the failure."""
    label = f'llm unit "{dispatch.item.unit_id}"'
    if dispatch.item.node.environment or dispatch.bindings:
        why = "a model gets no environment; remove `env` from the unit, or let an agent engine do it"
        return failed("env_unsupported", f"{label} was not asked: {why}.")
    try:
        return _terms(dispatch, surroundings, label)
    except _Unfit as error:
        return failed("dispatch_error", f"{label} was not asked: {error}.")


def _terms(dispatch: Dispatch, surroundings: Surroundings, label: str) -> Terms:
    target = dispatch.item.node.target
    assert isinstance(target, CommandTarget)
    engine, variable = str(target.runner.get("engine")), target.runner.get("apiKeyEnv")
    url, shown = _endpoint(target, engine)
    timeout_ms = _timeout_ms(target)
    return Terms(
        label=label,
        engine=engine,
        model=_model(target, engine),
        url=url,
        shown_url=shown,
        key_variable=variable,
        key=None if variable is None else _key(dispatch.environment, variable, engine),
        deadline=Deadline.after(None if timeout_ms is None else timeout_ms / 1000, surroundings.monotonic),
        timeout_ms=timeout_ms,
        abort=dispatch.abort,
        redaction=dispatch.redaction,
        surroundings=surroundings,
        ca_bundle=_ca_bundle(dispatch.environment),
    )


def _endpoint(target: CommandTarget, engine: str) -> tuple[str, str]:
    try:
        return request.endpoint(str(target.runner.get("baseUrl") or ""))
    except ValueError:
        why = (
            f"the base_url of engine {engine} in its plan is no URL of a host; correct it and start a new run"
        )
        raise _Unfit(why) from None


def _model(target: CommandTarget, engine: str) -> str:
    model = target.request.get("model")
    if not isinstance(model, str):
        raise _Unfit(f"its plan names no model for engine {engine}; start a new run")
    return model


def _key(environment: Mapping[str, str], variable: str, engine: str) -> str:
    # A file of variables often leaves a newline at the end.
    key = environment.get(variable, "").strip()
    if not key:
        raise _Unfit(f"the variable {variable}, which api_key_env of engine {engine} names, is not set")
    if not (key.isascii() and key.isprintable()):
        raise _Unfit(f"the key in {variable} holds characters that no header can")
    return key


def _ca_bundle(environment: Mapping[str, str]) -> str | None:
    name = next((name for name in _CA_BUNDLES if environment.get(name)), None)
    if name is None:
        return None
    path = environment[name]
    if not os.path.exists(path):
        raise _Unfit(f"the certificates at {path}, which {name} names, are not there")
    return path


def _timeout_ms(target: CommandTarget) -> int | None:
    """Return the unit's timeout where the plan has one, even None for unbounded; else the engine's."""
    source = target.request if "timeoutMs" in target.request else target.runner
    timeout_ms: int | None = source.get("timeoutMs")
    return timeout_ms
