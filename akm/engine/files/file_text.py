"""Writing a file of a person's own project in one step: who may read it, the umask or its old mode says."""

from __future__ import annotations

import os
from pathlib import Path
from threading import get_native_id


def replace(file: Path, content: bytes) -> None:
    """Make `content` the whole of a file in a folder that is there.

    A file that is there keeps its mode. Raises OSError; the file is then as it was.
    """
    draft = file.with_name(f".{file.name[:32]}.{get_native_id()}.tmp")
    try:
        draft.unlink(missing_ok=True)
        with draft.open("xb") as stream:
            if file.exists():
                os.fchmod(stream.fileno(), file.stat().st_mode & 0o777)
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(draft, file)
    finally:
        draft.unlink(missing_ok=True)
