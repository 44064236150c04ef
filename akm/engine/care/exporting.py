"""Writing one run out as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from akm.errors import UsageError
from akm.store import drafts
from akm.store.database import Database
from akm.views import run_documents


def text(db: Database, run_id: str) -> str:
    """Return the document of a run as JSON text. Raises as `run_documents.document` does."""
    return json.dumps(run_documents.document(db, run_id), ensure_ascii=False, indent=1) + "\n"


def write(db: Database, run_id: str, file: Path, *, force: bool = False) -> dict[str, Any]:
    """Write the document of a run into a file that only its owner can read; returns {run, file, bytes}.

    The file appears whole or not at all. Raises UsageError when it exists, unless `force`.
    """
    if file.is_dir() or (file.exists() and not force):
        raise UsageError(
            f"{file} exists already.",
            code="RESOURCE_ALREADY_EXISTS",
            hint="Choose another name, or overwrite it with --force.",
        )
    content = text(db, run_id).encode()
    with drafts.draft(file) as partial:
        partial.write_bytes(content)
        drafts.put(partial, file)
    return {"run": run_id, "file": str(file), "bytes": len(content)}
