"""The surroundings of a verb that reads workflow files, with what is odd about the configuration said."""

from __future__ import annotations

from akm import config
from akm.cli import output
from akm.engine import workplace
from akm.engine.workplace import Workplace


def here() -> Workplace:
    """Look around, and warn about settings that do not exist."""
    layers = config.read()
    # The environment holds known settings only; checking the files' keys needs pydantic.
    if any(origin.where.endswith("file") for origin in layers.origins.values()):
        for warning in config.warnings(layers):
            output.warn(warning)
    return workplace.here(layers=layers)
