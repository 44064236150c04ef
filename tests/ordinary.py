"""Commands started without root's right to pass over permissions, so that everybody's tests prove the same.

Nothing of akm is imported here.
"""

from __future__ import annotations

import sys

#: Root keeps its name and its files, and is refused what their modes refuse; others lose nothing.
_BEGIN = """
import ctypes, os, sys
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 24, 1, 2
for right in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
    ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, right, 0, 0, 0)
os.execv(sys.executable, [sys.executable, "-m", "akm", *sys.argv[1:]])
"""


def command(*arguments: str) -> list[str]:
    """Return the argument list that runs `akm` without that right."""
    return [sys.executable, "-c", _BEGIN, *arguments]
