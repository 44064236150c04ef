"""The documentation says what is true: its code runs, its commands exist, its tables are complete."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from akm import settings
from akm.cli.app import ROOT, root
from akm.cli.lazy import Group
from akm.config_layers import _OTHER_VARIABLES, _SCALARS
from akm.engine.runners.environment import ALLOWLIST, CONTEXT_NAMES
from akm.workflow.parsing.compile import compile as compiled
from akm.workflow.parsing.grammar import envelope, outline, step, timing, unit

HERE = Path(__file__).parents[1]
PAGES = [HERE / "README.md", *sorted((HERE / "docs").rglob("*.md"))]
COMMANDS = (HERE / "docs/commands.md").read_text()
WORKFLOW_FILES = (HERE / "docs/workflow-files.md").read_text()
#: Of other systems; the page says "a few that other systems need".
ELSEWHERE = {
    "SystemRoot",
    "SystemDrive",
    "WINDIR",
    "COMSPEC",
    "PATHEXT",
    "USERPROFILE",
    "HOMEDRIVE",
    "HOMEPATH",
}
ELSEWHERE |= {"APPDATA", "LOCALAPPDATA", "ProgramData", "ProgramFiles", "AKM_EVENT_SOURCE"}


def name(page: Path) -> str:
    return str(page.relative_to(HERE))


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)


def verbs(group: Group = ROOT, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for word, entry in group.commands.items():
        if isinstance(entry, Group):
            yield from verbs(entry, (*path, word))
        else:
            yield (*path, word)


def section(verb: tuple[str, ...]) -> str:
    _, found, rest = COMMANDS.partition(f"\n## akm {' '.join(verb)}\n")
    assert found, f"docs/commands.md has no section about akm {' '.join(verb)}"
    return rest.partition("\n## ")[0]


def command_lines(page: Path) -> Iterator[str]:
    """Find what a reader may type: lines at a prompt, and code that begins with `akm` and a word."""
    text = page.read_text()
    yield from re.findall(r"^\$ (akm .*)$", text, re.MULTILINE)
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    for code in re.findall(r"`(akm\s[^`]+)`", prose):
        yield " ".join(code.split())


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=name)
def test_every_python_example_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    for number, block in enumerate(blocks(page, "python")):
        exec(compile(block, f"{name(page)}[{number}]", "exec"), {"__name__": "example"})


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "markdown")], ids=name)
def test_every_workflow_in_the_docs_compiles_without_findings(page: Path) -> None:
    for block in blocks(page, "markdown"):
        assert compiled(block.encode(), name="example.md").findings == ()


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "toml")], ids=name)
def test_every_configuration_in_the_docs_is_sound(page: Path) -> None:
    for block in blocks(page, "toml"):
        settings.Config.model_validate(tomllib.loads(block))


@pytest.mark.parametrize("verb", [*verbs()], ids=" ".join)
def test_every_command_is_described_with_exactly_its_flags(verb: tuple[str, ...]) -> None:
    command: Any = root()
    for word in verb:
        command = command.get_command(None, word)
    flags = {flag for option in command.params for flag in option.opts if flag.startswith("-")}
    told = set(re.findall(r"(?<![\w-])(--?[a-z][a-z-]*)(?![\w-])", re.sub(r"--NAME", "", section(verb))))
    assert told == flags - {"--format", "--help", "-h"}


def test_no_section_is_about_a_command_that_does_not_exist() -> None:
    told = re.findall(r"^## akm (.+)$", COMMANDS, re.MULTILINE)
    assert sorted(told) == sorted(" ".join(verb) for verb in verbs())


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_command_line_in_the_docs_names_a_command(page: Path) -> None:
    for line in command_lines(page):
        entry: Any = ROOT
        for word in line.split()[1:]:
            if not isinstance(entry, Group) or word.startswith("-"):
                break
            assert word in entry.commands, f"{name(page)}: {line}"
            entry = entry.commands[word]


def test_the_docs_hold_command_lines_at_all() -> None:
    assert sum(len(list(command_lines(page))) for page in PAGES) > 40


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_leads_to_a_file(page: Path) -> None:
    prose = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", prose):
        assert "://" in target or (page.parent / target).exists(), f"{name(page)}: {target}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_file_the_docs_name_exists(page: Path) -> None:
    named = re.findall(r"`((?:akm|tests|examples|alembic|docs|\.ci)/[\w./*-]*)`", page.read_text())
    made = {"alembic/versions/0005_abandon_reason.py", "tests/bench/results.json"}
    for path in set(named) - made:
        assert list(HERE.glob(path)), f"{name(page)}: {path}"


def test_every_decision_is_listed() -> None:
    folder = HERE / "docs/decisions"
    listed = re.findall(r"\]\((.+?)\)", (folder / "README.md").read_text())
    assert sorted(listed) == sorted(page.name for page in folder.glob("*.md") if page.name != "README.md")


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_no_page_holds_a_path_of_somebodys_machine(page: Path) -> None:
    # What a command printed in an example may.
    assert not re.search(r"/(home|Users|root|work)/", page.read_text())


def test_every_key_of_a_workflow_file_is_described() -> None:
    keys = {*envelope.CHECKS, *outline._DEFAULTS, *unit._READERS, *step._KEYS}
    keys |= {
        "params",
        "defaults",
        "budget",
        "steps",
        "max_units",
        "max_tokens",
        "over",
        "concurrency",
        "reducer",
    }
    keys |= {"command", "cwd", "pass_env", "max_loops", "approve"}
    assert [
        key for key in sorted(keys) if f"`{key}" not in WORKFLOW_FILES and f"  {key}:" not in WORKFLOW_FILES
    ] == []


def test_every_failure_reason_is_described() -> None:
    sources = "\n".join(path.read_text() for path in (HERE / "akm/engine").rglob("*.py"))
    made = (
        r'(?:failed|Fault)\(\s*"(\w+)"|failure_reason="(\w+)"|return "(\w+)", f|answered\(terms, "(\w+)"'
        r'|^BLOCKED = "(\w+)"'
    )
    groups = re.findall(made, sources, re.MULTILINE)
    found = {word for group in groups for word in group if word} | {"timeout", "aborted"}
    assert len(found) > 9
    described = set(
        re.findall(r"^\| `(\w+)` \|", WORKFLOW_FILES.partition("## When a unit fails")[2], re.MULTILINE)
    )
    assert found == described
    assert [word for word in timing.RETRY_REASONS if f"`{word}`" not in WORKFLOW_FILES] == []


def test_every_variable_a_unit_gets_is_described() -> None:
    expected = {*ALLOWLIST, *CONTEXT_NAMES} - ELSEWHERE - {"AKM_TASK_INPUTS"}
    assert [word for word in sorted(expected) if f"`{word}`" not in WORKFLOW_FILES] == []


def test_the_variables_named_for_settings_exist() -> None:
    told = set(re.findall(r"`(AKM_[A-Z_]+)`", COMMANDS.partition("## Environment")[2]))
    known = {f"AKM_{'_'.join(key).upper()}" for key in _SCALARS} | set(_OTHER_VARIABLES)
    known |= {f"AKM_{kind}_DIR" for kind in ("CONFIG", "DATA", "STATE", "CACHE")} | {
        "AKM_FORMAT",
        "AKM_DEBUG",
        "AKM_REGISTRY_URL",
    }
    assert told <= known
