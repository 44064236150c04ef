"""What an author did wrong in a workflow file: one value per fault, collected and never raised singly."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One fault of a workflow file. `line` is 1-based; findings sort in file order."""

    line: int
    code: str
    message: str
    suggestion: str | None = None
    severity: str = "error"

    @property
    def is_error(self) -> bool:
        """Tell whether this keeps the file from running (an advisory does not)."""
        return self.severity == "error"

    @property
    def text(self) -> str:
        """Return the message with the suggestion, for people."""
        if self.suggestion is None:
            return self.message
        is_sentence = self.suggestion.endswith((".", "?", "!"))
        return f"{self.message} {self.suggestion if is_sentence else f'Try: {self.suggestion}'}"
