"""How many examples the fuzz tests try, and how many they tried; what they try stands in each of them.

FUZZ_EXAMPLES multiplies the examples of each test: 3 in `make test`, which takes about two minutes of one
core, and more in `make soak`. A failing example is printed with the line that tries it again.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import SearchStrategy

#: What begins the line with the sum, for whoever reads it from a pipe.
TOTAL = "examples tried"
FACTOR = int(os.environ.get("FUZZ_EXAMPLES", "3"))
PROFILE = "fuzz"

# A slow machine is no failure, and fixtures are written anew by each example that uses one.
settings.register_profile(
    PROFILE,
    deadline=None,
    print_blob=True,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.function_scoped_fixture,
    ],
)

_tried = 0


def tried() -> None:
    """Count an example."""
    global _tried
    _tried += 1


def summary() -> str:
    """Say how many examples this process tried; empty when there were none."""
    return f"{TOTAL} {_tried}" if _tried else ""


def examples(count: int, **more: Any) -> settings:
    """Return the settings of a test that tries `count` examples at least."""
    return settings(settings.get_profile(PROFILE), max_examples=count * FACTOR, **more)


def fuzz(count: int, **drawn: SearchStrategy[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Let a test be tried with `count` examples of what is drawn; its other parameters are fixtures."""

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def counted(*arguments: Any, **named: Any) -> None:
            tried()
            test(*arguments, **named)

        return examples(count)(given(**drawn)(counted))

    return decorate
