"""From bytes to lines: limits, encodings, line ends and the fences of the frontmatter."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from akm.workflow.parsing.compile import compile
from akm.workflow.parsing.findings import Finding

GOOD = b"---\ntype: workflow\nsteps:\n  - id: tag\n---\n\n## tag\n\nTag it.\n"


def only(raw: bytes, name: str = "release.md") -> Finding:
    compiled = compile(raw, name=name)
    assert compiled.document is None
    (finding,) = compiled.findings
    return finding


def test_a_small_file_becomes_a_document_titled_by_its_name():
    compiled = compile(GOOD, name="team/release.md")
    assert compiled.findings == ()
    assert compiled.document is not None
    assert compiled.document.title == "release"
    assert compiled.document.source_hash == hashlib.sha256(GOOD).hexdigest()


def test_the_extension_counts_in_any_case():
    assert compile(GOOD, name="Release.MD").document is not None


@pytest.mark.parametrize("name", ["release.txt", "release", ".md", "release.md.bak", ""])
def test_another_extension_is_refused_on_line_one(name):
    finding = only(GOOD, name)
    assert (finding.line, finding.code) == (1, "unsupported-workflow-extension")


def test_a_yaml_file_is_told_how_to_become_markdown():
    finding = only(b"jobs: {}\n", "deploy.yaml")
    assert finding.code == "unsupported-workflow-extension"
    assert "below `## <id>`" in finding.message
    assert finding.suggestion == "deploy.md"


def test_a_readme_is_never_a_workflow():
    assert only(GOOD, "README.md").code == "not-a-workflow"


def test_a_file_above_one_mib_is_one_finding_that_names_the_limit():
    assert "1 MiB" in only(GOOD + b"x" * (2 << 20)).message


def test_a_file_of_exactly_one_mib_is_accepted():
    # Filled up before the first section, since a section has a limit of its own.
    filler = b"\n" * ((1 << 20) - len(GOOD))
    assert compile(GOOD.replace(b"\n## tag", filler + b"\n## tag"), name="a.md").document is not None
    assert compile(GOOD + filler + b"\n", name="a.md").document is None


def test_invalid_utf8_is_reported_on_the_line_of_its_first_bad_byte():
    finding = only(GOOD + b"caf\xe9\n")
    assert finding.line == 10
    assert "0xe9" in finding.message


def test_a_nul_byte_is_refused_on_its_line():
    assert only(GOOD + b"\r\na\0b").line == 11


def test_a_byte_order_mark_is_dropped_and_hashed():
    raw = b"\xef\xbb\xbf" + GOOD
    compiled = compile(raw, name="a.md")
    assert compiled.document is not None
    assert compiled.document.source_hash == hashlib.sha256(raw).hexdigest()


@pytest.mark.parametrize("line_end", [b"\r\n", b"\r"])
def test_foreign_line_ends_give_the_same_text(line_end):
    raw = GOOD.replace(b"Tag it.", b"Tag it.\n\nThen push.")
    plain = compile(raw, name="a.md").document
    foreign = compile(raw.replace(b"\n", line_end), name="a.md").document
    assert plain is not None
    assert foreign is not None
    assert foreign.steps == plain.steps
    assert foreign.steps[0].instructions == "Tag it.\n\nThen push."


@pytest.mark.parametrize("raw", [b"", b"\n", b"# Release\n", b"\n---\nsteps: []\n---\n", b"----\n"])
def test_a_file_without_frontmatter_is_told_to_begin_with_it(raw):
    assert "does not begin with YAML frontmatter" in only(raw).message


def test_a_frontmatter_without_end_is_one_finding():
    assert "never closed" in only(b"---\ntype: workflow\n").message


def test_blanks_after_the_fences_do_not_count():
    assert compile(GOOD.replace(b"---\n", b"---  \n"), name="a.md").document is not None


def test_another_type_is_not_a_workflow_and_gets_no_other_finding():
    finding = only(GOOD.replace(b"type: workflow", b"type: skill"))
    assert (finding.line, finding.code) == (2, "not-a-workflow")


PIECES = st.sampled_from(
    b'- |: |{|}|[|]|"|\n|\n---\n|&a |*a|<<: |\xff|\t|? |>\n|\r|.inf|9e999|\\0|route: |map: |with: |from: |'
    b"unit: |id: |## tag\n|## Step: x\n|### gate\n|%YAML 9\n|...\n|\0|!!int |~|<!--|steps: |params: |a"
    b"|- id: a\n".split(b"|")
)


@settings(max_examples=100, deadline=None, database=None)
@given(
    st.one_of(
        st.binary(max_size=200),
        st.lists(PIECES, max_size=30).map(lambda parts: b"---\n" + b"".join(parts) + b"\n---\n"),
        st.tuples(st.integers(0, len(GOOD)), st.lists(PIECES, max_size=6)).map(
            lambda cut: GOOD[: cut[0]] + b"".join(cut[1]) + GOOD[cut[0] :]
        ),
    )
)
def test_any_bytes_give_findings_and_never_an_exception(raw):
    compiled = compile(raw, name="a.md")
    assert (compiled.document is None) == any(finding.is_error for finding in compiled.findings)
    for finding in compiled.findings:
        assert finding.line >= 1
        assert "\n" not in finding.message


def test_a_file_full_of_faults_is_cut_off_with_their_number():
    sections = b"".join(b"## no%d\n\nX.\n\n" % number for number in range(3000))
    compiled = compile(GOOD + sections, name="a.md")
    assert compiled.document is None
    assert len(compiled.findings) == 201
    assert "2800 more findings" in compiled.findings[-1].message
