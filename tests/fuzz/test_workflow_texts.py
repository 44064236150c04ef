"""Any workflow file becomes findings or a plan, and a plan is the same each time and after its JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import workflow_texts
from effort import fuzz
from hypothesis import strategies as st
from refusals import check_sentence, outcome

from akm.engine import sources, workplace
from akm.engine.files import converting, creating, linting
from akm.engine.workplace import Workplace
from akm.errors import UsageError
from akm.workflow.conversion.convert import convert
from akm.workflow.parsing.compile import compile
from akm.workflow.parsing.findings import Finding
from akm.workflow.plan_text.plan_json import decode, digest, encode

CHILD = """---
type: workflow
params: { a: {}, b: { default: 1 } }
steps: [{ id: x, unit: { exec: { command: ["true"] } } }]
---
"""
CONFIG = """
[defaults]
engine = "writer"

[engines.writer]
kind = "agent"
command = ["true"]

[engines.model]
kind = "llm"
base_url = "https://models.example/v1"
model = "small"

[workflow]
judge_engine = "model"
"""


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workplace:
    """A project with engines and a child workflow."""
    for folder in (".git", ".akm", "workflows"):
        (tmp_path / "p" / folder).mkdir(parents=True)
    (tmp_path / "p" / ".akm" / "config.toml").write_text(CONFIG)
    (tmp_path / "p" / "workflows" / "child.md").write_text(CHILD)
    monkeypatch.chdir(tmp_path / "p")
    return workplace.here()


def check_finding(finding: Finding, raw: bytes) -> None:
    assert 1 <= finding.line <= raw.count(b"\n") + raw.count(b"\r") + 2
    check_sentence(finding.message)
    assert finding.suggestion is None or finding.suggestion.isprintable(), finding


def is_sound(work: Workplace, file: Path) -> bool:
    """Lint a file; a sound one freezes, twice to the same plan, which reads back from its JSON as it is."""
    (checked,) = linting.lint(work, [str(file)])
    for finding in checked.findings:
        check_finding(finding, file.read_bytes())
    if not checked.is_sound:
        return False
    loaded = sources.load(work, str(file))
    texts = {encode(sources.frozen(work, loaded, strict=False).plan) for _again in range(2)}
    (text,) = texts
    plan = sources.frozen(work, loaded, strict=False).plan
    assert decode(text) == plan
    assert encode(decode(text)) == text
    assert digest(text) == digest(encode(plan))
    outcome(lambda: sources.frozen(work, loaded, strict=True))
    return True


def check(work: Workplace, raw: bytes) -> None:
    file = work.anchor / "workflows" / "w.md"
    file.write_bytes(raw)
    sound = is_sound(work, file)
    assert not sound or compile(raw, name="w.md").document is not None
    check_converted(work, file, raw)
    check_created(work, raw)


def check_converted(work: Workplace, file: Path, raw: bytes) -> None:
    """What is converted is a workflow, and stays as it is when it is converted once more."""
    made = convert(raw, name="w.md")
    assert (made.text is None) == any(finding.is_error for finding in made.findings)
    if made.text is None:
        with pytest.raises(UsageError):
            converting.convert(file)
        return
    assert convert(made.text.encode(), name="w.md").text == made.text
    if made.is_changed:
        file.write_bytes(made.text.encode())
        # Whether it freezes is the engines' business; that it compiles is the converter's.
        is_sound(work, file)
        assert compile(made.text.encode(), name="w.md", root=work.anchor).document is not None
    else:
        assert made.text.encode() == raw


def check_created(work: Workplace, raw: bytes) -> None:
    """What is created compiles where it stands; what is refused is not written."""
    made = work.anchor / "workflows" / "made.md"
    made.unlink(missing_ok=True)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return
    try:
        creating.create(work, "made", text=text)
    except UsageError:
        assert not made.exists()
        return
    linted = linting.lint(work, [str(made)])[0]
    assert compile(made.read_bytes(), name="made.md", root=work.anchor).document is not None, linted


@fuzz(300, raw=workflow_texts.mutated())
def test_a_mutated_real_file_becomes_findings_or_a_plan(raw: bytes, work: Workplace) -> None:
    check(work, raw)


@fuzz(300, raw=workflow_texts.structured())
def test_frontmatter_of_any_keys_becomes_findings_or_a_plan(raw: bytes, work: Workplace) -> None:
    check(work, raw)


lines: Any = st.text(max_size=40) | workflow_texts.PIECES.map(
    lambda raw: raw.decode(errors="surrogateescape")
)


@fuzz(150, parts=st.lists(lines, max_size=12), fenced=st.booleans())
def test_any_text_becomes_findings_or_a_plan(parts: list[str], fenced: bool, work: Workplace) -> None:
    text = "\n".join(["---", "type: workflow", *parts, "---"]) if fenced else "".join(parts)
    check(work, text.encode(errors="surrogatepass"))
