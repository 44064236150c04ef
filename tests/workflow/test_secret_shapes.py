"""Which values look like credentials."""

from __future__ import annotations

import pytest

from akm.workflow import secret_shapes
from akm.workflow.secret_shapes import is_secret


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("API_KEY", "x"),
        ("myAccessKey", "x"),
        ("client_secret", "x"),
        ("githubToken", "x"),
        ("bearer", "x"),
        ("v", "sk-0123456789abcdefg"),
        ("v", "github_pat_0123456789"),
        ("v", "xoxb-0123456789abcdef"),
        ("v", "AKIAIOSFODNN7EXAMPLE"),
        ("v", "-----BEGIN PRIVATE KEY-----"),
        ("v", "aB3aB3aB3aB3aB3aB3aB3aB3"),
        ("v", "0123456789abcdef0123456789abcdef"),
    ],
)
def test_names_prefixes_and_random_looking_texts_are_secret(name: str, value: str) -> None:
    assert is_secret(name, value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("token", ""),
        ("v", ""),
        ("v", "sk-short"),
        ("v", "a sentence with Words and 2 numbers, long enough"),
        ("v", "aB3aB3aB3aB3aB3aB3aB3a"),
        ("v", "lowercase-only-but-longish"),
        ("base_branch", "main"),
    ],
)
def test_ordinary_texts_are_not(name: str, value: str) -> None:
    assert not is_secret(name, value)


@pytest.mark.parametrize(
    "value",
    ["/srv/Data-2/releases/2026-12-02", "./Docs/2026/notes-final.md", "https://host.example/Path-7/x?y=1"],
)
def test_a_place_is_no_secret(value: str) -> None:
    assert list(secret_shapes.found({"where": value})) == []
    assert list(secret_shapes.certain({"where": value})) == []


def test_what_merely_looks_random_is_warned_of_and_not_replaced() -> None:
    params = {"tag": "Release-2026-12-02-candidate", "api_token": "abc", "x": "ghp_" + "a1B2" * 8}
    assert [path for path, _ in secret_shapes.found(params)] == ["params.tag", "params.api_token", "params.x"]
    assert [path for path, _ in secret_shapes.certain(params)] == ["params.api_token", "params.x"]
    assert secret_shapes.hidden(params)["tag"] == params["tag"]


def test_secrets_are_hidden_however_deep_and_the_rest_is_shown() -> None:
    params = {"a": [{"api_token": "hush", "n": 1}, "plain"], "password": "hush", "b": None}
    assert secret_shapes.hidden(params) == {
        "a": [{"api_token": secret_shapes.HIDDEN, "n": 1}, "plain"],
        "password": secret_shapes.HIDDEN,
        "b": None,
    }
    assert params["password"] == "hush"
