"""What akm writes for itself is for its owner alone, whatever the umask says."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import repositories_made
from builders import AT
from command_lines import Done
from fake_crontab import CRONTAB, TASK
from installed import Place
from serving import Server
from upstream import Upstream
from workflow_files import a_file, a_step

from akm.engine import lock
from akm.engine.recovery import cancelling
from akm.errors import TransientError
from akm.store import drafts
from akm.store.opening import open_database

#: Prints the mode of everything below akm's own directories while a unit runs.
LOOK = """
import json, os, sys
seen = {}
for folder, _, names in os.walk(sys.argv[1]):
    for path in [folder, *(os.path.join(folder, name) for name in names)]:
        seen[path] = os.stat(path).st_mode & 0o777
json.dump(seen, open(sys.argv[2], "w"))
"""
OLD_TASK = 'version: 2\nschedule: "0 3 * * *"\ncommand: "true"\n'


class Home(Place):
    """A machine where nothing of akm is there yet, and its directories are where they are by default."""

    def environment(self) -> dict[str, str]:
        xdg = {f"XDG_{kind}_HOME" for kind in ("CONFIG", "DATA", "STATE", "CACHE")}
        kept = {name: value for name, value in os.environ.items() if "AKM_" not in name and name not in xdg}
        (self.folder("bin") / "crontab").write_text(CRONTAB)
        (self.root / "bin/crontab").chmod(0o755)
        path = f"{self.root / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return kept | {
            "HOME": str(self.folder("home")),
            "PATH": path,
            "CRONTAB_FILE": str(self.root / "crontab"),
        }

    @property
    def umask(self) -> int:
        """The umask of this process and of what it starts."""
        os.umask(found := os.umask(0))
        return found

    @property
    def own(self) -> list[Path]:
        """Everything in HOME, which nobody but akm has written to."""
        return list((self.root / "home").rglob("*"))


@pytest.fixture(params=[0o000, 0o022], ids=["umask 000", "umask 022"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Home]:
    tmp_path.chmod(0o755)
    made = Home(tmp_path)
    made.folder("home").chmod(0o700)
    before = os.umask(request.param)
    yield made
    os.umask(before)


def did(home: Home, *arguments: str, status: int = 0, **options: Any) -> Done:
    done = home.run(*arguments, **options)
    assert done.status == status, done.err
    return done


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def open_to_others(paths: list[Path], *, but: Path | None = None) -> dict[str, str]:
    """Name what others may read, write or enter; what lies below `but` is shut off by it."""
    modes = {path: stat.S_IMODE(path.lstat().st_mode) for path in paths if not path.is_symlink()}
    return {str(path): oct(mode) for path, mode in modes.items() if mode & 0o077 and but not in path.parents}


def test_the_first_command_makes_directories_and_a_ledger_for_their_owner(home: Home) -> None:
    did(home, "workflow", "list")
    assert [path for path in home.own if path.name == "state.db"]
    assert open_to_others(home.own) == {}


def test_what_a_driver_keeps_while_it_works_is_its_owners(home: Home) -> None:
    seen, repository = home.root / "seen.json", repositories_made.init(home.work)
    step = a_step("look", "python3", "-c", LOOK, str(home.root / "home"), str(seen), isolation="worktree")
    file = home.workflow("w", a_file(step))
    repositories_made.commit(repository)
    did(home, "workflow", "run", file)
    modes = {Path(path): mode for path, mode in json.loads(seen.read_text()).items()}
    suffixes = {path.name.partition(".")[2] for path in modes}
    assert {"db", "db-wal", "db-shm", "lock", "json", "md"} <= suffixes
    (tree,) = {path for path in modes if path.parent.parent.name == "worktrees"}
    bad = [path for path, mode in modes.items() if mode & 0o077]
    assert [path for path in bad if tree.parent not in path.parents] == []
    assert open_to_others(home.own) == {}


def test_copies_exports_and_caches_are_their_owners(home: Home) -> None:
    copies = home.folder("copies")
    copies.chmod(0o777)
    file = home.workflow("w", a_file(a_step("a")))
    run_id = did(home, "workflow", "run", file).result["run"]["id"]
    did(home, "workflow", "export", run_id, "--out", str(copies / "run.json"))
    did(home, "db", "backup", str(copies / "state.db"))
    did(home, "db", "restore", str(copies / "state.db"))
    with Server().running() as server:
        url = server.reply("/index.json", json.dumps({"version": 3, "updatedAt": AT, "stashes": []}))
        did(home, "registry", "add", url, "--name", "ours", "--allow-private", "--allow-insecure")
        did(home, "registry", "search", "tools", "--registry", "ours")
    assert len(did(home, "registry", "cache").result["entries"]) == 1
    assert open_to_others([*home.own, *copies.iterdir()]) == {}


def test_bundles_tasks_and_schedules_are_their_owners(home: Home) -> None:
    team = home.folder("team/tasks").parent
    (team / "tasks/nightly.yml").write_text(TASK)
    upstream = Upstream(home.root / "upstream")
    upstream.commit({"workflows/a.md": a_file(a_step("a"))})
    did(home, "bundle", "add", "team", str(team))
    did(home, "bundle", "add", upstream.url, "--name", "cloned")
    did(home, "task", "run", "team//tasks/nightly")
    did(home, "task", "enable", "team//tasks/nightly")
    (log,) = (home.root / "home").rglob("*.log")
    assert log.read_text()
    (clone,) = (home.root / "home").rglob("bundles/cloned")
    assert open_to_others(home.own, but=clone) == {}


def test_a_request_to_stop_is_its_owners(home: Home) -> None:
    did(home, "workflow", "list")
    (path,) = (home.root / "home").rglob("state.db")
    held = lock.RunLock(lock.folder(path), "a-run")
    held.acquire(at=AT)
    with open_database(path) as db, pytest.raises(TransientError):
        cancelling.cancel(db, "a-run", grace_seconds=0)
    names = {file.name for file in held.path.parent.iterdir()}
    assert names == {"a-run.lock", "a-run.json", "a-run.cancel"}
    assert open_to_others(home.own) == {}
    held.release()


def test_a_persons_own_files_follow_the_umask_and_keep_their_mode(home: Home) -> None:
    widest = 0o666 & ~home.umask
    file = Path(did(home, "workflow", "create", "w").result["path"])
    did(home, "bundle", "add", "team", str(home.folder("team")))
    did(home, "task", "add", "t", "--command", "true", "--schedule", "@daily", "--disabled")
    index = home.root / "index.json"
    did(home, "registry", "build-index", str(home.root / "team"), "--out", str(index))
    assert mode(file) == mode(home.root / "team/tasks/t.yml") == mode(index) == widest
    for written in (file, index):
        written.chmod(0o600)
    did(home, "workflow", "create", "w", "--force")
    did(home, "registry", "build-index", str(home.root / "team"), "--out", str(index))
    assert mode(file) == mode(index) == 0o600


def test_a_converted_file_and_its_copy_keep_their_mode(home: Home) -> None:
    tasks = home.folder("work/tasks")
    (tasks / "old.yml").write_text(OLD_TASK)
    (tasks / "old.yml").chmod(0o640)
    did(home, "task", "convert", "tasks/old.yml", "--write")
    assert {path.name: mode(path) for path in tasks.iterdir()} == {"old.yml": 0o640, "old.yml.bak": 0o640}


def test_a_link_in_the_place_of_a_draft_is_not_followed(home: Home) -> None:
    target, other = home.root / "backup.db", home.root / "of-somebody"
    other.write_text("kept")
    link = home.root / f".{target.name}.{os.getpid()}.partial"
    link.symlink_to(other)
    with drafts.draft(target) as partial:
        partial.write_text("secret")
        drafts.put(partial, target)
    assert (other.read_text(), target.read_text(), mode(target)) == ("kept", "secret", 0o600)
