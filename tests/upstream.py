"""A real git repository to fetch bundles from, with fixed authors and times."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

WORKFLOW = "---\ntype: workflow\n---\n"


class Upstream:
    """A repository with a working tree on branch `main`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self.git("init", "-q", "--initial-branch=main")

    @property
    def url(self) -> str:
        return f"git+file://{self.folder}"

    def git(self, *arguments: str) -> str:
        settings = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "core.hooksPath=/dev/null")
        dates = {"GIT_AUTHOR_DATE": "2024-05-06T07:08:09Z", "GIT_COMMITTER_DATE": "2024-05-06T07:08:09Z"}
        command = ["git", *settings, *arguments]
        done = subprocess.run(
            command, cwd=self.folder, env=os.environ | dates, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def write(self, files: dict[str, str | None]) -> None:
        for name, text in files.items():
            path = self.folder / name
            if text is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def commit(self, files: dict[str, str | None], message: str = "x") -> str:
        """Write files (None deletes one), commit everything, and return the commit."""
        self.write(files)
        self.git("add", "-A", "-f", ".")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")


def own_git(folder: Path, script: str) -> str:
    """Write a program `git` that does something of its own and return a PATH that has it first.

    In the script, `$real` is the real git.
    """
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "git"
    program.write_text(f"#!/bin/sh\nreal={shutil.which('git')}\n{script}\n")
    program.chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"
