"""Env assets and secrets: names in the plan, values at dispatch only, and none of them in the ledger."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from gates import PASS, Court, a_prose_step
from outcomes import said
from places import Place
from workflow_files import a_map, a_step, items, sh

from akm.engine.redaction import SHORTEST
from akm.engine.result import RunResult
from akm.engine.runners.base import Dispatch, Outcome, failed
from akm.engine.secrecy import env_files, secrets
from akm.errors import AkmError
from akm.services import runs

CANARY = "canary-5f1e0c7a9b"


@pytest.fixture
def bundle(place: Place) -> Path:
    """A project with one env asset that holds a plain value and a secret."""
    asset(place.root, "prod", "REGION=eu-west-17\nTOKEN=key ${secret:API_KEY}\n")
    secret(place.root, "API_KEY", CANARY)
    return place.root


def asset(root: Path, name: str, text: str) -> Path:
    (root / "env").mkdir(exist_ok=True)
    file = root / "env" / f"{name}.env"
    file.write_text(text)
    return file


def secret(root: Path, name: str, value: str, mode: int = 0o600) -> Path:
    (root / "secrets").mkdir(exist_ok=True)
    file = root / "secrets" / name
    file.write_text(f"{value}\n")
    file.chmod(mode)
    return file


def everything(place: Place) -> str:
    """Return every value of every table as one text, and the bytes of the file and its WAL."""
    tables = [row["name"] for row in place.rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
    texts = [json.dumps(place.rows(f'SELECT * FROM "{table}"'), default=str) for table in tables]
    raw = [
        file.read_bytes().decode("latin-1") for file in place.db.path.parent.glob(f"{place.db.path.name}*")
    ]
    return "\n".join([*texts, *raw])


@pytest.mark.usefixtures("bundle")
def test_a_command_gets_the_variables_with_their_secrets(place: Place) -> None:
    place.write(a_step("a", *sh('test "$TOKEN" = "key canary-5f1e0c7a9b" && echo $REGION'), env=["env/prod"]))
    assert place.run().exit_status == 0
    assert place.output("a") == "[REDACTED]"


@pytest.mark.usefixtures("bundle")
def test_the_plan_and_the_event_hold_names_only(place: Place) -> None:
    place.write(a_step("a", env=["env/prod"]))
    place.run()
    plan = json.loads(place.row("SELECT plan_json FROM workflow_runs")["plan_json"])
    (described,) = plan["steps"][0]["root"]["environment"]
    assert described["keys"] == ["REGION", "TOKEN"]
    assert described["secretNames"] == ["API_KEY"]
    assert described["owner"]["relativePath"] == "env/prod.env"
    event = place.row("SELECT ref, metadata_json FROM events WHERE event_type = 'env_access'")
    assert event["ref"] == "env/prod"
    assert json.loads(event["metadata_json"]) == {"keys": ["REGION", "TOKEN"], "secretNames": ["API_KEY"]}


@pytest.mark.usefixtures("bundle")
def test_of_two_assets_the_later_wins_and_nothing_shadows_akms_own(place: Place) -> None:
    asset(place.root, "more", "REGION=later-region\nAKM_RUN_ID=mine\n")
    script = 'test "$REGION" = later-region && test "$AKM_RUN_ID" != mine'
    place.write(a_step("a", *sh(script), env=["env/prod", "env/more"]))
    assert place.run().exit_status == 0


def test_assets_are_read_once_per_step_and_only_for_work_that_is_dispatched(
    place: Place, bundle: Path
) -> None:
    place.write(a_map("a", env=["env/prod"]), a_step("b"), params=items(1, 2, 3))
    assert place.run(max_steps=1).exit_status == 0
    assert len(place.rows("SELECT 1 FROM events WHERE event_type = 'env_access'")) == 1
    (bundle / "env/prod.env").unlink()
    assert place.run().exit_status == 0


def test_a_finished_unit_is_kept_whatever_became_of_the_asset_and_only_the_other_needs_it(
    place: Place, bundle: Path
) -> None:
    script = 'echo $AKM_ITEM >> trace; test "$AKM_ITEM" = 1 || test -e good'
    place.write(a_map("a", *sh(script), env=["env/prod"]), params=items(1, 2))
    assert place.run().run["status"] == "failed"
    kept = (bundle / "env/prod.env").read_text()
    (bundle / "env/prod.env").unlink()
    (place.root / "good").touch()
    assert "prod" in resumed(place).executed[0].summary
    asset(bundle, "prod", kept)
    assert resumed(place).exit_status == 0
    assert sorted((place.root / "trace").read_text().split()) == ["1", "2", "2"]


def resumed(place: Place) -> RunResult:
    run_id = place.row("SELECT id FROM workflow_runs")["id"]
    runs.resume(place.db, run_id, at="2027-01-15T08:00:00.000Z")
    return place.run(run_id)


def test_a_finished_step_that_waits_for_its_judge_needs_no_asset(place: Place, bundle: Path) -> None:
    court = Court(place)
    court.write(a_prose_step(unit={"env": ["env/prod"]}))
    assert court.run(failed("spawn_failed", "down")).exit_status == 1
    (bundle / "env/prod.env").unlink()
    runs.resume(place.db, place.row("SELECT id FROM workflow_runs")["id"], at="2027-01-15T08:00:00.000Z")
    assert court.run(PASS).exit_status == 0


def test_new_values_of_the_same_variables_are_used(place: Place, bundle: Path) -> None:
    place.write(a_step("a"), a_step("b", *sh('test "$REGION" = changed'), env=["env/prod"]))
    place.run(max_steps=1)
    asset(bundle, "prod", "TOKEN=${secret:API_KEY}\nREGION=changed\n")
    assert place.run().exit_status == 0


@pytest.mark.parametrize(
    ("text", "said_"),
    [
        ("REGION=a\n", "other variables"),
        ("REGION=a\nTOKEN=b\nMORE=c\n", "other variables"),
        ("REGION=a\nTOKEN=b\n", "other secrets"),
        ("REGION=${secret:OTHER}\nTOKEN=${secret:API_KEY}\n", "other secrets"),
    ],
)
def test_a_changed_asset_fails_its_step_before_anything_is_dispatched(
    place: Place, bundle: Path, text: str, said_: str
) -> None:
    place.write(a_step("a"), a_step("b", env=["env/prod"]))
    place.run(max_steps=1)
    asset(bundle, "prod", text)
    assert place.run().exit_status == 1
    step = place.row("SELECT status, notes FROM workflow_run_steps WHERE step_id = 'b'")
    assert step["status"] == "failed"
    assert said_ in step["notes"]
    assert "prod.env" in step["notes"]
    assert [one[0] for one in place.attempts()] == ["a:solo"]


def test_a_secret_that_is_gone_fails_its_step_and_says_where_it_belongs(place: Place, bundle: Path) -> None:
    place.write(a_step("a"), a_step("b", env=["env/prod"]))
    place.run(max_steps=1)
    (bundle / "secrets/API_KEY").unlink()
    environment = {name: value for name, value in os.environ.items() if name != "API_KEY"}
    assert place.run(environment=environment).exit_status == 1
    notes = place.row("SELECT notes FROM workflow_run_steps WHERE step_id = 'b'")["notes"]
    assert "secrets/API_KEY" in notes


def test_a_secret_may_come_from_the_environment_by_name(place: Place, bundle: Path) -> None:
    (bundle / "secrets/API_KEY").unlink()
    place.write(a_step("a", *sh('echo "$TOKEN"'), env=["env/prod"]))
    assert place.run(environment={**os.environ, "API_KEY": "from-the-environment"}).exit_status == 0
    assert place.output("a") == "[REDACTED]"


def test_a_secret_that_others_can_read_is_refused(tmp_path: Path) -> None:
    file = secret(tmp_path, "KEY", "open-to-all", mode=0o644)
    with pytest.raises(AkmError, match="chmod 600") as refused:
        secrets.resolve("KEY", tmp_path, {"KEY": "from-the-environment"})
    assert str(file) in refused.value.message
    assert "open-to-all" not in refused.value.message


@pytest.mark.usefixtures("bundle")
@pytest.mark.parametrize(
    ("ref", "code"),
    [
        ("env/missing", "FILE_NOT_FOUND"),
        ("nobody//env/prod", "FILE_NOT_FOUND"),
        ("secrets/API_KEY", "WORKFLOW_SOURCE_INVALID"),
        ("env/../secrets/API_KEY", "PATH_ESCAPE_VIOLATION"),
    ],
)
def test_an_asset_that_cannot_be_had_is_refused_before_anything_is_written(
    place: Place, ref: str, code: str
) -> None:
    place.write(a_step("a", env=[ref]))
    with pytest.raises(AkmError) as refused:
        place.run()
    assert refused.value.code == code
    assert place.rows("SELECT id FROM workflow_runs") == []


def test_an_asset_that_leads_out_of_its_bundle_is_refused(place: Place, tmp_path: Path) -> None:
    (place.root / "env").mkdir()
    (tmp_path / "outside.env").write_text("A=1\n")
    (place.root / "env/out.env").symlink_to(tmp_path / "outside.env")
    place.write(a_step("a", env=["env/out"]))
    with pytest.raises(AkmError, match="leads out"):
        place.run()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("A=1\nnot a line at all\n", 2),
        ("A=1\n\n# two\nA=2\n", 4),
        ("A\n", 1),
        ("A=1\n9B=2\n", 2),
        ("A=${secret:}\n", 1),
        ("A=${secret:A-B}\n", 1),
    ],
)
def test_a_faulty_asset_is_told_with_its_line_and_without_its_values(
    tmp_path: Path, text: str, line: int
) -> None:
    file = asset(tmp_path, "x", text)
    with pytest.raises(AkmError) as refused:
        env_files.read(file)
    assert f"{file}:{line}" in refused.value.message


def canary_everywhere(dispatch: Dispatch) -> Outcome:
    """Echo the canary in every way that a unit or a judge has."""
    if dispatch.prompt is not None:
        verdict = {"complete": False, "missing": [CANARY], "feedback": f"It says {CANARY}."}
        return said(json.dumps(verdict), session_id=CANARY, warnings=(CANARY,))
    if dispatch.item.step_id == "broken":
        return failed(CANARY, f"the key {CANARY} is wrong", text=CANARY)
    return said(f"my key is {CANARY}", session_id=CANARY, warnings=(f"used {CANARY}",))


@pytest.mark.usefixtures("bundle")
def test_a_canary_that_unit_judge_and_error_echo_is_nowhere_in_ledger_or_report(place: Place) -> None:
    court = Court(place)
    steps = [
        a_step("broken", env=["env/prod"], on_error="continue"),
        a_prose_step("a", max_loops=2, unit={"env": ["env/prod"]}),
    ]
    court.write(*steps, bodies=("a",))
    seen: list[Any] = []
    result = place.fake(canary_everywhere, observe=seen.append)
    assert result.run["status"] == "blocked"
    assert CANARY not in json.dumps(result.shown())
    assert CANARY not in everything(place)
    assert CANARY not in repr(seen)
    assert place.row("SELECT failure_reason FROM workflow_run_units WHERE step_id = 'broken'") == {
        "failure_reason": "reported_failure"
    }


def test_a_secret_shaped_parameter_warns_and_is_redacted_in_what_units_say(place: Place) -> None:
    place.write(a_step("a", *sh("echo $AKM_PARAMS")), params={"api_token": {"type": "string"}})
    result = place.run(given=[("api_token", CANARY)])
    assert any("params.api_token" in warning for warning in result.warnings)
    assert CANARY not in json.dumps(place.rows("SELECT * FROM workflow_run_unit_attempts"))
    assert CANARY not in json.dumps(place.rows("SELECT * FROM workflow_run_steps"))
    assert CANARY not in json.dumps(place.rows("SELECT * FROM events"))


@pytest.mark.parametrize("value", ["short", "completed"])
def test_a_short_secret_or_one_like_a_status_stays_and_is_warned_about_once(
    place: Place, bundle: Path, value: str
) -> None:
    secret(bundle, "API_KEY", value)
    place.write(a_map("a", *sh("echo $TOKEN"), env=["env/prod"]), params=items(1, 2))
    result = place.run()
    (notice,) = result.executed[0].notices
    assert "secret API_KEY" in notice
    assert place.status() == "completed"


def test_a_variable_that_is_passed_through_is_redacted(place: Place) -> None:
    step: dict[str, Any] = {
        "exec": {"command": [*sh("echo got $DEPLOY_KEY >&2; exit 3")], "pass_env": ["DEPLOY_KEY"]}
    }
    place.write({"id": "a", "unit": step})
    place.run(environment={**os.environ, "DEPLOY_KEY": CANARY})
    assert CANARY not in everything(place)
    assert "got [REDACTED]" in place.row("SELECT notes FROM workflow_run_steps")["notes"]


@pytest.mark.parametrize("ending", ["exit 0", "exit 3"])
def test_no_cut_leaves_a_part_of_a_secret(place: Place, ending: str) -> None:
    """Whatever is cut of an output, and wherever: what is left holds no half of a secret."""
    script = f"""
    python3 - <<'EOF'
import os, sys
secret = os.environ["DEPLOY_KEY"]
sys.stdout.write("x" * (8 * 1024 * 1024 - 10) + secret + "y" * 100)
sys.stderr.write(secret * 1000)
EOF
    {ending}"""
    place.write({"id": "a", "unit": {"exec": {"command": [*sh(script)], "pass_env": ["DEPLOY_KEY"]}}})
    place.run(environment={**os.environ, "DEPLOY_KEY": CANARY})
    found = everything(place)
    assert CANARY[:SHORTEST] not in found
    assert CANARY[-SHORTEST:] not in found
