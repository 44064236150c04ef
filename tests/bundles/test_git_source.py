"""How sources are written, and which are never given to git."""

from __future__ import annotations

import pytest

from akm.bundles import git_source
from akm.errors import UsageError


@pytest.mark.parametrize(
    ("text", "url", "name", "protocols"),
    [
        ("github:acme/akm.team", "https://github.com/acme/akm.team.git", "akm-team", "https:ssh"),
        ("github:acme/team.git", "https://github.com/acme/team.git", "team", "https:ssh"),
        ("git+https://host.example/a/b", "https://host.example/a/b", "b", "https:ssh"),
        ("https://host.example:8443/a/b.git", "https://host.example:8443/a/b.git", "b", "https:ssh"),
        ("git+ssh://git@host.example/b.git", "ssh://git@host.example/b.git", "b", "https:ssh"),
        ("git@host.example:a/b.git", "git@host.example:a/b.git", "b", "https:ssh"),
        ("git+git@host.example:b", "git@host.example:b", "b", "https:ssh"),
        ("git+file:///srv/-x-/_team_/", "file:///srv/-x-/_team_/", "_team_", "file"),
    ],
)
def test_sources_are_read(text: str, url: str, name: str, protocols: str) -> None:
    found = git_source.parse(text)
    assert found is not None
    assert (found.text, found.url, found.name, found.protocols) == (text, url, name, protocols)
    assert found.ref is None


@pytest.mark.parametrize(
    "text", ["team", "./a#b", "/srv/team", "file:../team", "file:///srv/team", "a:b", "git@h:-a"]
)
def test_anything_else_is_a_folder(text: str) -> None:
    assert git_source.parse(text) is None


@pytest.mark.parametrize(
    ("text", "path"), [("file:../a", "../a"), ("file:///srv/a", "/srv/a"), ("file:/b", "/b"), ("c", "c")]
)
def test_a_folder_may_be_written_with_file(text: str, path: str) -> None:
    assert git_source.folder(text) == path


def test_a_ref_stands_after_the_source_or_beside_it() -> None:
    written = git_source.parse("github:a/b#v1.0")
    assert written is not None
    assert (written.text, written.ref) == ("github:a/b", "v1.0")
    assert git_source.parse("github:a/b", ref="v1.0") == written
    assert git_source.parse("github:a/b#v1.0", ref="v1.0") == written
    with pytest.raises(UsageError, match="one of them"):
        git_source.parse("github:a/b#v1.0", ref="v2")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-u",
        "--upload-pack=x",
        "npm:left-pad",
        "github:acme",
        "github:acme/..",
        "github:../x",
        "github:-a/b",
        "github:a/b/c",
        "git+ext::sh -c touch% /tmp/x",
        "git+ext::sh",
        "ext::sh://x",
        "git+http://host.example/a.git",
        "http://host.example/a.git",
        "git+ftp://host.example/a",
        "git+https://",
        "git+https://host.example",
        "git+https://host.example/",
        "git+https://host.example:port/a",
        "git+https://host.example/a?token=SECRET",
        "git+https://me:SECRET@host.example/a",
        "git+https://SECRET@host.example/a",
        "git+https://git@host.example/a",
        "git+ssh://me@host.example/a",
        "git+ssh://git:SECRET@host.example/a",
        "git+ssh://-oProxyCommand=x/a",
        "git+ssh://git@-oProxyCommand=x/a",
        "git+ssh://host.example/-a",
        "git+git@-oProxyCommand=x:a",
        "git+file://elsewhere/a",
        "git+file:a",
        "git+/srv/a",
        "git+--upload-pack=x",
        "git+https://host.example/a\nb",
        "git+https://host.example/a b",
    ],
)
def test_what_git_must_not_be_given_is_refused_and_no_secret_repeated(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        git_source.parse(text)
    assert "SECRET" not in caught.value.message


@pytest.mark.parametrize("ref", ["main", "v1.0", "release/2", "refs/pull/1/head", "HEAD", "a" * 40, "ü"])
def test_refs_that_git_knows_pass(ref: str) -> None:
    found = git_source.parse("github:a/b", ref=ref)
    assert found is not None
    assert found.ref == ref


@pytest.mark.parametrize(
    "ref",
    [
        *(
            "-x",
            "--upload-pack=x",
            "+main",
            "/a",
            "a..b",
            "a b",
            "a:b",
            "a~1",
            "a^",
            "a*",
            "a?",
            "a[",
            "a\\b",
        ),
        *("a@{1}", "a//b", "a/", "a.", "a.lock", "a\nb", "a\0b"),
    ],
)
def test_refs_that_could_mean_something_else_to_git_are_refused(ref: str) -> None:
    with pytest.raises(UsageError, match="The ref is none"):
        git_source.parse("github:a/b", ref=ref)


def test_a_name_of_nothing_legal_is_empty() -> None:
    assert git_source.legal_name("/srv/...") == ""
    assert git_source.legal_name("/srv/my team.v2") == "my-team-v2"
