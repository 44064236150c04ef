"""Registries on the loopback interface, configured for one test, and no waiting between attempts."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from akm.registry import client

INDEX = json.dumps(
    {
        "version": 3,
        "updatedAt": "2026-12-01T00:00:00.000Z",
        "stashes": [
            {
                "id": "github:team/tools",
                "name": "Deploy tools",
                "ref": "team/tools",
                "source": "github",
                "description": "What the team deploys with.",
                "assets": [{"type": "skill", "name": "deploy-all", "description": "Deploy everything."}],
                "latestVersion": "1.2.0",
            },
            {"id": "npm:other", "name": "Other", "ref": "other", "source": "npm"},
        ],
    }
)


def configure(home: Path, *, allow_private: bool = True, **urls: str) -> None:
    """Let there be these registries alone."""
    text = "[registries.official]\nenabled = false\n"
    for name, url in urls.items():
        text += f"[registries.{name}]\nurl = {json.dumps(url)}\nallow_private = {json.dumps(allow_private)}\n"
    (home / "config").mkdir(exist_ok=True)
    (home / "config/config.toml").write_text(text)


def hurry(monkeypatch: pytest.MonkeyPatch, **changed: Any) -> None:
    """Never wait between attempts; `changed` are fields of `Surroundings`."""
    surroundings = replace(client.SURROUNDINGS, sleep=lambda _seconds: None, **changed)
    monkeypatch.setitem(client.get.__kwdefaults__, "surroundings", surroundings)


def wait_a_second_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give up a server that is silent for a second. A busy machine's own servers are, so for few tests."""
    monkeypatch.setattr(client, "LIMITS", replace(client.LIMITS, read_seconds=1.0))


def cached(home: Path) -> list[tuple[str, str, str]]:
    """Read what is kept: key, time and body."""
    if not (home / "data/state.db").exists():
        return []
    with closing(sqlite3.connect(home / "data/state.db")) as db:
        return db.execute(
            "SELECT registry_url, fetched_at, index_json FROM registry_index_cache ORDER BY 1"
        ).fetchall()


def grow_old(home: Path, at: str) -> None:
    """Let everything that is kept be of this moment."""
    with closing(sqlite3.connect(home / "data/state.db")) as db, db:
        db.execute("UPDATE registry_index_cache SET fetched_at = ?", [at])
