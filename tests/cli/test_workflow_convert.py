"""`akm workflow convert`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parents[3] / "shared" / "data" / "workflows-old-grammar"
REAL = sorted(path for path in DATA.glob("*.md") if path.name != "typed-route.md")

OLD = """---
params:
  ref: Asset
---

# Workflow: Improve

## Step: Capture
Step ID: cap.ture

### Instructions
Do it — naïvely.

### Completion Criteria
- Done.

## Step: Decide
Step ID: decide

### Instructions
Decide.
"""


@pytest.fixture
def old(home: Path) -> Path:
    file = home / "project/workflows/old.md"
    file.parent.mkdir()
    file.write_text(OLD)
    return file


def test_the_text_is_printed_and_the_notes_are_said(run: Any, old: Path) -> None:
    done = run("workflow", "convert", "workflows/old.md")
    assert done.status == 0
    assert done.out.startswith("---\ntype: workflow\nparams:\n")
    assert "The step `cap.ture` is called `cap-ture` now." in done.err
    assert old.read_text() == OLD
    assert run("workflow", "convert", str(old), "--format", "text").out == done.out


def test_json_holds_the_text_and_the_notes(run: Any, old: Path) -> None:
    printed = run("workflow", "convert", str(old))
    result = run("workflow", "convert", str(old), "--format", "json").result
    assert result.keys() == {"ok", "path", "text", "notes"}
    assert (result["path"], result["text"]) == (str(old), printed.out)
    assert "\n".join(result["notes"]) + "\n" == printed.err


def test_a_written_file_lints_and_plans_and_the_old_one_is_kept(run: Any, old: Path) -> None:
    text = run("workflow", "convert", str(old)).out
    (old.parent / "old.md.bak").write_text("older")
    old.chmod(0o640)
    done = run("workflow", "convert", str(old), "--write").result
    assert done["backup"] == f"{old}.bak.1"
    assert Path(done["backup"]).read_text() == OLD
    assert (old.parent / "old.md.bak").read_text() == "older"
    assert (old.read_text(), old.stat().st_mode & 0o777) == (text, 0o640)
    assert sorted(file.name for file in old.parent.iterdir()) == ["old.md", "old.md.bak", "old.md.bak.1"]
    linted = run("workflow", "lint", str(old)).result
    assert linted["summary"]["errors"] == 0
    planned = run("workflow", "plan", str(old)).result["steps"]
    assert [(step["stepId"], step["inputs"]) for step in planned] == [
        ("cap-ture", []),
        ("decide", ["steps.cap-ture.output"]),
    ]


@pytest.mark.skipif(not DATA.is_dir(), reason="real people's files are not at hand")
@pytest.mark.parametrize("path", REAL, ids=lambda path: path.stem)
def test_a_real_file_lints_and_plans_once_it_is_converted(run: Any, old: Path, path: Path) -> None:
    old.write_bytes(path.read_bytes())
    assert run("workflow", "convert", str(old), "--write").status == 0
    assert run("workflow", "lint", str(old)).result["summary"]["errors"] == 0
    planned = run("workflow", "plan", str(old)).result
    assert len(planned["steps"]) == path.read_text().count("\n## Step: ")
    assert all(step["gate"]["criteria"] for step in planned["steps"])


def test_a_link_to_a_file_stays_a_link(run: Any, old: Path, home: Path) -> None:
    link = home / "project/link.md"
    link.symlink_to(old)
    assert run("workflow", "convert", "link.md", "--write").result["backup"] == f"{old}.bak"
    assert link.is_symlink()
    assert old.read_text().startswith("---\ntype: workflow\n")


def test_a_file_in_todays_grammar_stays_as_it_is(run: Any, old: Path) -> None:
    run("workflow", "convert", str(old), "--write")
    text = old.read_text()
    printed = run("workflow", "convert", str(old))
    assert (printed.status, printed.out) == (0, text)
    assert "nothing to convert" in printed.err
    written = run("workflow", "convert", str(old), "--write")
    assert (written.status, "backup" in written.result) == (0, False)
    assert not (old.parent / "old.md.bak.1").exists()
    assert run("workflow", "convert", str(old), "--write", "--format", "text").out == ""


@pytest.mark.parametrize(
    ("text", "lines", "words"),
    [
        (
            OLD.replace("Step ID: decide\n", "").replace("### Instr", "### Extr", 1),
            [8, 11, 17],
            "cannot be conv",
        ),
        (OLD.replace("params:", "tags: x\nparams:"), [2], "cannot be conv"),
        (OLD.replace("params:", "budget: x\nparams:"), [3], "cannot be conv"),
        ("Only prose.\n", [1], "no workflow of an older grammar"),
    ],
)
def test_a_file_that_cannot_be_converted_stays_and_says_why(
    run: Any, old: Path, text: str, lines: list[int], words: str
) -> None:
    old.write_text(text)
    done = run("workflow", "convert", str(old), "--write")
    assert (done.status, done.out, old.read_text()) == (2, "", text)
    assert words in done.error["error"]
    assert [finding["line"] for finding in done.error["findings"]] == lines


def test_a_file_that_is_not_there_is_not_found(run: Any) -> None:
    done = run("workflow", "convert", "nowhere.md")
    assert (done.status, done.error["code"]) == (1, "FILE_NOT_FOUND")


def test_lint_and_run_say_which_command_converts(run: Any, old: Path) -> None:
    assert "akm workflow convert FILE" in run("workflow", "lint", str(old)).out
    assert "akm workflow convert FILE" in run("workflow", "run", str(old)).err
