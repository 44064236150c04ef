"""Building an index from folders of bundles: what it says, and that it can be used."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from searching import a_source

from akm.errors import UsageError
from akm.registry import static_index
from akm.registry.build_index import build

AT = "2026-12-02T12:00:00.000Z"
PUBLISHED = Path(__file__).parents[2].parent / "shared/data/registry/index-schema.json"
TEXT = {"type": "string", "minLength": 1}
TEXTS = {"type": "array", "items": TEXT}
ASSET = {
    "type": "object",
    "required": ["type", "name"],
    "properties": {"type": TEXT, "name": TEXT, "description": TEXT, "tags": TEXTS},
    "additionalProperties": False,
}
TYPES = ["skill", "command", "agent", "knowledge", "workflow", "script", "memory", "vault", "wiki"]
ENTRY = {
    "type": "object",
    "required": ["id", "name", "ref", "source"],
    "properties": {
        **dict.fromkeys(("id", "name", "ref", "description", "author", "license", "latestVersion"), TEXT),
        "source": {"enum": ["npm", "github", "git", "local"]},
        "homepage": {"type": "string", "format": "uri"},
        "tags": TEXTS,
        "assetTypes": {"type": "array", "items": {"enum": TYPES}},
        "assets": {"type": "array", "items": ASSET},
    },
    "additionalProperties": False,
}
SCHEMA = {
    "type": "object",
    "required": ["version", "updatedAt", "stashes"],
    "properties": {
        "version": {"enum": [3]},
        "updatedAt": {"type": "string", "format": "date-time"},
        "stashes": {"type": "array", "items": ENTRY},
    },
    "additionalProperties": False,
}


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


README = "# Team\n\n[![ci](https://x/b.svg)](https://x)\n\nWhat the *team* uses\nto `deploy`.\n\nMore.\n"


def a_bundle(folder: Path) -> Path:
    files = {
        "README.md": README,
        "skills/rollout/SKILL.md": "---\ndescription: Roll\n  out.\ntags: [deploy, kube]\n---\n# R\n",
        "skills/rollout/notes.md": "no skill",
        "workflows/release.md": "---\ntype: workflow\ndescription: Release it.\n---\n# R\n",
        "workflows/README.md": "about the folder",
        "agents/deep/reviewer.md": "---\ndescription: [broken\n---\n",
        "commands/plain.md": "no frontmatter",
        "tasks/nightly.yml": "version: 4\ndescription: Every night.\ntags: one, two\n",
        "scripts/run.sh": "---\ndescription: not read\n---\n",
        "scripts/.hidden": "",
        "scripts/__pycache__/x.pyc": "",
        "knowledge/facts.md": "---\ndescription: 5\ntags: []\n---\n",
        "env/team.env": "SECRET=1",
        "secrets/key": "SECRET",
        "vaults/v.md": "---\ndescription: SECRET\n---\n",
    }
    return write(folder, **files)


def checked(index: dict[str, Any]) -> dict[str, Any]:
    schemas = [SCHEMA, *([json.loads(PUBLISHED.read_text())] if PUBLISHED.exists() else [])]
    for schema in schemas:
        jsonschema_rs.validator_for(schema, validate_formats=True).validate(index)
    return index


def test_a_bundle_is_told_with_all_its_assets_and_no_secret(tmp_path: Path) -> None:
    bundle = a_bundle(tmp_path / "team")
    index = checked(build(bundle, at=AT))
    assert index == {
        "version": 3,
        "updatedAt": AT,
        "stashes": [
            {
                "id": "local:team",
                "name": "team",
                "ref": str(bundle),
                "source": "local",
                "description": "What the team uses to deploy.",
                "tags": ["deploy", "kube", "one", "two"],
                "assetTypes": ["agent", "command", "knowledge", "script", "skill", "workflow"],
                "assets": [
                    {"type": "agent", "name": "deep/reviewer"},
                    {"type": "command", "name": "plain"},
                    {"type": "knowledge", "name": "facts"},
                    {"type": "script", "name": "run.sh"},
                    {
                        "type": "skill",
                        "name": "rollout",
                        "description": "Roll out.",
                        "tags": ["deploy", "kube"],
                    },
                    {
                        "type": "task",
                        "name": "nightly",
                        "description": "Every night.",
                        "tags": ["one", "two"],
                    },
                    {"type": "workflow", "name": "release", "description": "Release it."},
                ],
            }
        ],
    }
    assert "SECRET" not in json.dumps(index)


def test_the_static_index_provider_reads_what_was_built(tmp_path: Path) -> None:
    index = build(a_bundle(tmp_path / "team"), at=AT)
    read = static_index.read(json.dumps(index), a_source(), origin="network")
    assert (read["stashes"], read["dropped"]) == (index["stashes"], 0)
    found = static_index.hits(read, a_source(), "rollout", limit=5, assets=True)
    assert [hit.name for hit in found.assets] == ["rollout"]
    assert static_index.hits(read, a_source(), "deploy", limit=5, assets=False).hits[0].title == "team"


def test_every_bundle_in_a_folder_is_told_by_name(tmp_path: Path) -> None:
    for name in ("b", "a", ".hidden"):
        a_bundle(tmp_path / name)
    (tmp_path / "docs").mkdir()
    (tmp_path / "file").write_text("")
    assert [entry["id"] for entry in checked(build(tmp_path, at=AT))["stashes"]] == ["local:a", "local:b"]


def test_what_the_bundle_says_of_itself_goes_first(tmp_path: Path) -> None:
    told = 'id = "npm:@team/x"\nname = "X"\nsource = "npm"\nref = "@team/x"\ndescription = "Mine."\n'
    told += 'tags = ["t"]\nversion = "1.2"\nlicense = "MIT"\nauthor = "a"\n'
    told += 'homepage = "https://h.example"\nodd = 1\n'
    write(a_bundle(tmp_path), **{"bundle.toml": told})
    (entry,) = checked(build(tmp_path, at=AT))["stashes"]
    assert {key: entry[key] for key in entry if key not in ("assets", "assetTypes")} == {
        "id": "npm:@team/x",
        "name": "X",
        "ref": "@team/x",
        "source": "npm",
        "homepage": "https://h.example",
        "description": "Mine.",
        "author": "a",
        "license": "MIT",
        "latestVersion": "1.2",
        "tags": ["t"],
    }


@pytest.mark.parametrize(
    ("remote", "expected"),
    [
        ("https://github.com/team/tools.git", ("github", "team/tools", "github:team/tools")),
        ("git@github.com:team/tools.git", ("github", "team/tools", "github:team/tools")),
        ("ssh://git@github.com/team/tools", ("github", "team/tools", "github:team/tools")),
        ("https://me:secret@github.com/team/tools", ("github", "team/tools", "github:team/tools")),
        (
            "https://me:secret@git.example/t.git",
            ("git", "https://git.example/t.git", "git:https://git.example/t.git"),
        ),
        (
            "ssh://git:secret@git.example:22/t.git",
            ("git", "ssh://git@git.example:22/t.git", "git:ssh://git@git.example:22/t.git"),
        ),
        ("git@git.example:t.git", ("git", "git@git.example:t.git", "git:git@git.example:t.git")),
    ],
)
def test_a_checkout_is_told_by_its_origin_without_secrets(
    tmp_path: Path, remote: str, expected: tuple[str, str, str]
) -> None:
    a_bundle(tmp_path)
    for arguments in (["init", "-q"], ["config", "remote.origin.url", remote]):
        subprocess.run(["git", "-C", str(tmp_path), *arguments], check=True, timeout=60)
    (entry,) = checked(build(tmp_path, at=AT))["stashes"]
    assert (entry["source"], entry["ref"], entry["id"]) == expected
    assert ("homepage" in entry) == (expected[0] == "github")


def test_a_bundle_inside_a_checkout_is_not_taken_for_all_of_it(tmp_path: Path) -> None:
    a_bundle(tmp_path / "team")
    for arguments in (["init", "-q"], ["config", "remote.origin.url", "https://github.com/a/b"]):
        subprocess.run(["git", "-C", str(tmp_path), *arguments], check=True, timeout=60)
    assert build(tmp_path, at=AT)["stashes"][0]["source"] == "local"


def test_a_long_description_is_cut(tmp_path: Path) -> None:
    write(a_bundle(tmp_path), **{"README.md": "word " * 100})
    description = build(tmp_path, at=AT)["stashes"][0]["description"]
    assert (len(description), description[-5:]) == (300, "word…")


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        ("a = ", "bundle.toml is not TOML: Invalid value"),
        ('source = "svn"', "bundle.toml: `source` must be one of npm, github, git, local."),
        ('source = "npm"', "bundle.toml: `source` needs a `ref` beside it, which is not there."),
    ],
)
def test_a_description_that_cannot_be_used_is_told_with_its_file(
    tmp_path: Path, told: str, sentence: str
) -> None:
    write(a_bundle(tmp_path), **{"bundle.toml": told})
    with pytest.raises(UsageError) as caught:
        build(tmp_path, at=AT)
    assert caught.value.message.startswith(f"{tmp_path}/{sentence}")


def test_two_bundles_with_one_id_are_refused(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(a_bundle(tmp_path / name), **{"bundle.toml": 'id = "x"\n'})
    with pytest.raises(UsageError, match="have the id x: set `id`"):
        build(tmp_path, at=AT)


def test_a_folder_without_a_bundle_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no bundle and holds none"):
        build(tmp_path, at=AT)
    with pytest.raises(UsageError, match="There is no folder"):
        build(tmp_path / "nowhere", at=AT)
