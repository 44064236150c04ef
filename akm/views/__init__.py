"""Reading the ledger: each view is one snapshot and writes nothing. Shapes are those of `--format json`."""

from __future__ import annotations

from akm.views import events, runs, units

__all__ = ["events", "runs", "units"]
