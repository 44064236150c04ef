"""Which file a ref or a path means, and how it is spelled."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from akm import refs
from akm.errors import NotFoundError, UsageError


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A project and three bundles whose names are neighbours; `only-team` exists in one, `both` in two."""
    root = Path(os.path.realpath(tmp_path))
    for file in (
        "project/workflows/release.md",
        "project/workflows/nested/deep.md",
        "project/drafts/idea.md",
        "team/workflows/release.md",
        "team/workflows/only-team.md",
        "team/workflows/both.md",
        "team/drafts/idea.md",
        "TEAM/workflows/upper.md",
        "team2/workflows/both.md",
        "elsewhere/loose.md",
    ):
        path = root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    return root


def found(tree: Path, target: str, cwd: str = "project") -> refs.Source:
    bundles = {name: tree / name for name in ("team", "TEAM", "team2")}
    return refs.resolve(target, bundles=bundles, anchor=tree / "project", cwd=tree / cwd)


@pytest.mark.parametrize(
    ("target", "cwd", "ref", "file"),
    [
        ("release", "project", "project//workflows/release", "project/workflows/release.md"),
        ("workflows/release", "project/drafts", "project//workflows/release", "project/workflows/release.md"),
        ("workflows/release.md", "project", "project//workflows/release", "project/workflows/release.md"),
        ("nested/deep", "project", "project//workflows/nested/deep", "project/workflows/nested/deep.md"),
        ("project//workflows/release", "team", "project//workflows/release", "project/workflows/release.md"),
        ("project//drafts/idea", "elsewhere", "project//drafts/idea", "project/drafts/idea.md"),
        ("idea.md", "project/drafts", "project//drafts/idea", "project/drafts/idea.md"),
        ("../project/drafts/idea.md", "team", "project//drafts/idea", "project/drafts/idea.md"),
        ("only-team", "project", "team//workflows/only-team", "team/workflows/only-team.md"),
        ("team//workflows/release", "project", "team//workflows/release", "team/workflows/release.md"),
        ("team//release", "project", "team//workflows/release", "team/workflows/release.md"),
        ("team//workflows/release.md", "project", "team//workflows/release", "team/workflows/release.md"),
        ("workflows/release.md", "team", "team//workflows/release", "team/workflows/release.md"),
        ("team//drafts/idea", "project", "team//drafts/idea", "team/drafts/idea.md"),
        ("TEAM//workflows/upper", "project", "TEAM//workflows/upper", "TEAM/workflows/upper.md"),
        ("team2//workflows/both", "project", "team2//workflows/both", "team2/workflows/both.md"),
    ],
)
def test_a_target_finds_its_file_and_ref(tree: Path, target: str, cwd: str, ref: str, file: str) -> None:
    source = found(tree, target, cwd)
    assert (source.ref, source.path) == (ref, tree / file)
    assert source.bundle == ref.partition("//")[0]
    assert source.root == tree / source.bundle


def test_a_file_outside_everything_keeps_its_path_and_can_be_typed_back(tree: Path) -> None:
    source = found(tree, "loose.md", "elsewhere")
    assert source.ref == f"project//{tree}/elsewhere/loose"
    assert source.root == tree / "project"
    assert found(tree, source.ref) == source


def test_every_canonical_ref_can_be_typed_back(tree: Path) -> None:
    for file in tree.rglob("*.md"):
        source = found(tree, str(file))
        assert found(tree, source.ref, "elsewhere") == source


def test_a_link_into_a_bundle_is_that_bundles_workflow(tree: Path) -> None:
    (tree / "elsewhere/link.md").symlink_to(tree / "team/workflows/only-team.md")
    assert found(tree, "link.md", "elsewhere").ref == "team//workflows/only-team"


def test_the_innermost_bundle_owns_a_file(tree: Path) -> None:
    bundles = {"outer": tree, "team": tree / "team"}
    source = refs.resolve("workflows/both.md", bundles=bundles, anchor=tree / "project", cwd=tree / "team")
    assert source.ref == "team//workflows/both"


def test_a_bundle_rooted_at_the_project_gives_one_identity(tree: Path) -> None:
    bundles = {"own": tree / "project"}
    for target in ("release", "own//workflows/release", "project//workflows/release", "workflows/release.md"):
        source = refs.resolve(target, bundles=bundles, anchor=tree / "project", cwd=tree / "project")
        assert source.ref == "own//workflows/release"


def test_a_name_in_two_bundles_is_ambiguous_and_both_are_named(tree: Path) -> None:
    with pytest.raises(UsageError, match="write team//workflows/both or team2//workflows/both"):
        found(tree, "both")


def test_a_missing_workflow_says_where_it_looked_and_what_is_close(tree: Path) -> None:
    with pytest.raises(NotFoundError, match=f"looked for {tree}/project/workflows/relaese.md") as caught:
        found(tree, "relaese")
    assert caught.value.code == "WORKFLOW_NOT_FOUND"
    assert "Did you mean workflows/release" in (caught.value.hint or "")


@pytest.mark.parametrize("target", ["Team//workflows/release", "tea//workflows/release"])
def test_a_bundle_is_never_matched_nearly(tree: Path, target: str) -> None:
    with pytest.raises(NotFoundError, match="No bundle named") as caught:
        found(tree, target)
    assert "team" in (caught.value.hint or "")


@pytest.mark.parametrize("target", ["./nothing.md", "/nowhere/nothing.md"])
def test_a_missing_file_is_told_as_a_file(tree: Path, target: str) -> None:
    with pytest.raises(NotFoundError, match="There is no file"):
        found(tree, target)


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("", "is empty"),
        ("  ", "is empty"),
        ("team//../team2/workflows/both", "is no ref"),
        ("workflows/../drafts/missing", "is no ref"),
        ("bad name//workflows/x", "is no ref"),
        ("./workflows", "is no ref"),
        ("workflows/nested", "is a directory"),
        ("pipe/fifo.md", "no regular file"),
        ("pipe/notes.txt", "ending in .md"),
    ],
)
def test_what_is_no_workflow_is_refused_in_a_sentence(tree: Path, target: str, sentence: str) -> None:
    (tree / "project/pipe").mkdir()
    os.mkfifo(tree / "project/pipe/fifo.md")
    (tree / "project/pipe/notes.txt").write_text("x")
    with pytest.raises(UsageError, match=sentence):
        found(tree, target)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_refused(tree: Path) -> None:
    (tree / "project/workflows/release.md").chmod(0)
    with pytest.raises(UsageError, match="no permission"):
        found(tree, "release")


def test_a_dangling_link_is_refused(tree: Path) -> None:
    (tree / "project/dangling.md").symlink_to(tree / "nowhere.md")
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        found(tree, "dangling.md")


def test_the_ref_set_holds_each_spelling_once(tree: Path) -> None:
    assert refs.ref_set(found(tree, "release"), "release") == (
        "project//workflows/release",
        "release",
        "workflows/release",
    )
    assert refs.ref_set(found(tree, "only-team"), "team//workflows/only-team") == (
        "team//workflows/only-team",
        "workflows/only-team",
    )


def test_the_short_spelling_of_another_workflow_is_not_in_the_set(tree: Path) -> None:
    assert refs.ref_set(found(tree, "team//workflows/release"), "team//release") == (
        "team//workflows/release",
        "team//release",
    )
    assert found(tree, "team//workflows/both").short is None


@pytest.mark.parametrize(
    ("ref", "is_inside"),
    [
        ("team//workflows/x", True),
        ("team//", True),
        ("TEAM//workflows/x", False),
        ("team2//workflows/x", False),
        ("team/x", False),
        ("team", False),
        ("tea//x", False),
        ("team0", False),
    ],
)
def test_a_bundles_range_holds_its_refs_and_no_neighbours(ref: str, is_inside: bool) -> None:
    low, high = refs.bundle_range("team")
    assert (low <= ref < high) is is_inside


@pytest.mark.parametrize("name", ["team", "TEAM", "a-b_c", "日本", "a!b"])
def test_a_bundle_name_may_be(name: str) -> None:
    assert refs.is_bundle_name(name)


@pytest.mark.parametrize("name", ["", "a b", "a\tb", "a\nb", "a:b", "a.b", "a#b", "a/b", "a\u00a0b", "a\x00"])
def test_a_bundle_name_may_not_be(name: str) -> None:
    assert not refs.is_bundle_name(name)


def test_a_name_that_is_no_text_is_refused_because_no_ledger_could_keep_it(tree: Path) -> None:
    (tree / os.fsdecode(b"project/workflows/caf\xe9.md")).write_text("x")
    for target in ("caf\udce9", "workflows/caf\udce9.md"):
        with pytest.raises(UsageError, match=r"caf\\udce9\.md.* is no UTF-8 text"):
            found(tree, target)


def test_a_file_below_a_folder_whose_name_is_no_text_is_refused(tree: Path) -> None:
    folder = tree / os.fsdecode(b"caf\xe9")
    (tree / "project").rename(folder)
    with pytest.raises(UsageError, match="is no UTF-8 text"):
        refs.resolve("release", bundles={}, anchor=folder, cwd=folder)


@pytest.mark.parametrize("target", ["no\nsuch", "./no\nsuch", "workflows/no\nsuch.md", "team//no\nsuch"])
def test_a_refusal_stays_on_one_line_whatever_was_typed(tree: Path, target: str) -> None:
    with pytest.raises(NotFoundError, match=r"no\\nsuch") as refused:
        found(tree, target)
    assert "\n" not in refused.value.message


def test_a_file_that_ends_in_md_twice_is_told_from_the_one_that_does_once(tree: Path) -> None:
    (tree / "project/workflows/release.md.md").write_text("x")
    source = found(tree, "workflows/release.md.md")
    assert source.path.name == "release.md.md"
    assert [found(tree, spelled) for spelled in refs.ref_set(source, source.ref)] == [source, source]
    assert "workflows/release.md.md" in refs.names({}, tree / "project")
