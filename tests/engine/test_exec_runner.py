"""Exec units from their dispatch to their outcome."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from runner_dispatches import a_command, a_dispatch, python, run

from akm.engine.abort import Abort
from akm.engine.runners import ending, supervision
from akm.engine.runners.base import Outcome
from akm.engine.runners.patience import Patience
from akm.engine.runners.process import Exit

LIMIT = 8 * 1024 * 1024
MARKER = "[__akm_exec_output_truncated__]"
FLOOD = "head -c 9M /dev/zero | tr '\\0' x"
NINE_MIB = ("sh", "-c", FLOOD)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    made = tmp_path / "base"
    made.mkdir()
    return made


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervision, "PATIENCE", Patience(drain_ms=150, terminate_ms=200))


def execute(base: Path, *argv: str, **overrides: Any) -> Outcome:
    target = {key: overrides.pop(key) for key in ("cwd", "pass_env", "timeout_ms") if key in overrides}
    return run(a_dispatch(a_command(base, *argv, **target), **overrides))


def outcome_of(base: Path, *argv: str, **overrides: Any) -> tuple[str | None, str]:
    """Return reason and diagnostic of a unit that must fail."""
    outcome = execute(base, *argv, **overrides)
    assert outcome.status == "failed"
    assert outcome.diagnostic is not None
    return outcome.failure_reason, outcome.diagnostic


def test_artifact_is_the_output_without_newlines_at_its_end(base: Path) -> None:
    outcome = execute(base, "printf", "\n a \n\r\n\n")
    assert (outcome.status, outcome.text, outcome.has_result) == ("completed", "\n a ", False)


def test_output_of_newlines_only_is_no_output(base: Path) -> None:
    assert execute(base, "echo").text is None


def test_nul_bytes_in_text_are_kept_with_a_warning(base: Path) -> None:
    outcome = execute(base, "printf", r"a\0b")
    assert outcome.text == "a\0b"
    assert "holds NUL bytes" in outcome.warnings[0]


@pytest.mark.parametrize("flood", ["head -c 9M /dev/zero", r"head -c 9M /dev/zero | tr '\0' '\377'"])
def test_what_is_no_text_is_kept_to_a_sixth_because_it_grows_when_stored(base: Path, flood: str) -> None:
    text = str(execute(base, "sh", "-c", flood).text)
    kept, _, counts = text.partition(f"\n{MARKER}\n")
    assert len(kept) == LIMIT // 6
    assert counts == (
        f"bytes written: 9437184\nbytes retained: {LIMIT // 6}\nbytes discarded: {9437184 - LIMIT // 6}"
    )


def test_output_that_is_not_utf8_is_replaced_with_a_warning(base: Path) -> None:
    outcome = execute(base, "printf", r"a\377b")
    assert outcome.text == "a\N{REPLACEMENT CHARACTER}b"
    assert "not UTF-8" in outcome.warnings[0]


def test_process_sees_the_allowlist_and_its_context_only(base: Path) -> None:
    surrounding = {"PATH": os.environ["PATH"], "SECRET": "s", "WANTED": "w"}
    code = "import json, os; print(json.dumps(dict(os.environ)))"
    outcome = execute(base, *python(code), environment=surrounding, pass_env=("WANTED", "AKM_RUN_ID"))
    seen = json.loads(str(outcome.text))
    seen.pop("LC_CTYPE", None)
    assert seen == {
        "PATH": os.environ["PATH"],
        "WANTED": "w",
        "AKM_RUN_ID": "run-1",
        "AKM_STEP_ID": "build",
        "AKM_UNIT_ID": "build:solo",
        "AKM_PARAMS": "{}",
    }


def test_exit_status_is_reported_with_the_end_of_stderr_and_never_the_arguments(base: Path) -> None:
    code = "import sys; print('part'); sys.stderr.write('early\\n' * 9999 + 'last words\\n'); sys.exit(3)"
    outcome = execute(base, *python(code))
    diagnostic = str(outcome.diagnostic)
    assert outcome.failure_reason == "non_zero_exit"
    assert outcome.text == "part"
    assert diagnostic.startswith('exec unit "build:solo" ran "')
    assert "(4 arguments) and it exited 3. stderr:\n…early\n" in diagnostic
    assert diagnostic.endswith("last words")
    assert "import sys" not in diagnostic
    assert len(diagnostic) < 2000


def test_partial_output_of_a_failed_unit_is_clipped(base: Path) -> None:
    outcome = execute(base, "sh", "-c", "head -c 9000 /dev/zero | tr '\\0' x; exit 1")
    assert outcome.text == "x" * 2000 + "…"


def test_death_by_signal_is_a_non_zero_exit_that_names_the_signal(base: Path) -> None:
    reason, diagnostic = outcome_of(base, "sh", "-c", "kill -KILL $$")
    assert reason == "non_zero_exit"
    assert "killed by SIGKILL" in diagnostic


def test_nine_mebibytes_without_schema_are_cut_with_all_counts(base: Path) -> None:
    text = str(execute(base, *NINE_MIB).text)
    assert text[:LIMIT] == "x" * LIMIT
    assert text[LIMIT:] == (
        f"\n{MARKER}\nbytes written: 9437184\nbytes retained: 8388608\nbytes discarded: 1048576"
    )


def test_exit_status_stays_real_when_output_is_cut(base: Path) -> None:
    reason, diagnostic = outcome_of(base, "sh", "-c", f"{FLOOD}; exit 7")
    assert reason == "non_zero_exit"
    assert "exited 7" in diagnostic


def test_cut_output_is_never_parsed(base: Path) -> None:
    code = "import sys; sys.stdout.write('1' + ' ' * (9 * 1024 * 1024))"
    outcome = execute(base, *python(code), schema={"type": "integer"})
    assert (outcome.failure_reason, outcome.text) == ("exec_output_limit", None)


@pytest.mark.usefixtures("impatient")
def test_background_process_that_keeps_stdout_fails_the_capture(base: Path) -> None:
    outcome = execute(base, "sh", "-c", "echo x; sleep 60 2>/dev/null &")
    assert (outcome.failure_reason, outcome.text) == ("exec_capture_incomplete", None)


@pytest.mark.usefixtures("impatient")
def test_background_process_that_keeps_stderr_only_warns(base: Path) -> None:
    outcome = execute(base, "sh", "-c", "echo x; sleep 2 >/dev/null &")
    assert (outcome.status, outcome.text) == ("completed", "x")
    assert "error output" in outcome.warnings[0]


@pytest.mark.usefixtures("impatient")
def test_non_zero_exit_comes_before_a_capture_that_is_incomplete(base: Path) -> None:
    assert outcome_of(base, "sh", "-c", "sleep 60 & exit 3")[0] == "non_zero_exit"


def test_timeout_says_how_long_and_keeps_what_was_written(base: Path) -> None:
    outcome = execute(base, "sh", "-c", "echo so far; sleep 60", timeout_ms=300)
    assert outcome.failure_reason == "timeout"
    assert "300 ms" in str(outcome.diagnostic)
    assert outcome.text == "so far"


def test_abort_is_the_reason_when_a_timeout_came_too() -> None:
    abort = Abort()
    abort.set("SIGINT")
    command = ending.Command("unit", "make", 0, 300, abort)
    outcome = ending.failure(command, Exit(-15, was_aborted=True, timed_out=True), structured=False)
    assert outcome is not None
    assert outcome.failure_reason == "aborted"
    assert "SIGINT" in str(outcome.diagnostic)


def test_abort_before_the_start_starts_nothing(base: Path) -> None:
    dispatch = a_dispatch(a_command(base, "touch", "marker"))
    dispatch.abort.set("SIGTERM")
    outcome = run(dispatch)
    assert outcome.failure_reason == "aborted"
    assert "SIGTERM" in str(outcome.diagnostic)
    assert not (base / "marker").exists()


def test_context_at_its_limit_reaches_the_process_and_one_byte_more_starts_nothing(base: Path) -> None:
    item = "x" * (98_304 - 2)
    assert execute(base, "sh", "-c", "echo ${#AKM_ITEM}", index=0, item=item).text == "98304"
    reason, diagnostic = outcome_of(base, "touch", "marker", index=0, item=item + "x")
    assert reason == "exec_context_too_large"
    assert "AKM_ITEM" in diagnostic
    assert not (base / "marker").exists()


def test_argument_larger_than_the_system_takes_is_told_with_the_systems_limit(base: Path) -> None:
    reason, diagnostic = outcome_of(base, "true", "x" * 3_000_000)
    assert reason == "exec_context_too_large"
    assert str(os.sysconf("SC_ARG_MAX")) in diagnostic


@pytest.mark.parametrize("cwd", ["..", "../..", "a/../..", "/", "/etc", "out", "out/inner"])
def test_cwd_outside_the_base_starts_nothing(base: Path, cwd: str) -> None:
    outside = base.parent / "outside" / "inner"
    outside.mkdir(parents=True)
    (base / "out").symlink_to(outside.parent)
    (base / "a").mkdir()
    marker = base.parent / "marker"
    assert outcome_of(base, "touch", str(marker), cwd=cwd)[0] == "exec_cwd_escape"
    assert not marker.exists()


def test_cwd_may_be_reached_through_a_link_that_stays_inside(base: Path) -> None:
    (base / "real").mkdir()
    (base / "link").symlink_to("real")
    assert execute(base, "pwd", cwd="link").text == str(base / "real")


def test_cwd_that_is_no_directory_and_a_base_that_is_gone_are_spawn_failures(base: Path) -> None:
    (base / "file").touch()
    for cwd in ("missing", "file"):
        assert outcome_of(base, "true", cwd=cwd)[0] == "spawn_failed"
    base.joinpath("file").unlink()
    base.rmdir()
    reason, diagnostic = outcome_of(base, "true")
    assert reason == "spawn_failed"
    assert str(base) in diagnostic


def test_program_is_looked_up_on_the_units_path(base: Path) -> None:
    (base / "bin").mkdir()
    tool = base / "bin" / "tool"
    tool.write_text("#!/bin/sh\necho mine $0\n")
    tool.chmod(0o755)
    assert outcome_of(base, "tool")[0] == "spawn_failed"
    assert execute(base, "tool", environment={"PATH": f"/nowhere:{tool.parent}"}).text == f"mine {tool}"
    assert str(execute(base, "tool", environment={"PATH": "bin"}).text).startswith("mine ")
    assert execute(base, "bin/tool").text == "mine bin/tool"
    assert execute(base, "./tool", cwd="bin").text == "mine ./tool"


def test_every_refusal_to_start_is_one_sentence_that_says_why(base: Path) -> None:
    for name, text, mode in (
        ("plain", "#!/bin/sh\n", 0o644),
        ("orphan", "#!/no/such/interpreter\n", 0o755),
        ("garbage", "\x7fELF nonsense", 0o755),
    ):
        (base / name).write_text(text)
        (base / name).chmod(mode)
    for argv, why in {
        ("no-such-program",): "PATH",
        ("./missing",): "no such file",
        ("./plain",): "not executable",
        (".",): "PATH",
        ("./",): "not executable",
        ("./orphan",): "interpreter",
        ("./garbage",): "neither a program",
        ("",): "empty",
        (): "empty",
        ("true", "a\0b"): "NUL",
        ("true", "\ud800"): "surrogate",
    }.items():
        reason, diagnostic = outcome_of(base, *argv)
        assert (argv, reason) == (argv, "spawn_failed")
        assert why in diagnostic
        assert "\n" not in diagnostic
        assert "Errno" not in diagnostic


@pytest.mark.parametrize(
    ("printed", "value"),
    [
        (' \\n{"a": [1, 2.5, null]}\\n', {"a": [1, 2.5, None]}),
        ("0", 0),
        ("null", None),
        ('"\\\\ud83d\\\\ude00"', "😀"),
        ('{"a": 1, "a": 2}', {"a": 2}),
    ],
)
def test_output_that_is_one_json_value_is_the_result(base: Path, printed: str, value: Any) -> None:
    outcome = execute(base, "printf", "%b", printed, schema={})
    assert (outcome.has_result, outcome.result) == (True, value)


@pytest.mark.parametrize(
    ("printed", "why"),
    [
        ("", "empty"),
        ("   \\n", "empty"),
        ("{} {}", "goes on"),
        ("1\\n2", "goes on"),
        ("```json\\n{}\\n```", "not JSON"),
        ("{'a': 1}", "not JSON"),
        ('{"a": 1', "not JSON"),
        ("[NaN]", "NaN"),
        ("-Infinity", "Infinity"),
        ("1e999", "too large"),
        ("1" * 5000, "digits"),
        ("[" * 100_000, "nested too deeply"),
        ('["\\\\ud800"]', "lone surrogate"),
        ('{"\\\\uDFFF": 1}', "lone surrogate"),
        ('"\\0377"', "UTF-8"),
        ("\\0357\\0273\\0277{}", "not JSON"),
    ],
)
def test_output_that_is_not_exactly_one_json_value_is_refused(base: Path, printed: str, why: str) -> None:
    reason, diagnostic = outcome_of(base, "printf", "%b", printed, schema={})
    assert reason == "parse_error"
    assert why in diagnostic


def test_deep_but_closed_json_is_a_failure_and_not_a_crash(base: Path) -> None:
    for depth in (200, 900, 50_000):
        reason, _ = outcome_of(base, *python(f"print('[' * {depth} + ']' * {depth})"), schema={})
        assert reason in ("parse_error", "validation_error")


def test_value_that_misses_the_schema_lists_every_error_and_runs_once(base: Path) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["b"]}
    reason, diagnostic = outcome_of(base, "sh", "-c", "echo ran >> log; echo '{\"a\": 1}'", schema=schema)
    assert reason == "validation_error"
    assert diagnostic.count("\n- ") == 2
    assert (base / "log").read_text() == "ran\n"
