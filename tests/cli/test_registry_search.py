"""`akm registry search`, `show` and `refresh` against real servers: what comes out, what is said."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from registry_places import INDEX, cached, configure, grow_old, hurry, wait_a_second_only
from serving import Line, Server

from akm import clock

REAL = Path(__file__).parents[2].parent / "shared/data/registry"


@pytest.fixture
def server() -> Iterator[Server]:
    """A server whose registry is at `/index.json`."""
    with Server().running() as started:
        yield started


@pytest.fixture
def url(server: Server, home: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of the one registry that is configured, as `ours`."""
    url = server.reply("/index.json", INDEX)
    configure(home, ours=url)
    hurry(monkeypatch)
    return url


def hours_ago(hours: int) -> str:
    moment = datetime.fromtimestamp(clock.seconds(clock.now()), UTC) - timedelta(hours=hours, minutes=5)
    return clock.stamp(moment.timestamp())


def statuses(done: Any) -> list[tuple[str, str]]:
    return [(one["registry"], one["status"]) for one in done.result["registries"]]


def test_a_search_tells_what_was_found_and_who_answered(run: Any, url: str) -> None:
    done = run("registry", "search", "deploy")
    assert (done.status, done.err, done.result["ok"]) == (0, "", True)
    (hit,) = done.result["hits"]
    assert (hit["id"], hit["installRef"], hit["registryName"]) == (
        "github:team/tools",
        "github:team/tools",
        "ours",
    )
    (outcome,) = done.result["registries"]
    assert (outcome["url"], outcome["status"], outcome["count"]) == (url, "fresh", 1)
    assert statuses(run("registry", "search", "deploy")) == [("ours", "cached")]


def test_people_get_a_table_and_programs_a_line_for_each_hit(run: Any, url: str) -> None:
    text = run("registry", "search", "deploy", "--format", "text").out.splitlines()
    assert text[0].split() == ["NAME", "DESCRIPTION", "SOURCE", "INSTALL", "AGE"]
    assert text[1].split()[:3] == ["Deploy", "tools", "What"]
    assert text[1].split()[-3:] == ["ours", "github:team/tools", "now"]
    assert text[-1] == "Install one with `akm bundle add` and what stands under INSTALL."
    lines = run("registry", "search", "other", "deploy", "--format", "jsonl").out.splitlines()
    assert {json.loads(line)["id"] for line in lines} == {"npm:other", "github:team/tools"}
    assert run("registry", "search", "nothing", "--format", "text").out == "No bundle was found.\n"
    assert url


def test_assets_are_searched_when_asked_for(run: Any, url: str) -> None:
    assert run("registry", "search", "deploy").result["assetHits"] == []
    done = run("registry", "search", "--assets", "deploy", "--limit", "1")
    assert [hit["assetName"] for hit in done.result["assetHits"]] == ["deploy-all"]
    text = run("registry", "search", "--assets", "deploy", "--format", "text").out
    assert "ASSET" in text
    assert "deploy-all" in text
    assert json.loads(run("registry", "search", "deploy", "--assets", "--format", "jsonl").out)["assetType"]
    assert url


def test_one_registry_can_be_named_and_an_unknown_one_is_refused(run: Any, url: str, home: Path) -> None:
    configure(home, ours=url, others=f"{url}?")
    assert statuses(run("registry", "search", "x", "--registry", "others")) == [("others", "fresh")]
    done = run("registry", "search", "x", "--registry", "other")
    assert (done.status, done.error["code"], done.error["hint"]) == (
        1,
        "SOURCE_NOT_FOUND",
        "Did you mean others?",
    )


def test_without_any_registry_the_configuration_has_to_change(run: Any, home: Path) -> None:
    configure(home)
    done = run("registry", "search", "x")
    assert (done.status, done.error["code"]) == (78, "REGISTRY_NONE")


def test_a_registry_that_went_away_is_stale_with_its_age_then_failed(
    run: Any, url: str, home: Path, server: Server
) -> None:
    found = run("registry", "search", "deploy").result["hits"]
    grow_old(home, hours_ago(3))
    before = cached(home)
    server.reply("/index.json", status=500)
    server._replies["/index.json"].pop(0)
    stale = run("registry", "search", "deploy")
    assert (stale.status, statuses(stale), stale.result["hits"]) == (0, [("ours", "stale")], found)
    assert stale.result["registries"][0]["ageSeconds"] > 3 * 3600
    (line,) = stale.err.splitlines()
    assert line.startswith("akm: warning: registry ours: stale, 3 h old: ")
    assert url in line
    table = run("registry", "search", "deploy", "--format", "text").out.splitlines()
    assert table[1].split()[-2:] == ["3", "h"]
    assert cached(home) == before
    assert run("registry", "cache", "clear").result["cleared"] == 1
    failed = run("registry", "search", "deploy")
    assert (failed.status, failed.result["ok"], statuses(failed)) == (1, False, [("ours", "failed")])
    assert failed.result["registries"][0]["code"] == "REGISTRY_UNREACHABLE"
    assert failed.err.startswith(f"akm: warning: registry ours: failed: {url} answered with status 500")
    text = run("registry", "search", "deploy", "--format", "text")
    assert (text.status, text.out) == (1, "No registry gave an answer.\n")


def test_offline_nobody_is_asked(run: Any, url: str, server: Server, home: Path) -> None:
    done = run("registry", "search", "deploy", "--offline")
    assert (done.status, done.result["registries"][0]["code"]) == (1, "REGISTRY_NOT_CACHED")
    assert server.asked == []
    run("registry", "search", "deploy")
    grow_old(home, hours_ago(100))
    done = run("registry", "search", "deploy", "--offline")
    assert (done.status, statuses(done), len(server.asked)) == (0, [("ours", "stale")], 1)
    assert done.err == f"registry ours ({url}): stale, 4 d old\n"
    assert done.result["hits"]


def test_a_registry_that_is_silent_stops_no_other(
    run: Any, url: str, server: Server, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait_a_second_only(monkeypatch)
    configure(home, silent=server.reply_raw("/silent", Line.stall), ours=url)
    done = run("registry", "search", "deploy")
    assert (done.status, statuses(done)) == (0, [("silent", "failed"), ("ours", "fresh")])
    assert [hit["registryName"] for hit in done.result["hits"]] == ["ours"]
    first, second = done.err.splitlines()
    silent = server.url("/silent")
    assert first.startswith(f"akm: warning: registry silent: failed: {silent} sent nothing for 1 seconds.")
    assert second == f"registry ours ({url}): fresh"


def test_when_both_are_down_it_is_no_empty_answer(
    run: Any, url: str, server: Server, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait_a_second_only(monkeypatch)
    busy = server.reply("/busy", status=429, Retry_After="0")
    configure(home, silent=server.reply_raw("/silent", Line.stall), busy=busy)
    done = run("registry", "search", "deploy")
    assert (done.status, statuses(done)) == (1, [("silent", "failed"), ("busy", "failed")])
    assert {one["code"] for one in done.result["registries"]} == {"REGISTRY_UNREACHABLE"}
    assert f"{busy} answered with status 429 (Too Many Requests)" in done.err
    assert url


def test_the_official_index_is_found_kept_and_missed(
    run: Any, server: Server, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not REAL.is_dir():
        pytest.skip("the official index is not beside the repository")
    hurry(monkeypatch)
    configure(home, real=server.reply("/i", (REAL / "index.json").read_bytes()))
    expected = {"deploy": 0, "agent": 6, "skills": 6}
    found = {word: run("registry", "search", word).result["hits"] for word in expected}
    assert {word: len(hits) for word, hits in found.items()} == expected
    grow_old(home, hours_ago(30))
    server.reply("/i", status=404)
    server._replies["/i"].pop(0)
    for word, hits in found.items():
        done = run("registry", "search", word)
        assert (statuses(done), done.result["hits"]) == ([("real", "stale")], hits)
        assert "stale, 1 d old" in done.err
    run("registry", "cache", "clear")
    assert run("registry", "search", "agent").status == 1


def test_one_bundle_is_shown_in_full(run: Any, url: str) -> None:
    done = run("registry", "show", "github:team/tools")
    (entry,) = done.result["entries"]
    assert (entry["title"], [asset["assetName"] for asset in entry["assets"]]) == (
        "Deploy tools",
        ["deploy-all"],
    )
    text = run("registry", "show", "deploy TOOLS", "--format", "text").out
    assert "version:  1.2.0\n" in text
    assert "install:  akm bundle add github:team/tools\n" in text
    assert "deploy-all" in text
    assert "takes no packages of npm" in run("registry", "show", "npm:other", "--format", "text").out
    missing = run("registry", "show", "github:team/tool")
    assert (missing.status, missing.error["code"]) == (1, "ENTRY_NOT_FOUND")
    assert missing.error["hint"] == "Did you mean github:team/tools?"
    assert url


def test_refreshing_asks_anew_and_fails_when_one_does_not_answer(
    run: Any, url: str, server: Server, home: Path
) -> None:
    run("registry", "search", "deploy")
    done = run("registry", "refresh")
    assert (done.status, statuses(done), len(server.asked)) == (0, [("ours", "fresh")], 2)
    before = cached(home)
    configure(home, ours=url, gone=server.url("/gone"))
    done = run("registry", "refresh")
    assert (done.status, done.result["ok"]) == (1, False)
    assert statuses(done) == [("ours", "fresh"), ("gone", "failed")]
    assert f"{server.url('/gone')} answered with status 404" in done.err
    assert [row[0] for row in cached(home)] == [row[0] for row in before]


def test_ctrl_c_ends_a_search_at_once(home: Path, server: Server) -> None:
    is_asked = threading.Event()

    def stall(line: Line) -> None:
        is_asked.set()
        line.stall()

    configure(home, slow=server.reply_raw("/slow", stall))
    child = subprocess.Popen(
        [sys.executable, "-m", "akm", "registry", "search", "x"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert is_asked.wait(30)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=8)  # Less than the server would be waited for.
    assert (child.returncode, out) == (130, "")
    assert json.loads(err) == {"ok": False, "error": "Interrupted.", "code": "INTERRUPTED"}
    assert cached(home) == []


def test_a_reader_that_has_seen_enough_ends_it_quietly(url: str) -> None:
    command = f"{sys.executable} -m akm registry search deploy --format jsonl | head -c 1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("{", "")
    assert url
