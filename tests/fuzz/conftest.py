"""Says at the end of a run how many examples the fuzz tests tried."""

from __future__ import annotations

import effort
import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the sum, as far as they were tried in this process."""
    if said := effort.summary():
        terminalreporter.write_line(said)
