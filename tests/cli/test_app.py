"""The frame of the command line: the tree of commands, what it imports, and how every error ends."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from akm import __version__, errors
from akm.cli import app, lazy
from akm.workflow.parsing.findings import Finding

HEAVY = (
    "rich pydantic sqlalchemy sqlmodel alembic yaml requests platformdirs markdown_it filelock json sqlite3"
)
PROBE = """
import sys
before = set(sys.modules)
from akm.__main__ import main
sys.argv = ["akm", *sys.argv[1:]]
main()
print(*sorted(set(sys.modules) - before), file=sys.stderr)
"""


def imported(*arguments: str) -> set[str]:
    command = [sys.executable, "-c", PROBE, *arguments]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stderr.split())


def verbs(commands: Mapping[str, lazy.Verb | lazy.Group]) -> Iterator[lazy.Verb]:
    for entry in commands.values():
        if isinstance(entry, lazy.Group):
            yield from verbs(entry.commands)
        else:
            yield entry


@pytest.fixture
def boom(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], None]:
    """Let `akm info` raise what it is given."""

    def arm(error: BaseException) -> None:
        def info() -> None:
            raise error

        monkeypatch.setattr("akm.cli.info.info", info)

    return arm


def test_the_version_is_answered_before_anything_is_imported() -> None:
    assert {name for name in imported("--version") if not name.startswith("_")} == {"akm", "akm.__main__"}


@pytest.mark.parametrize("arguments", [("--help",), ("workflow", "--help"), ("bundle", "list", "--help")])
def test_help_imports_nothing_heavy_and_no_verb(home: Path, arguments: tuple[str, ...]) -> None:
    assert home.is_dir()
    found = imported(*arguments)
    assert not found & {*HEAVY.split(), "akm.cli.workflow.run", "akm.cli.info"}
    assert "akm.cli.app" in found


def test_a_verb_that_only_reads_imports_nothing_heavy(home: Path) -> None:
    assert home.is_dir()
    assert not imported("bundle", "list") & (set(HEAVY.split()) - {"json"})
    assert not imported("config", "path") & (set(HEAVY.split()) - {"json"})


def test_help_lists_every_command_and_goes_to_standard_output(run: Any) -> None:
    done = run("--help")
    assert done.status == 0
    assert done.err == ""
    assert all(f"  {name} " in done.out for name in app.ROOT.commands)
    assert run("workflow", "-h").out.startswith("Usage: akm workflow [OPTIONS] COMMAND")


def test_every_command_has_a_line_of_help_and_the_expected_place() -> None:
    for verb in verbs(app.ROOT.commands):
        module, _, function = verb.target.partition(":")
        assert module.startswith("akm.cli.")
        assert module.endswith(f".{function}")
        assert verb.help.endswith(".")


def places(
    commands: Mapping[str, lazy.Verb | lazy.Group], above: tuple[str, ...] = ()
) -> Iterator[tuple[str, ...]]:
    for name, entry in commands.items():
        if isinstance(entry, lazy.Group):
            yield from places(entry.commands, (*above, name))
        else:
            yield (*above, name)


@pytest.mark.parametrize("place", list(places(app.ROOT.commands)), ids=" ".join)
def test_help_names_each_value_as_people_do_and_says_each_thing_once(
    run: Any, place: tuple[str, ...]
) -> None:
    shown = " ".join(run(*place, "--help").out.split())
    assert not re.search(r"--[a-z-]+ <", shown), "the type of a value in the program's words"
    assert not re.search(r"required\. \[required\]|\[(\w+)\] \[default: \1\b", shown)


def test_the_version_may_follow_other_options(run: Any) -> None:
    assert run("--format", "json", "--version").out == f"akm {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "error", "hint"),
    [
        (("bundel",), "`akm` has no command 'bundel'.", "Did you mean bundle?"),
        (("workflow", "strat"), "`akm workflow` has no command 'strat'.", "Did you mean status?"),
        (("workflow", "zzzzz"), "`akm workflow` has no command 'zzzzz'.", "See `akm workflow --help`."),
    ],
)
def test_an_unknown_command_names_the_closest(
    run: Any, arguments: tuple[str, ...], error: str, hint: str
) -> None:
    done = run(*arguments)
    assert (done.status, done.out) == (2, "")
    assert done.error == {"ok": False, "error": error, "code": "UNKNOWN_COMMAND", "hint": hint}


def test_a_group_without_a_command_shows_help_on_standard_error(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("bundle").error["code"] == "MISSING_REQUIRED_ARGUMENT"
    monkeypatch.setenv("AKM_FORMAT", "text")
    done = run("bundle")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("Usage: akm bundle [OPTIONS] COMMAND")
    assert done.err.endswith(
        "akm: `akm bundle` needs a command: add, update, list, remove, rename, show.\n"
        "hint: See `akm bundle --help`.\n"
    )


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("info", "--nosuch"), "UNKNOWN_FLAG", "No such option: --nosuch."),
        (("info", "extra"), "INVALID_FLAG_VALUE", "Got unexpected extra argument(s) (extra)."),
        (("bundle", "show"), "MISSING_REQUIRED_ARGUMENT", "Missing argument 'NAME'."),
        (
            ("workflow", "list", "--limit", "few"),
            "INVALID_FLAG_VALUE",
            "Invalid value for '--limit': 'few' is not a whole number.",
        ),
        (
            ("task", "history", "--limit", "few"),
            "INVALID_FLAG_VALUE",
            "Invalid value for '--limit': 'few' is not a whole number.",
        ),
        (("info", "--format"), "INVALID_FLAG_VALUE", "Option '--format' requires an argument."),
        (("info", "--format", "xml"), "INVALID_FLAG_VALUE", "--format must be text, json or jsonl."),
        (("--format", "xml", "info"), "INVALID_FLAG_VALUE", "--format must be text, json or jsonl."),
    ],
)
def test_a_mistake_in_the_arguments_exits_2(
    run: Any, arguments: tuple[str, ...], code: str, sentence: str
) -> None:
    done = run(*arguments)
    assert (done.status, done.out) == (2, "")
    assert (done.error["code"], done.error["error"]) == (code, sentence)


@pytest.mark.parametrize(
    "arguments", [("info", "--nosuch", "--format", "text"), ("--format=text", "info", "--nosuch")]
)
def test_a_mistake_is_told_in_the_format_that_was_asked_for(run: Any, arguments: tuple[str, ...]) -> None:
    assert run(*arguments).err == "akm: No such option: --nosuch.\nhint: See `akm info --help`.\n"


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (errors.UsageError("Said."), 2, "INVALID_FLAG_VALUE"),
        (errors.NotFoundError("Said."), 1, "ASSET_NOT_FOUND"),
        (errors.ConfigError("Said."), 78, "INVALID_CONFIG_FILE"),
        (errors.TransientError("Said."), 75, "STATE_DB_CONTENDED"),
        (errors.OutputError("Said."), 1, "OUTPUT_UNWRITABLE"),
        (errors.AkmError("Said."), 70, None),
    ],
)
def test_each_error_has_its_exit_status_and_envelope(
    run: Any,
    boom: Any,
    monkeypatch: pytest.MonkeyPatch,
    error: errors.AkmError,
    status: int,
    code: str | None,
) -> None:
    monkeypatch.setattr("akm.cli.failure._abandon_output", lambda: None)
    boom(error)
    done = run("info")
    assert (done.status, done.out) == (status, "")
    wanted = {"ok": False, "error": "Said.", "code": code, "hint": error.hint}
    assert done.error == {key: value for key, value in wanted.items() if value is not None}


def test_every_finding_of_a_workflow_file_is_told(run: Any, boom: Any) -> None:
    findings = [Finding(3, "a-code", "First."), Finding(7, "b-code", "Second.", "Did you mean x?")]
    boom(errors.WorkflowSourceError("w.md has 2 faults.", findings, file="w.md"))
    done = run("info", "--format", "text")
    assert done.status == 2
    assert done.err == (
        "akm: w.md has 2 faults.\nw.md:3: First. [a-code]\nw.md:7: Second. Did you mean x? [b-code]\n"
    )
    assert run("info", "--format", "json").error["findings"] == [
        {"file": "w.md", "line": 3, "message": "First.", "code": "a-code"},
        {"file": "w.md", "line": 7, "message": "Second. Did you mean x?", "code": "b-code"},
    ]


def test_a_bug_is_one_sentence_and_a_traceback_only_on_request(
    run: Any, boom: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    boom(KeyError("secret-value"))
    done = run("info", "--format", "text")
    assert done.status == 70
    assert done.err.startswith("akm: This is a bug in akm (KeyError)")
    assert "AKM_DEBUG=1" in done.err
    assert "Traceback" not in done.err
    assert "secret-value" not in done.err
    monkeypatch.setenv("AKM_DEBUG", "1")
    done = run("info")
    assert "Traceback (most recent call last)" in done.err
    assert done.error["code"] == "INTERNAL_ERROR"


def test_an_interrupt_exits_130(run: Any, boom: Any) -> None:
    boom(KeyboardInterrupt())
    assert (run("info").status, run("info").error["code"]) == (130, "INTERRUPTED")


def test_a_commands_own_status_is_the_exit_status(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("akm.cli.info.info", lambda: 1)
    assert run("info").status == 1


def test_a_reader_that_went_away_ends_the_command_quietly(process: Any) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = process("info", stdout=writing)
    os.close(writing)
    assert (done.status, done.err) == (141, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("arguments", [("info",), ("--help",), ("info", "--format", "text")])
def test_a_full_disk_is_told_in_one_sentence(process: Any, arguments: tuple[str, ...]) -> None:
    with open("/dev/full", "w") as full:
        done = process(*arguments, stdout=full)
    assert done.status == 1
    assert "The result cannot be written: No space left on device." in done.err
    assert len(done.err.splitlines()) == 1


def test_info_tells_where_everything_is(run: Any, home: Path) -> None:
    found = run("info").result
    assert found["akm"] == __version__
    assert found["directories"]["data"] == str(home / "data")
    assert found["database"] == {
        "path": f"{home}/data/state.db",
        "synchronous": "full",
        "bytes": None,
        "revision": None,
    }
    assert found["scope"]["anchor"] == str(home / "project")
    assert not (home / "data").exists()
    assert f"database:   {home}/data/state.db (not there yet" in run("info", "--format", "text").out


def test_info_tells_what_is_wrong_with_the_database(run: Any, home: Path) -> None:
    (home / "data").mkdir()
    (home / "data/state.db").write_text("this is no database, however long the text is " * 40)
    found = run("info")
    assert found.status == 0
    assert found.result["database"]["problem"]


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (["akm", "bun"], ["bundle"]),
        (["akm", "config", ""], ["show", "path"]),
        (["akm", "bundle", "list", "--form"], ["--format"]),
        (["akm", "bundle", "list", "--format", "j"], ["json", "jsonl"]),
        (["akm", "nosuch", "x"], []),
    ],
)
def test_the_shell_is_answered_with_completions(
    process: Any, monkeypatch: pytest.MonkeyPatch, words: list[str], completed: list[str]
) -> None:
    monkeypatch.setenv("_AKM_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", " ".join(words))
    monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
    done = process()
    assert (done.status, done.out.split(), done.err) == (0, completed, "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_can_be_shown(run: Any, shell: str) -> None:
    done = run("--show-completion", shell)
    assert done.status == 0
    assert "_AKM_COMPLETE" in done.out


def test_a_completion_script_for_another_shell_is_refused(run: Any) -> None:
    assert run("--show-completion", "tcsh").error["error"] == (
        "There is no completion for 'tcsh': choose bash, zsh or fish."
    )


def test_a_completion_script_is_installed(run: Any, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(home))
    done = run("--install-completion", "fish")
    assert done.result["path"] == str(home / ".config/fish/completions/akm.fish")
    assert "_AKM_COMPLETE" in Path(done.result["path"]).read_text()


def test_workflows_are_completed_from_the_refs_that_exist(home: Path) -> None:
    from akm.cli import completion

    (home / "project/workflows").mkdir()
    (home / "project/workflows/release.md").write_text("x")
    assert completion.targets("work") == ["workflows/release"]
    assert completion.targets("zzz") == []
