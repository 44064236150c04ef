"""Files that real people wrote, as far as they are at hand beside the repository."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from akm.workflow.parsing.compile import compile

DATA = Path(__file__).parents[3] / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="real people's files are not at hand")

TODAY = sorted(DATA.glob("workflows/*.md"))
HEADINGS = sorted(path for path in DATA.glob("workflows-old-grammar/*.md") if path.name != "typed-route.md")
REFUSED = {"cwd-escapes", "reference-to-later-step", "unknown-step-key", "no-body-section"}


@pytest.mark.parametrize("path", TODAY, ids=lambda path: path.stem)
def test_a_file_in_todays_grammar_compiles_unchanged(path):
    found = compile(path.read_bytes(), name=path.name)
    assert found.findings == ()
    assert found.document is not None
    assert all(step.instructions for step in found.document.steps)


def test_a_routed_file_compiles():
    path = DATA / "workflows-old-grammar" / "typed-route.md"
    found = compile(path.read_bytes(), name=path.name)
    assert found.findings == ()
    assert found.document is not None


@pytest.mark.parametrize("path", HEADINGS, ids=lambda path: path.stem)
def test_a_file_in_the_heading_grammar_is_explained_once(path):
    found = compile(path.read_bytes(), name=path.name)
    assert [finding.code for finding in found.findings] == ["old-grammar"]


def test_of_the_conformance_files_exactly_the_faulty_ones_are_refused():
    path = DATA / "conformance" / "exec-cases.json"
    cases = json.loads(path.read_text()) if path.exists() else []
    refused = {case["name"] for case in cases if compile(case["file"].encode(), name="x.md").document is None}
    assert refused == (REFUSED if cases else set())
