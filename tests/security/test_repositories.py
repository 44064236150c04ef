"""What a git repository brings along is not run when a unit gets a worktree of it."""

from __future__ import annotations

from pathlib import Path

import repositories_made
from installed import Place
from workflow_files import a_file, a_step, sh


def test_neither_hooks_nor_watchers_of_a_repository_run_for_a_worktree(tmp_path: Path) -> None:
    place, ran = Place(tmp_path), tmp_path / "ran"
    repository = repositories_made.init(place.work)
    program = repository / ".git/hooks/post-checkout"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f"#!/bin/sh\ntouch {ran}\n")
    program.chmod(0o755)
    file = place.workflow("w", a_file(a_step("a", *sh("echo x > new"), isolation="worktree")))
    repositories_made.commit(repository)
    repositories_made.git(repository, "config", "core.fsmonitor", str(program))
    ran.unlink(missing_ok=True)
    assert place.run("workflow", "run", file).status == 0
    assert not ran.exists()
