"""Faults below SQLite in a real process: `injector.c`, compiled and put before the system's library.

It counts and fails calls on files whose path begins with one path, so a ledger's log and shared memory count
with it, and leaves everything else alone. Units do not inherit it: their environment is a list.
"""

from __future__ import annotations

import errno
import shutil
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).with_name("injector.c")
COMPILER = shutil.which("cc") or shutil.which("gcc")
_TALLY = struct.Struct("ll")
_CLOCK_BYTES = 32


class Fault(NamedTuple):
    """What fails: `call` is write, sync or truncate; `number` is the system's error.

    `lasts`: so does every later call. `tears`: the first one writes half of its bytes.
    """

    call: str
    number: int
    lasts: bool = True
    tears: bool = False


FAULTS = {
    "the disk is full": Fault("write", errno.ENOSPC),
    "the disk is full in the middle of a write": Fault("write", errno.ENOSPC, tears=True),
    "one write fails": Fault("write", errno.EIO, lasts=False),
    "all writes fail": Fault("write", errno.EIO),
    "one fsync fails": Fault("sync", errno.EIO, lasts=False),
    "all fsyncs fail": Fault("sync", errno.EIO),
    "all truncations fail": Fault("truncate", errno.EIO),
}


@dataclass(frozen=True)
class Injector:
    """The compiled library; `tally` and `clock` are files that it shares with the test."""

    library: Path
    tally: Path
    clock: Path

    def faulty(self, path: Path, fault: Fault, at: int) -> dict[str, str]:
        """Return the variables with which the `at`-th such call on `path` fails; 0 only counts them."""
        self.tally.write_bytes(bytes(_TALLY.size))
        return self._loaded(
            FAULT_PATH=path,
            FAULT_CALL=fault.call,
            FAULT_AT=at,
            FAULT_ERRNO=fault.number,
            FAULT_LASTS=int(fault.lasts),
            FAULT_TEARS=int(fault.tears),
            FAULT_TALLY=self.tally,
        )

    def hasty(self) -> dict[str, str]:
        """Return the variables with which SQLite's waiting takes no time."""
        return self._loaded(FAULT_HASTY=1)

    def stepped(self) -> dict[str, str]:
        """Return the variables with which the seconds in the file `clock` are added to the time of day."""
        self.step(0)
        return self._loaded(FAULT_CLOCK=self.clock)

    def step(self, seconds: int) -> None:
        """Set the clock of running processes that many seconds forwards, or back."""
        with open(self.clock, "r+b" if self.clock.exists() else "wb") as file:
            file.write(str(seconds).encode().ljust(_CLOCK_BYTES))

    def counted(self) -> tuple[int, int]:
        """Return how many calls were seen and how many of them were made to fail."""
        calls, faults = _TALLY.unpack(self.tally.read_bytes())
        return calls, faults

    def _loaded(self, **variables: object) -> dict[str, str]:
        return {"LD_PRELOAD": str(self.library)} | {name: str(value) for name, value in variables.items()}


def compiled(folder: Path) -> Injector:
    """Compile the library into `folder`."""
    library = folder / "injector.so"
    command = [str(COMPILER), "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", str(SOURCE), "-o"]
    subprocess.run([*command, str(library)], check=True)
    return Injector(library, folder / "tally", folder / "clock")
