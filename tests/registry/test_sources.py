"""Which registries there are, and what becomes of entries that cannot be used."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from akm import config
from akm.errors import ConfigError, NotFoundError
from akm.registry import sources
from akm.registry.source import Source
from akm.registry.sources import Known

CREDENTIALS = "was given with credentials, and no registry is asked with any."


@pytest.fixture
def file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    folder = tmp_path / "config"
    folder.mkdir()
    monkeypatch.setenv("AKM_CONFIG_DIR", str(folder))
    monkeypatch.chdir(tmp_path)
    return folder / "config.toml"


def known(file: Path, text: str = "", variable: str = "") -> Known:
    file.write_text(text)
    layers = config.read(file.parent)
    return sources.known(layers, config.load(layers=layers), {"AKM_REGISTRY_URL": variable})


def names(found: Known) -> list[str]:
    return [source.name for source in found.sources]


def test_without_settings_there_is_the_official_index_and_skills_switched_off(file: Path) -> None:
    found = known(file)
    assert found == Known(sources.DEFAULTS)
    assert [(source.name, source.enabled) for source in found.sources] == [
        ("official", True),
        ("skills-sh", False),
    ]


def test_the_configuration_adds_to_what_is_built_in(file: Path) -> None:
    text = '[registries.a]\nurl = "https://a.example/i.json"\n'
    text += '[registries.b]\nurl = "http://b.example"\nprovider = "skills-sh"\n'
    text += "enabled = false\nallow_private = true\n"
    origin = f"user file {file}"
    official, skills = (replace(source, ttl_seconds=5) for source in sources.DEFAULTS)
    assert known(file, f"[registry]\nttl_seconds = 5\n{text}") == Known(
        (
            official,
            skills,
            Source("a", "https://a.example/i.json", ttl_seconds=5, origin=origin),
            Source("b", "http://b.example", "skills-sh", False, True, 5, origin),
        )
    )


def test_an_entry_without_a_url_changes_what_is_built_in(file: Path) -> None:
    found = known(file, "[registries.skills-sh]\nenabled = true\n[registries.official]\nenabled = false\n")
    assert [(source.name, source.url, source.provider, source.enabled) for source in found.sources] == [
        ("official", sources.DEFAULTS[0].url, "static-index", False),
        ("skills-sh", "https://skills.sh", "skills-sh", True),
    ]
    assert {source.origin for source in found.sources} == {f"user file {file}"}


def test_an_entry_with_a_url_takes_the_place_of_the_built_in_one(file: Path) -> None:
    found = known(
        file,
        '[registries.mine]\nurl = "https://skills.sh/"\nprovider = "skills-sh"\n'
        '[registries.official]\nurl = "https://mirror.example/i.json"\n',
    )
    assert [(source.name, source.url) for source in found.sources] == [
        ("official", "https://mirror.example/i.json"),
        ("mine", "https://skills.sh/"),
    ]


def test_an_entry_of_no_built_in_name_needs_a_url(file: Path) -> None:
    found = known(file, "[registries.x]\nenabled = true\n")
    assert found.sources == sources.DEFAULTS
    assert found.warnings == (f"{file}: registries.x is ignored: it has no url.",)


@pytest.mark.parametrize(
    ("user", "project"),
    [
        ("", 'url = "http://10.0.0.1/i"\nallow_private = true\n'),
        ('url = "http://10.0.0.1/i"\n', "allow_private = true\n"),
        ('url = "http://10.0.0.1/i"\nallow_private = true\n', 'url = "http://10.0.0.2/i"\n'),
    ],
)
def test_a_project_cannot_open_private_networks(file: Path, user: str, project: str) -> None:
    theirs = file.parent.with_name("project") / ".akm/config.toml"
    theirs.parent.mkdir(parents=True)
    theirs.write_text(f"[registries.x]\n{project}")
    file.write_text(f"[registries.x]\n{user}" if user else "")
    layers = config.read(theirs.parent.parent)
    found = sources.known(layers, config.load(layers=layers), {})
    assert [source.allow_private for source in found.sources if source.name == "x"] == [False]
    (warning,) = found.warnings
    assert (
        "registries.x.allow_private is ignored: a private network is opened only by your own file" in warning
    )
    assert str(file) in warning


def test_a_project_may_say_the_rest_of_a_private_registry(file: Path) -> None:
    theirs = file.parent.with_name("project") / ".akm/config.toml"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("[registries.x]\nenabled = false\n")
    file.write_text('[registries.x]\nurl = "http://10.0.0.1/i"\nallow_private = true\n')
    layers = config.read(theirs.parent.parent)
    found = sources.known(layers, config.load(layers=layers), {})
    assert [(one.allow_private, one.enabled) for one in found.sources if one.name == "x"] == [(True, False)]
    assert found.warnings == ()


def test_the_environment_takes_the_place_of_the_configuration(file: Path) -> None:
    found = known(
        file,
        '[registries.a]\nurl = "https://a.example"\n',
        " https://x.example/i.json ,, skills-sh::https://y.example, https://x.example/other.json",
    )
    origin = "environment AKM_REGISTRY_URL"
    assert found == Known(
        (
            Source("x.example", "https://x.example/i.json", origin=origin),
            Source("y.example", "https://y.example", "skills-sh", origin=origin),
            Source("x.example-2", "https://x.example/other.json", origin=origin),
        )
    )


@pytest.mark.parametrize("blank", ["", "  ", " , ,"])
def test_a_blank_variable_is_not_there(file: Path, blank: str) -> None:
    assert known(file, variable=blank).sources == sources.DEFAULTS


def test_bad_items_of_the_environment_are_told_without_what_they_hold(file: Path) -> None:
    found = known(
        file,
        variable="https://me:secret@a.example/i, secret, nope::https://b.example, ftp://secret, https://c.example",
    )
    assert names(found) == ["c.example"]
    assert [warning.partition(" is ignored: ")[0] for warning in found.warnings] == [
        f"AKM_REGISTRY_URL: item {number}" for number in (1, 2, 3, 4)
    ]
    assert f"https://a.example/i {CREDENTIALS}" in found.warnings[0]
    assert found.warnings[2].endswith("there is no provider 'nope'. There are: static-index, skills-sh.")
    assert "secret" not in " ".join(found.warnings)
    assert known(file, variable="ftp://x").sources == ()


def test_bad_entries_of_the_configuration_are_told_with_their_place(file: Path) -> None:
    found = known(
        file,
        '[registries.a]\nurl = "https://me:secret@a.example"\n'
        '[registries."b c"]\nurl = "https://b.example"\nprovider = "static-indx"\n'
        '[registries.d]\nurl = "https://"\n'
        '[registries.e]\nurl = "https://e.example"\n',
    )
    assert names(found) == ["official", "skills-sh", "e"]
    assert found.warnings[0].startswith(f"{file}: registries.a is ignored: https://a.example {CREDENTIALS}")
    assert found.warnings[1] == (
        f"{file}: registries.\"b c\" is ignored: there is no provider 'static-indx'. "
        "Did you mean static-index?"
    )
    assert found.warnings[2].startswith(f"{file}: registries.d is ignored: ")
    assert "secret" not in " ".join(found.warnings)


def test_an_engine_with_credentials_in_its_url_is_still_refused(file: Path) -> None:
    with pytest.raises(ConfigError, match="must hold no user name or password"):
        known(file, '[engines.x]\nkind = "llm"\nmodel = "m"\nbase_url = "https://me:secret@a.example"\n')


def test_the_enabled_ones_are_searched_or_the_one_that_is_named() -> None:
    on, off = sources.DEFAULTS
    assert sources.chosen(sources.DEFAULTS) == (on,)
    assert sources.chosen(sources.DEFAULTS, "skills-sh") == (off,)
    with pytest.raises(NotFoundError) as caught:
        sources.chosen(sources.DEFAULTS, "oficial")
    assert (caught.value.code, caught.value.hint) == ("SOURCE_NOT_FOUND", "Did you mean official?")
    with pytest.raises(NotFoundError) as caught:
        sources.chosen((), "x")
    assert caught.value.hint == "There are: none."
