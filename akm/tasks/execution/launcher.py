"""How this installation starts itself again, wherever and with whatever environment that will be."""

from __future__ import annotations

import os
import sys


def argv() -> tuple[str, ...]:
    """Return the absolute command of this very akm."""
    script = os.path.abspath(sys.argv[0]) if sys.argv and os.path.basename(sys.argv[0]) == "akm" else ""
    if script and os.access(script, os.X_OK) and os.path.isfile(script):
        return (script,)
    # -P: a folder called akm where the command runs is not this program.
    return (sys.executable, "-P", "-m", "akm")
