"""`akm bundle add`, `update`, `list` and `remove` with bundles that come from git."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from upstream import Upstream, own_git

WAITS = 'case " $* " in *" fetch "*) echo $$ > {reached}; exec sleep 600;; esac\nexec $real "$@"'


@pytest.fixture
def upstream(home: Path) -> Upstream:
    made = Upstream(home / "team")
    made.commit({"workflows/a.md": "a\n", "scripts/s.sh": "echo\n"})
    return made


def drafts(home: Path) -> list[str]:
    return sorted(path.name for path in (home / "data/bundles").iterdir() if path.name != ".lock")


def adding(home: Path, upstream: Upstream) -> tuple[subprocess.Popen[str], int]:
    """Start an add whose git never ends; returns it and the id of that git."""
    reached = home / "reached"
    os.mkfifo(reached)
    path = own_git(home / "bin", WAITS.format(reached=reached))
    child = subprocess.Popen(
        [sys.executable, "-m", "akm", "bundle", "add", upstream.url],
        env=os.environ | {"PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with open(reached, encoding="ascii") as pipe:
        return child, int(pipe.read())


def test_a_repository_is_added_listed_updated_and_removed(run: Any, home: Path, upstream: Upstream) -> None:
    old = upstream.git("rev-parse", "HEAD")
    added = run("bundle", "add", upstream.url)
    assert (added.status, added.err) == (0, "")
    assert added.result["bundle"]["name"] == "team"
    assert added.result["bundle"]["commit"] == old
    assert run("bundle", "list").result["bundles"] == [added.result["bundle"]]
    assert run("config", "show").err == ""
    new = upstream.commit({"workflows/b.md": "b\n"})
    planned = run("bundle", "update", "--dry-run")
    assert (planned.status, planned.result["bundles"][0]["status"]) == (0, "pending")
    done = run("bundle", "update", "team")
    assert (done.status, done.result["ok"], done.result["bundles"][0]["new"]) == (0, True, new)
    removed = run("bundle", "remove", "team")
    assert (removed.result["isClone"], removed.result["deleted"]) == (True, False)
    assert (home / "data/bundles/team/workflows/b.md").exists()


def test_people_read_lines(run: Any, home: Path, upstream: Upstream) -> None:
    old = upstream.git("rev-parse", "HEAD")[:12]
    text = ("--format", "text")
    assert run("bundle", "update", *text).out == "No configured bundle came from git.\n"
    assert run("bundle", "add", upstream.url, *text).out.splitlines() == [
        f"Bundle team is {home}/data/bundles/team, with 1 workflow.",
        f"It stands at commit {old} of {upstream.url} (2024-05-06T07:08:09.000Z).",
        "workflows (1): a",
        "scripts (1): s.sh",
    ]
    new = upstream.commit({f"workflows/w{number}.md": "b\n" for number in range(10)})[:12]
    assert run("bundle", "update", *text).out.splitlines() == [
        f"team moved from commit {old} to {new} (2024-05-06T07:08:09.000Z).",
        "  added workflows (10): w0, w1, w2, w3, w4, w5, w6, w7 and 2 more",
    ]
    assert run("bundle", "update", *text).out == f"team is at commit {new}, and nothing newer is there.\n"
    assert run("bundle", "remove", "team", *text).out.endswith("stays; with --delete it would be deleted.\n")
    run("bundle", "add", upstream.url)
    assert run("bundle", "remove", "team", "--delete", *text).out.endswith("/team is deleted.\n")
    assert drafts(home) == []


def test_a_source_takes_a_name_before_it_or_beside_it(run: Any, upstream: Upstream) -> None:
    assert run("bundle", "add", "one", f"{upstream.url}#main").result["bundle"]["ref"] == "main"
    assert (
        run("bundle", "add", upstream.url, "--name", "two", "--ref", "main").result["bundle"]["ref"] == "main"
    )
    for wrong in (("a", "b", "c"), ("a", "b", "--name", "c"), (".", "--ref", "main")):
        assert run("bundle", "add", *wrong).status == 2


@pytest.mark.usefixtures("upstream")
def test_a_folder_is_named_by_itself_and_used_where_it_is(run: Any, home: Path) -> None:
    assert run("bundle", "add", "../team").result["bundle"] == {
        "name": "team",
        "path": f"{home}/team",
        "origin": f"user file {home}/config/config.toml",
        "exists": True,
        "workflows": 1,
    }
    assert run("bundle", "add", "file:../team").status == 0
    (home / "...").mkdir()
    assert "give one with --name" in run("bundle", "add", "../...").error["error"]
    assert "There is no folder" in run("bundle", "add", "acme/team").error["error"]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("npm:left-pad", "Packages of npm cannot be added"),
        ("git+https://me:SECRET@host.example/a", "no user name or password"),
        ("git+ext::sh -c x", "must hold no space"),
    ],
)
def test_what_cannot_be_fetched_is_one_sentence(run: Any, source: str, said: str) -> None:
    done = run("bundle", "add", source)
    assert done.status == 2
    assert said in done.error["error"]
    assert "SECRET" not in done.err


def test_links_that_lead_out_are_warned_of(run: Any, upstream: Upstream) -> None:
    (upstream.folder / "workflows/out.md").symlink_to("/etc/hostname")
    upstream.commit({})
    assert "warning: workflows/out.md in " in run("bundle", "add", upstream.url).err


def test_one_failed_update_is_exit_1_and_alone_its_own(run: Any, home: Path, upstream: Upstream) -> None:
    run("bundle", "add", upstream.url)
    (home / "data/bundles/team/workflows/a.md").write_text("mine")
    every = run("bundle", "update")
    assert (every.status, every.result["ok"]) == (1, False)
    assert every.result["bundles"][0]["code"] == "LOCAL_CHANGES"
    assert "team: Files in " in run("bundle", "update", "--format", "text").out
    alone = run("bundle", "update", "team")
    assert (alone.status, alone.error["code"]) == (2, "LOCAL_CHANGES")


def test_an_add_that_was_killed_leaves_nothing_that_the_next_trusts(
    run: Any, home: Path, upstream: Upstream
) -> None:
    child, stuck = adding(home, upstream)
    child.kill()
    child.communicate()
    os.kill(stuck, signal.SIGKILL)
    assert run("bundle", "list").result == {"bundles": []}
    assert len(drafts(home)) == 1
    assert run("bundle", "add", upstream.url).status == 0
    assert drafts(home) == ["team"]


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_git_and_takes_its_draft_away(
    home: Path, upstream: Upstream, number: int, status: int
) -> None:
    child, stuck = adding(home, upstream)
    child.send_signal(number)
    out, err = child.communicate()
    assert (child.returncode, out) == (status, "")
    assert "Traceback" not in err
    assert drafts(home) == []
    with pytest.raises(ProcessLookupError):
        os.kill(stuck, 0)
