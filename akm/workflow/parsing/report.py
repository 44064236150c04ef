"""The sheet on which one compilation writes its findings. What counts as a fault is decided elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from akm.workflow.parsing.findings import Finding
from akm.workflow.spelling import closest

DEFAULT_CODE = "invalid-markdown-workflow"
#: Nobody reads more at once, and finding the nearest of many words takes time.
MAX_FINDINGS = 200
_MAX_COMPARED = 500


class Report:
    """Collect findings of one file, so that an author sees every fault at once."""

    def __init__(self) -> None:
        self._findings: list[Finding] = []
        self._left_out = 0
        self.has_errors = False

    def nearest(self, word: str, known: Iterable[str]) -> str | None:
        """Find the known word that was probably meant; None when nothing is near, or nobody would see it."""
        if self._is_full():
            return None
        return closest(word.strip("` *_:"), islice(known, _MAX_COMPARED))

    def _is_full(self) -> bool:
        return len(self._findings) >= MAX_FINDINGS

    def error(
        self, line: int, message: str, *, suggestion: str | None = None, code: str = DEFAULT_CODE
    ) -> None:
        """Note a fault that keeps the file from running."""
        self.has_errors = True
        self._note(Finding(line, code, message, suggestion))

    def warn(
        self, line: int, message: str, *, suggestion: str | None = None, code: str = DEFAULT_CODE
    ) -> None:
        """Note an advisory: the file runs, though perhaps not as its author thinks."""
        self._note(Finding(line, code, message, suggestion, "warning"))

    def _note(self, finding: Finding) -> None:
        if self._is_full():
            self._left_out += 1
        else:
            self._findings.append(finding)

    def findings(self) -> tuple[Finding, ...]:
        """Return what was noted in file order, then the number of findings left out if there are too many."""
        shown = sorted(self._findings, key=lambda it: (it.line, it.code, it.message))
        if self._left_out:
            severity = "error" if self.has_errors else "warning"
            message = f"{self._left_out} more findings are not shown: correct the first ones and try again."
            shown.append(Finding(shown[-1].line, DEFAULT_CODE, message, None, severity))
        return tuple(shown)
