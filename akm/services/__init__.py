"""Every act on the ledger: one function, one immediate transaction, the time passed in.

A service checks its values first, reads and writes inside its one block, writes each row together with its
event, and returns values that outlive the transaction. Services do not call services.
"""

from __future__ import annotations

from akm.services import attempts, events, runs, steps

__all__ = ["attempts", "events", "runs", "steps"]
