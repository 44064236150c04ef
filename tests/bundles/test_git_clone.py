"""Adding bundles from git, from kind and from hostile repositories."""

from __future__ import annotations

import os
import shutil
import tomllib
from pathlib import Path

import pytest
from upstream import Upstream, own_git

from akm import paths
from akm.bundles import adding, clones, configured, removing
from akm.bundles.adding import Added
from akm.errors import ConfigError, NotFoundError, TransientError, UsageError


def add(source: str, name: str | None = None, ref: str | None = None) -> Added:
    return adding.add(source, name=name, ref=ref, cwd=paths.working_directory())


def settings() -> dict[str, str]:
    return dict(tomllib.loads(paths.user_config_file().read_text())["bundles"]["team"])


def left() -> list[str]:
    return sorted(path.name for path in clones.home().iterdir() if path.name != ".lock")


def test_a_repository_is_cloned_pinned_and_shown(upstream: Upstream) -> None:
    commit = upstream.git("rev-parse", "HEAD")
    added = add(upstream.url, "team")
    folder = clones.home() / "team"
    assert settings() == {"path": str(folder), "source": upstream.url, "commit": commit}
    assert added.shown() == {
        "bundle": {
            "name": "team",
            "path": str(folder),
            "origin": f"user file {paths.user_config_file()}",
            "exists": True,
            "workflows": 1,
            "source": upstream.url,
            "commit": commit,
        },
        "contents": {
            "workflows": ["a"],
            "tasks": ["t"],
            "scripts": ["s.sh"],
            "env": [],
            "secrets": [],
            "other": [],
        },
        "date": "2024-05-06T07:08:09.000Z",
    }
    assert (folder / "scripts/s.sh").read_text() == "echo\n"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert left() == ["team"]


def test_the_name_is_made_of_the_repositorys(upstream: Upstream) -> None:
    assert add(upstream.url).bundle.name == "team-bundle"


@pytest.mark.parametrize("kind", ["branch", "tag", "commit", "full name"])
def test_a_ref_is_asked_for_and_written_down(upstream: Upstream, kind: str) -> None:
    commit = upstream.git("rev-parse", "HEAD")
    upstream.git("branch", "old")
    upstream.git("tag", "-a", "v1", "-m", "x")
    upstream.commit({"workflows/b.md": "b\n"})
    ref = {"branch": "old", "tag": "v1", "commit": commit, "full name": "refs/heads/old"}[kind]
    added = add(f"{upstream.url}#{ref}", "team")
    assert (added.bundle.commit, added.bundle.ref, added.contents.workflows) == (commit, ref, ("a",))
    assert settings()["source"] == upstream.url


def test_the_same_again_changes_nothing_and_another_source_is_refused(upstream: Upstream) -> None:
    first = add(upstream.url, "team")
    before = paths.user_config_file().read_bytes()
    upstream.commit({"workflows/b.md": "b\n"})
    assert add(upstream.url, "team") == first
    for other in (f"{upstream.url}#main", f"{upstream.url}/", str(upstream.folder)):
        with pytest.raises(UsageError, match="configured already"):
            add(other, "team")
    assert paths.user_config_file().read_bytes() == before


@pytest.mark.parametrize(
    ("source", "ref", "error", "said"),
    [
        ("{url}", "nowhere", NotFoundError, "no such branch, tag or commit"),
        ("{url}", "a" * 40, NotFoundError, "no such branch, tag or commit"),
        ("git+file:///nowhere/at/all", None, NotFoundError, "does not appear to be a git repository"),
        ("{url}/workflows", None, NotFoundError, "does not appear to be a git repository"),
        ("git+https://127.0.0.1:9/a.git", None, TransientError, "does not reach"),
    ],
)
def test_a_source_that_cannot_be_fetched_is_one_sentence_and_leaves_nothing(
    upstream: Upstream, source: str, ref: str | None, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said) as caught:
        add(source.format(url=upstream.url), "team", ref)
    assert "\n" not in str(caught.value)
    assert left() == []
    assert not paths.user_config_file().exists()


def test_a_repository_without_commits_is_one_sentence(tmp_path: Path) -> None:
    empty = Upstream(tmp_path / "empty")
    with pytest.raises(NotFoundError, match="no such branch, tag or commit"):
        add(empty.url)


def test_without_the_program_git_nothing_is_changed(
    upstream: Upstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(upstream.folder))
    with pytest.raises(ConfigError, match="The program git is not on PATH") as caught:
        add(upstream.url, "team")
    assert caught.value.exit_status == 78
    assert left() == []


def test_nothing_of_a_repository_is_run(
    upstream: Upstream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho $0 $* >> {ran}\ncat\n")
    program.chmod(0o755)
    templates = tmp_path / "templates/hooks"
    templates.mkdir(parents=True)
    for folder in (templates, upstream.folder / ".git/hooks"):
        folder.mkdir(exist_ok=True)
        for hook in ("post-checkout", "reference-transaction", "post-index-change", "fsmonitor-watchman"):
            shutil.copy(program, folder / hook)
    user = tmp_path / "gitconfig"
    user.write_text(
        f"[init]\ntemplateDir = {templates.parent}\n[core]\nhooksPath = {templates}\nfsmonitor = {program}\n"
        f"[filter.evil]\nsmudge = {program}\nclean = {program}\nrequired\n[log]\nshowSignature = true\n"
        f"[diff.evil]\ntextconv = {program}\n"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(user))
    upstream.write({".gitattributes": "* filter=evil diff=evil text eol=crlf ident\n", "x": "$Id$\n"})
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")
    upstream.commit({})
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(user))
    added = add(upstream.url, "team")
    assert not ran.exists(), ran.read_text()
    assert (added.bundle.path / "x").read_bytes() == b"$Id$\n"


def test_submodules_stay_away(upstream: Upstream, tmp_path: Path) -> None:
    inner = Upstream(tmp_path / "inner")
    inner.commit({"workflows/inner.md": "x"})
    upstream.git(
        "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.folder), "workflows/in"
    )
    upstream.commit({})
    assert add(upstream.url, "team").contents.workflows == ("a",)


def test_links_that_lead_out_are_told(upstream: Upstream) -> None:
    (upstream.folder / "workflows/out.md").symlink_to("/etc/passwd")
    (upstream.folder / "workflows/in.md").symlink_to("a.md")
    upstream.commit({})
    added = add(upstream.url, "team")
    assert added.warnings == (
        f"workflows/out.md in {clones.home()}/team is a link that leads out of the bundle.",
    )


def test_a_branch_named_like_an_option_is_never_given_to_git(upstream: Upstream) -> None:
    upstream.git("update-ref", "refs/heads/--upload-pack=touch", "HEAD")
    with pytest.raises(UsageError, match="The ref is none"):
        add(upstream.url, "team", "--upload-pack=touch")
    assert add(upstream.url, "team", "refs/heads/--upload-pack=touch").bundle.workflows == 1


def test_a_rule_of_the_users_leads_to_no_other_protocol(
    upstream: Upstream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for base in (f"file://{upstream.folder}/", f"ext::touch {tmp_path}/ran "):
        user = tmp_path / "gitconfig"
        user.write_text(f'[url "{base}"]\ninsteadOf = "https://github.com/"\n[protocol]\nallow = always\n')
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(user))
        with pytest.raises(NotFoundError, match=r"transport '(file|ext)' not allowed"):
            add("github:acme/team")
    assert not (tmp_path / "ran").exists()


def test_passwords_of_the_users_rules_are_not_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "fatal: unable to access 'https://me:SECRET@host.example/a': Could not resolve host"
    script = f'case " $* " in *" fetch "*) echo "{said}" >&2; exit 128;; esac\nexec $real "$@"'
    monkeypatch.setenv("PATH", own_git(tmp_path / "bin", script))
    with pytest.raises(TransientError, match="does not reach github:acme/team: ") as caught:
        add("github:acme/team")
    assert "'https://host.example/a'" in str(caught.value)
    assert "SECRET" not in str(caught.value)


def test_the_surrounding_repository_is_not_meant(upstream: Upstream, monkeypatch: pytest.MonkeyPatch) -> None:
    # As inside a hook, which git runs with such variables.
    monkeypatch.setenv("GIT_DIR", str(upstream.folder / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(upstream.folder / ".git/index"))
    monkeypatch.setenv("GIT_WORK_TREE", str(upstream.folder))
    assert add(upstream.url, "team").bundle.workflows == 1


def test_a_clone_left_behind_is_taken_up_again_with_what_lies_in_it(upstream: Upstream) -> None:
    folder = add(upstream.url, "team").bundle.path
    (folder / "secrets").mkdir()
    (folder / "secrets/token").write_text("mine")
    assert removing.remove("team").shown()["isClone"] is True
    commit = upstream.commit({"workflows/b.md": "b\n"})
    added = add(upstream.url, "team")
    assert (added.bundle.commit, added.contents.workflows) == (commit, ("a", "b"))
    assert added.contents.secrets == ("token",)


def test_a_clone_left_behind_with_changes_is_not_touched(upstream: Upstream) -> None:
    folder = add(upstream.url, "team").bundle.path
    removing.remove("team")
    (folder / "workflows/a.md").write_text("mine")
    with pytest.raises(UsageError, match=r"were changed since they were fetched: workflows/a\.md"):
        add(upstream.url, "team")
    assert (folder / "workflows/a.md").read_text() == "mine"


@pytest.mark.parametrize("is_repository", [True, False])
def test_something_else_in_the_clones_place_is_not_touched(upstream: Upstream, is_repository: bool) -> None:
    folder = clones.home() / "team"
    if is_repository:
        Upstream(folder).commit({"x": "x"})
    else:
        folder.mkdir(parents=True)
    with pytest.raises(UsageError, match="Something else lies in"):
        add(upstream.url, "team")
    assert folder.is_dir()


def test_two_bundles_never_share_a_clone(upstream: Upstream) -> None:
    add(upstream.url, "team")
    config = paths.user_config_file()
    config.write_text(config.read_text().replace("[bundles.team]", "[bundles.renamed]"))
    with pytest.raises(UsageError, match="is the bundle 'renamed' already"):
        add(upstream.url, "team")


def test_what_a_killed_command_left_is_swept_away(upstream: Upstream) -> None:
    (clones.home() / ".draft-old/team/.git").mkdir(parents=True)
    add(upstream.url, "team")
    assert left() == ["team"]


def test_clones_are_changed_one_at_a_time(upstream: Upstream, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clones, "_LOCK_SECONDS", 0)
    with clones.held(), pytest.raises(TransientError, match="try again") as caught:
        add(upstream.url, "team")
    assert (caught.value.code, left()) == ("BUNDLES_HELD", [])


def test_a_git_that_fails_leaves_nothing(
    upstream: Upstream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = 'case " $* " in *" checkout "*) echo "fatal: no space" >&2; exit 128;; esac\nexec $real "$@"'
    monkeypatch.setenv("PATH", own_git(tmp_path / "bin", script))
    with pytest.raises(NotFoundError, match="no space"):
        add(upstream.url, "team")
    assert left() == []
    assert not paths.user_config_file().exists()


def test_only_clones_are_deleted(upstream: Upstream) -> None:
    add(str(upstream.folder), "own")
    with pytest.raises(UsageError, match="delete it yourself"):
        removing.remove("own", delete=True)
    assert configured.one("own").path == upstream.folder
    link = clones.home() / "link"
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(upstream.folder)
    add(str(link), "linked")
    with pytest.raises(UsageError, match="delete it yourself"):
        removing.remove("linked", delete=True)
    add(upstream.url, "team")
    inside = clones.home() / "team/workflows"
    add(str(inside), "inside")
    with pytest.raises(UsageError, match="delete it yourself"):
        removing.remove("inside", delete=True)
    assert removing.remove("team", delete=True).shown()["deleted"] is True
    assert left() == ["link"]
    assert os.listdir(upstream.folder / "workflows") == ["a.md"]
