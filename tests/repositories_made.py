"""Real git repositories for tests, away from the user's own configuration."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

_WHO = ("-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main")


def git(folder: Path, *words: str) -> str:
    """Run git in a folder and return what it printed."""
    environment = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-C", str(folder), *_WHO, *words]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def commit(folder: Path, **files: str) -> str:
    """Write files, commit everything in the folder, and return the commit."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", "a commit")
    return git(folder, "rev-parse", "HEAD").strip()


def init(folder: Path, *words: str) -> Path:
    """Make a repository of a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", *words)
    return folder


def registered(folder: Path) -> list[str]:
    """List the worktrees that git knows, without the main one."""
    lines = git(folder, "worktree", "list", "--porcelain").splitlines()
    return [line.removeprefix("worktree ") for line in lines if line.startswith("worktree ")][1:]
