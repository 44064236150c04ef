"""The installed command under a real cron: what is enabled fires, and the history says so."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator

import pytest
from installed import Place, until

from akm.cli.app import ROOT
from akm.tasks.firing.firing_state import has_cron_daemon

_DAEMON = shutil.which("cron", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
# Cron's HOME is that of the user's account, beside which only root may write.
TASK = """version: 4
run: echo fired 100% > {file}
schedule: "* * * * *"
"""


@pytest.fixture
def crontab() -> Iterator[None]:
    """The user's real crontab, put back afterwards as it was."""
    if shutil.which("crontab") is None or _DAEMON is None:
        pytest.skip("cron is not installed")
    command = ["crontab", "-l"]
    before = subprocess.run(command, capture_output=True, env=os.environ | {"LC_ALL": "C"})
    if before.returncode != 0 and b"no crontab for" not in before.stderr:
        pytest.skip("this user may have no crontab")
    yield
    if before.returncode == 0:
        subprocess.run(["crontab", "-"], input=before.stdout, check=True)
    else:
        subprocess.run(["crontab", "-r"], check=False, capture_output=True)


@pytest.fixture
def daemon(crontab: None) -> Iterator[None]:
    """A cron that runs: the machine's own, else one of this test's."""
    assert crontab is None
    if has_cron_daemon():
        yield
        return
    if os.geteuid() != 0:
        pytest.skip("no cron runs, and only root may start one")
    started = subprocess.Popen(
        [str(_DAEMON), "-f"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        yield
    finally:
        started.terminate()
        started.wait(timeout=30)


@pytest.mark.usefixtures("daemon")
def test_a_task_fires_from_the_real_crontab_and_the_history_tells(place: Place) -> None:
    group = ROOT.commands.get("task")
    if group is None or "run" not in group.commands:  # type: ignore[union-attr]
        pytest.skip("`akm task run` does not exist yet")
    (place.folder("team/tasks") / "often.yml").write_text(TASK.format(file=place.root / "fired"))
    assert place.run("bundle", "add", "team", str(place.root / "team")).status == 0
    enabled = place.run("task", "enable", "often")
    assert enabled.status == 0, enabled.err
    try:
        query = "SELECT status, completed_at IS NULL, target_kind FROM task_history WHERE task_id = 'often'"
        finished = f"{query} AND completed_at IS NOT NULL"
        fired = until(lambda: place.rows(finished), seconds=90)
        log = place.root / "state/tasks/scheduled/team/often.log"
        assert fired, log.read_text() if log.exists() else "cron ran nothing"
        assert place.rows(finished)[0] == ("completed", 0, "shell")
        assert (place.root / "fired").read_text() == "fired 100%\n"
    finally:
        assert place.run("task", "disable", "often").status == 0
    still_there = subprocess.run(["crontab", "-l"], capture_output=True, text=True).stdout
    assert str(place.root) not in still_there
