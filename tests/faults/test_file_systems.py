"""A ledger on a real file system that is full or read-only: one sentence, and the run goes on elsewhere."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import campaign
import pytest
import repositories_made as made
import short_run
from command_lines import Done
from installed import AKM, Place, a_machine
from workflow_files import a_file, a_step

#: In namespaces of its own a process may mount what it likes, where the system lets it have them.
APART = ("unshare", "--mount", "--map-root-user", "sh", "-ec")
PAGE_KIB = 4
#: From nothing to a little less than a ledger with its log takes.
PAGES = 120
DRIVE = """
cd ../data; {mount}; cd ../work
set +e; "$0" workflow run short.md --quiet; status=$?
cp -a ../data/. ../kept; exit $status
"""


@pytest.fixture(scope="module", autouse=True)
def may_mount() -> None:
    """Skip where file systems cannot be mounted."""
    if shutil.which(APART[0]) is None:
        pytest.skip("the system has no unshare")
    if subprocess.run([*APART, "mount -t tmpfs none /mnt"], capture_output=True).returncode:
        pytest.skip("this process may not mount a file system")


def drive_on(machine: Place, mount: str) -> Done:
    """Run the workflow after `mount`, a line of shell in `data`; what is there then stays there."""
    short_run.write(machine)
    return _driven(machine, mount)


def _driven(machine: Place, mount: str) -> Done:
    kept, data = machine.folder("kept"), machine.folder("data")
    command = [*APART, DRIVE.format(mount=mount), AKM]
    done = subprocess.run(
        command, cwd=machine.work, env=machine.environment(), capture_output=True, text=True
    )
    shutil.rmtree(data)
    kept.rename(data)
    campaign.inject("file system")
    return Done(done.returncode, done.stdout, done.stderr)


def test_a_run_on_a_disk_that_fills_up_ends_in_one_sentence_and_goes_on(tmp_path: Path) -> None:
    for pages in campaign.draw(PAGES):
        machine = Place(tmp_path / f"pages-{pages}")
        done = drive_on(machine, f"mount -t tmpfs -o size={pages * PAGE_KIB}k none .")
        assert done.status == 75
        short_run.check_said(done, {75: "DATABASE_FULL"})
        short_run.check_goes_on(machine)


def test_a_ledger_on_a_disk_without_any_room_is_told_to_be_on_a_full_disk(
    tmp_path: Path, migrated: Path
) -> None:
    for pages in (0, *campaign.draw(60)):
        machine = a_machine(tmp_path / f"pages-{pages}", migrated)
        put = f"cp ../copy.db state.db; dd if=/dev/zero of=free bs={PAGE_KIB}k count={pages} 2>/dev/null"
        fill = "{ cat /dev/zero > filled || true; } 2>/dev/null; rm free"
        full = f"mount -t tmpfs -o size=4m none ../data; cd ../data; {put}; {fill}"
        shutil.copyfile(migrated, machine.root / "copy.db")
        done = drive_on(machine, full)
        (short_run.ledger(machine).with_name("filled")).unlink()
        assert done.status == 75
        short_run.check_said(done, {75: "DATABASE_FULL"})
        short_run.check_goes_on(machine)


def test_a_worktree_that_does_not_fit_on_the_disk_fails_its_unit_and_leaves_nothing(machine: Place) -> None:
    machine.workflow("short", a_file(a_step("a", isolation="worktree")))
    made.init(machine.work)
    made.commit(machine.work, large="".join(f"{number}\n" for number in range(400_000)))
    done = _driven(machine, "mount -t tmpfs -o size=1536k none .")
    assert (done.status, done.result["run"]["status"]) == (1, "failed")
    assert "unable to write file large" in done.result["executed"][0]["summary"]
    assert machine.rows("SELECT failure_reason FROM workflow_run_units") == [("spawn_failed",)]
    assert [one for one in machine.folder("data/worktrees").iterdir() if one.is_dir()] == []
    assert made.registered(machine.work) == []
    # With room again, the same run goes on.
    run_id = done.result["run"]["id"]
    assert machine.run("workflow", "retry", run_id).status == 0


def test_a_run_on_a_read_only_file_system_ends_in_one_sentence_and_goes_on(machine: Place) -> None:
    before = short_run.ledger(machine).read_bytes()
    done = drive_on(machine, "mount --bind . .; mount -o remount,ro,bind ../data")
    assert done.status == 78
    short_run.check_said(done, {78: "DATABASE_UNUSABLE"})
    assert short_run.ledger(machine).read_bytes() == before
    short_run.check_goes_on(machine)
