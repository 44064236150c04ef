"""Configuration: layers, origins, checking, and the cheap roads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from akm import config
from akm.errors import ConfigError

AGENT = '[engines.writer]\nkind = "agent"\ncommand = ["my-agent", "--print"]\n'
LLM = '[engines.checker]\nkind = "llm"\nbase_url = "http://127.0.0.1/v1"\nmodel = "small"\n'


class Place:
    """A user's configuration directory and a project, both empty."""

    def __init__(self, root: Path) -> None:
        self.user = root / "user" / "config.toml"
        self.project = root / "project" / ".akm" / "config.toml"
        self.cwd = root / "project" / "deep" / "er"
        for folder in (self.user.parent, self.project.parent, self.cwd):
            folder.mkdir(parents=True)

    def read(self) -> config.Layers:
        return config.read(self.cwd)

    def fails(self) -> str:
        with pytest.raises(ConfigError) as caught:
            config.load(self.cwd)
        assert caught.value.code == "INVALID_CONFIG_FILE"
        return caught.value.message


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    for name in list(os.environ):
        if name.startswith("AKM_"):
            monkeypatch.delenv(name)
    made = Place(Path(os.path.realpath(tmp_path)))
    monkeypatch.setenv("AKM_CONFIG_DIR", str(made.user.parent))
    monkeypatch.setenv("AKM_DATA_DIR", str(tmp_path / "data"))
    return made


def origins(place: Place) -> dict[str, tuple[object, str]]:
    layers = place.read()
    return {key: (value, origin) for key, value, origin in config.entries(layers, config.load(layers=layers))}


def test_without_files_there_are_defaults(place: Place, tmp_path: Path) -> None:
    loaded = config.load(place.cwd)
    assert loaded.engines == {}
    assert loaded.registry.ttl_seconds == 3600
    assert config.database(place.read()) == config.Database(tmp_path / "data" / "state.db", "full")
    assert origins(place)["registry.ttl_seconds"] == (3600, "default")
    assert origins(place)["database.url"] == (f"sqlite:///{tmp_path}/data/state.db", "default")


def test_each_layer_lies_over_the_one_below(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.user.write_text(
        '[workflow]\nmax_concurrency = 2\ndefault_map_concurrency = 3\njudge_engine = "a"\n'
    )
    place.project.write_text('[workflow]\nmax_concurrency = 4\njudge_engine = "b"\n')
    monkeypatch.setenv("AKM_WORKFLOW_MAX_CONCURRENCY", "8")
    found = origins(place)
    assert found["workflow.max_concurrency"] == (8, "environment AKM_WORKFLOW_MAX_CONCURRENCY")
    assert found["workflow.judge_engine"] == ("b", f"project file {place.project}")
    assert found["workflow.default_map_concurrency"] == (3, f"user file {place.user}")
    assert found["defaults.engine"] == (None, "default")
    assert config.load(place.cwd).workflow.max_concurrency == 8


def test_tables_are_merged_key_by_key_and_lists_replaced(place: Place) -> None:
    place.user.write_text(AGENT + 'pass_env = ["A", "B"]\n')
    place.project.write_text('[engines.writer]\ntimeout = "10m"\npass_env = ["C"]\n')
    engine = config.load(place.cwd).engines["writer"]
    assert engine.model_dump() == {
        "kind": "agent",
        "preset": "generic",
        "command": ["my-agent", "--print"],
        "model": None,
        "prompt": None,
        "timeout": 600_000,
        "pass_env": ["C"],
    }


def test_a_value_over_a_table_leaves_no_old_origin(place: Place) -> None:
    place.user.write_text("[extra]\na = 1\n")
    place.project.write_text("extra = 2\n")
    assert {key for key in origins(place) if key.startswith("extra")} == {"extra"}


def test_one_file_in_both_roles_is_read_once(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.project.write_text("[registry]\nttl_seconds = 1\n")
    monkeypatch.setenv("AKM_CONFIG_DIR", str(place.project.parent))
    assert origins(place)["registry.ttl_seconds"] == (1, f"user file {place.project}")


@pytest.mark.parametrize(
    ("text", "value"),
    [('"10m"', 600_000), ('"30s"', 30_000), ('"250ms"', 250), ('"7"', 7), ("500", 500), ('"none"', "none")],
)
def test_a_timeout_may_be(place: Place, text: str, value: object) -> None:
    place.user.write_text(f"{AGENT}timeout = {text}\n{LLM}timeout = {text}\n")
    assert {engine.timeout for engine in config.load(place.cwd).engines.values()} == {value}


@pytest.mark.parametrize("text", ['"10h"', "0", "-5", "true", "1.5", '""', '"ten"', "2147483648"])
def test_a_timeout_may_not_be(place: Place, text: str) -> None:
    place.user.write_text(f"{AGENT}timeout = {text}\n")
    assert place.fails() == (
        f"{place.user}: engines.writer.timeout must be a time "
        'such as "10m", "30s", 500 (milliseconds) or "none".'
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[workflow]\nmax_concurrency = 0\n", "workflow.max_concurrency must be at least 1."),
        ("[workflow]\nmax_concurrency = true\n", "workflow.max_concurrency must be a whole number."),
        ('[workflow]\nmax_concurrency = "8"\n', "workflow.max_concurrency must be a whole number."),
        ("workflow = 1\n", "workflow must be a table."),
        ("engines = 1\n", "engines must be a table."),
        ("[engines.a]\n", 'engines.a needs kind = "agent" or kind = "llm".'),
        ('[engines.a]\nkind = "sdk"\n', 'engines.a needs kind = "agent" or kind = "llm".'),
        ('[engines.a]\nkind = "agent"\n', 'engines.a needs a command, such as ["my-agent", "--print"].'),
        ('[engines.a]\nkind = "agent"\ncommand = "x y"\n', "engines.a.command must be a list, such as"),
        ('[engines.a]\nkind = "agent"\ncommand = []\n', "engines.a.command must not be empty."),
        ('[engines.A]\nkind = "agent"\ncommand = ["x"]\n', "engines.A is no engine name: use"),
        (AGENT + 'preset = "clade"\n', "engines.writer.preset must be one of generic, claude, codex"),
        (AGENT + "preset = 3\n", "engines.writer.preset must be text."),
        (AGENT + 'preset = "aider"\nprompt = "stdin"\n', "engines.writer must not hold prompt: how aider is"),
        (AGENT + 'model = ""\n', "engines.writer.model must not be empty."),
        (AGENT + 'prompt = "file"\n', "engines.writer.prompt must be 'stdin' or 'argument'."),
        (AGENT + 'pass_env = ["A B"]\n', "engines.writer.pass_env.0 must be the name of an"),
        ('[engines.a]\nkind = "llm"\nmodel = "m"\n', "engines.a.base_url is missing."),
        (LLM + "temperature = -1\n", "engines.checker.temperature must be at least 0"),
        (LLM + "extra_params = { model = 1 }\n", "engines.checker.extra_params must not hold model: the"),
        (LLM + "extra_params = { a = nan }\n", "engines.checker.extra_params must hold only what JSON has"),
        (LLM + "extra_params = { a = 2020-01-01 }\n", "engines.checker.extra_params must hold only"),
        (
            LLM + f"extra_params = {{ a = '{'x' * 65536}' }}\n",
            "engines.checker.extra_params must take at most",
        ),
        (LLM + "temperature = inf\n", "engines.checker.temperature must be a finite number."),
        ('[prices."a.b"]\ninput = 1\n', 'prices."a.b".output is missing.'),
        ('[registries.x]\nurl = "ftp://h"\n', "registries.x.url must start with http:// or https://."),
        ('[database]\nsynchronous = "off"\n', "database.synchronous must be 'full' or 'normal'."),
        ("[bundles.team]\n", 'bundles.team needs a path, such as path = "~/team-bundle".'),
        ('[bundles."a b"]\npath = "x"\n', 'bundles."a b" must be a name without'),
        ('[bundles.project]\npath = "x"\n', "bundles.project must be a name without"),
    ],
)
def test_a_wrong_value_names_file_key_and_what_is_wrong(place: Place, text: str, sentence: str) -> None:
    place.project.write_text(text)
    message = place.fails()
    assert message.startswith(f"{place.project}: {sentence.removesuffix('.')}")
    assert message.endswith(".")
    assert not message.endswith("..")
    assert "\n" not in message


@pytest.mark.parametrize(
    "line",
    ['api_key = "sk-123"', 'api_key_env = "sk-123"', 'base_url = "https://me:sk-123@host"'],
)
def test_a_secret_in_a_file_is_refused_and_never_repeated(place: Place, line: str) -> None:
    text = LLM if not line.startswith("base_url") else LLM.replace('base_url = "http://127.0.0.1/v1"\n', "")
    place.user.write_text(f"{text}{line}\n")
    assert "sk-123" not in place.fails()


def test_a_wrong_value_in_the_environment_names_the_variable(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AKM_WORKFLOW_MAX_CONCURRENCY", "many")
    assert place.fails() == (
        "The environment variable AKM_WORKFLOW_MAX_CONCURRENCY: "
        "workflow.max_concurrency must be a whole number."
    )


@pytest.mark.parametrize(
    ("content", "sentence"),
    [(b"a = \n", "is not TOML: Invalid value (at line 1"), (b"a = '\xff'", "is not UTF-8 text (byte 5)")],
)
def test_a_file_that_is_no_toml_is_told_with_its_place(place: Place, content: bytes, sentence: str) -> None:
    place.user.write_bytes(content)
    assert place.fails().startswith(f"The configuration file {place.user} {sentence}")


def test_a_directory_in_the_place_of_the_file_is_told(place: Place) -> None:
    place.user.mkdir()
    assert place.fails() == f"The configuration file {place.user} cannot be read: Is a directory."


def test_unknown_keys_are_kept_and_each_warned_about_once(place: Place) -> None:
    place.user.write_text(
        AGENT + 'comand = 1\n[workflw]\na = 1\n[workflow]\nmax_concurency = 2\n[models.any]\nx = "y"\n'
    )
    place.project.write_text("[engines.writer]\ncomand = 2\n")
    layers = place.read()
    config.load(layers=layers)
    assert config.warnings(layers) == [
        f"{place.project}: there is no setting engines.writer.comand. Did you mean command?",
        f"{place.user}: there is no setting workflw. Did you mean workflow?",
        f"{place.user}: there is no setting workflow.max_concurency. "
        "Did you mean max_concurrency or default_map_concurrency?",
    ]
    assert origins(place)["workflow.max_concurency"] == (2, f"user file {place.user}")


def test_a_preset_needs_no_command_and_a_wrong_one_is_told_the_nearest(place: Place) -> None:
    place.user.write_text('[engines.a]\nkind = "agent"\npreset = "claude"\n')
    assert config.load(place.cwd).engines["a"].preset == "claude"  # type: ignore[union-attr]
    place.user.write_text('[engines.a]\nkind = "agent"\npreset = "clade"\n')
    assert place.fails().endswith("gemini, aider, copilot (did you mean claude?).")


def test_the_databases_url_comes_from_the_environment_before_any_file(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.user.write_text('[database]\nurl = "sqlite:///user.db"\nsynchronous = "normal"\n')
    assert config.database(place.read()) == config.Database(place.user.parent / "user.db", "normal")
    place.project.write_text('[database]\nurl = "sqlite:///project.db"\n')
    assert config.database(place.read()).path == place.project.parent.parent / "project.db"
    monkeypatch.setenv("AKM_DATABASE_URL", "sqlite:////abs/env.db")
    monkeypatch.setenv("AKM_SQLITE_SYNCHRONOUS", "full")
    assert config.database(place.read()) == config.Database(Path("/abs/env.db"), "full")


def test_another_url_is_refused_with_its_place(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AKM_DATABASE_URL", "postgresql://me:pw@h/db")
    with pytest.raises(ConfigError, match=r"^The environment variable AKM_DATABASE_URL: database.url is not"):
        config.database(place.read())


def test_bundles_keep_their_order_and_paths_start_at_their_file(place: Place, tmp_path: Path) -> None:
    place.user.write_text('[bundles.z]\npath = "z"\n[bundles.a]\npath = "/abs/a"\n')
    place.project.write_text('[bundles.p]\npath = "../p"\n')
    root = Path(os.path.realpath(tmp_path))
    assert list(config.bundles(place.read()).items()) == [
        ("z", root / "user/z"),
        ("a", Path("/abs/a")),
        ("p", root / "p"),
    ]


def test_the_cheap_roads_import_no_pydantic_and_tomllib_only_for_a_file(place: Place) -> None:
    program = (
        "import sys; from akm import config\n"
        "layers = config.read(); config.database(layers); config.bundles(layers)\n"
        "print([name for name in ('pydantic', 'tomllib', 'akm.settings') if name in sys.modules])"
    )

    def imported() -> str:
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=place.cwd, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    assert imported() == "[]"
    place.user.write_text('[bundles.z]\npath = "z"\n')
    assert imported() == "['tomllib']"
