"""A failure that is worth another attempt; how long to wait before it is `akm.http.retries`'s."""

from __future__ import annotations

from akm.errors import AkmError


class Again(Exception):
    """An attempt failed in a way that the next one may not; `error` is what to raise after the last.

    `retry_after` is the header of that name as it came, None when there was none.
    """

    def __init__(self, error: AkmError, retry_after: str | None = None) -> None:
        super().__init__(error.message)
        self.error = error
        self.retry_after = retry_after
