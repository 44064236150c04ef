"""akm: durable workflow runs for agents and scripts.

The names below are the public Python surface; each is imported when it is first used, so that
`akm --version` and the short commands do not pay for what they do not need.
"""

from __future__ import annotations

__version__ = "0.1.0"

# Not from typing: importing that would cost `akm --version` a tenth of its time.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from akm import errors as errors
    from akm import models as models
    from akm import services as services
    from akm import views as views
    from akm.api import open as open
    from akm.api import run as run

_PUBLIC = {
    "open": ("akm.api", "open"),
    "run": ("akm.api", "run"),
    "models": ("akm.models", None),
    "services": ("akm.services", None),
    "views": ("akm.views", None),
    "errors": ("akm.errors", None),
}


def __getattr__(name: str) -> object:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'akm' has no attribute {name!r}")
    from importlib import import_module

    module, attribute = _PUBLIC[name]
    loaded = import_module(module)
    return loaded if attribute is None else getattr(loaded, attribute)


def __dir__() -> list[str]:
    return sorted([*_PUBLIC, "__version__"])
