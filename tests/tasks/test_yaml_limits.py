"""The bounds of a task file: each is taken at its edge, and one more is told with file, line and place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from akm.errors import UsageError
from akm.tasks.files import source
from akm.tasks.files.task import Task

KIB = 1024
HEAD = "version: 4\nrun: a\n"
#: What stands in a file with `few_values` beside its values: the root, `version`, `run`, `inference` itself.
_AROUND = 4


def read(root: Path, text: str | bytes) -> Task:
    raw = text if isinstance(text, bytes) else text.encode()
    return source.parse(raw, root / "tasks/a.yml", bundle="team", root=root)


def refusal(root: Path, text: str | bytes) -> str:
    with pytest.raises(UsageError) as caught:
        read(root, text)
    assert caught.value.code == "TASK_SOURCE_INVALID"
    return caught.value.message


def in_mappings(depth: int) -> str:
    """Nest `depth` mappings, that of the whole file among them."""
    return "tools: " + "{a: " * (depth - 1) + "1" + "}" * (depth - 1)


def in_lists(depth: int) -> str:
    return "tools: {a: " + "[" * (depth - 2) + "1" + "]" * (depth - 2) + "}"


def ones(count: int) -> str:
    return f"[{', '.join(['1'] * count)}]"


def values(count: int) -> str:
    lists, rest = divmod(count - _AROUND, 1000)
    parts = [f"k{number}: {ones(999)}" for number in range(lists)]
    return f"inference: {{{', '.join([*parts, f'r: {ones(rest - 1)}'])}}}"


def elements(count: int) -> str:
    return f"tags: [{', '.join(['a'] * count)}]"


def keys(count: int) -> str:
    return f"env: {{{', '.join(f'A{number}: x' for number in range(count))}}}"


def a_text(size: int) -> str:
    return f"name: {'a' * size}"


def a_wide_text(size: int) -> str:
    return f"name: {'é' * (size // 2)}{'a' * (size % 2)}"


def a_key(size: int) -> str:
    return f"inference: {{? {'a' * size} : 1}}"


def triggers(count: int) -> str:
    entry = '{cron: "@daily"}'
    return f"schedule: [{', '.join([entry] * count)}]"


def redacted(count: int) -> str:
    return f"redact: [{', '.join(f'A{number}' for number in range(count))}]"


def a_schema(size: int) -> str:
    rest = len('{"type":"string","title":"","description":""}')
    half = (size - rest) // 2
    return f"inputs: {{a: {{type: string, title: {'a' * half}, description: {'b' * (size - rest - half)}}}}}"


LIMITS: list[tuple[Callable[[int], str], int, str, str]] = [
    (in_mappings, 64, "`tools` ", "deeper than 64 levels"),
    (in_lists, 64, "`tools` ", "deeper than 64 levels"),
    (values, 10_000, "`inference` ", "more than 10000 values"),
    (elements, 1024, "`tags` ", "more than 1024 elements"),
    (keys, 256, "`env` ", "more than 256 keys"),
    (a_text, 256 * KIB, "`name` ", "larger than 256 KiB"),
    (a_wide_text, 256 * KIB, "`name` ", "larger than 256 KiB"),
    (a_key, 256 * KIB, "`inference` ", "larger than 256 KiB"),
    (triggers, 64, "`schedule` ", "1 to 64 triggers"),
    (redacted, 32, "`redact` ", "more than 32 names"),
    (a_schema, 256 * KIB, "`inputs.a` ", "larger than 256 KiB"),
]


@pytest.mark.parametrize(
    ("written", "most", "place", "told"), LIMITS, ids=lambda one: getattr(one, "__name__", "")
)
def test_a_limit_is_taken_at_its_edge_and_refused_one_past_it(
    tmp_path: Path, written: Callable[[int], str], most: int, place: str, told: str
) -> None:
    assert read(tmp_path, HEAD + written(most)).id == "a"
    message = refusal(tmp_path, HEAD + written(most + 1))
    assert message.startswith(f"Invalid task at {tmp_path}/tasks/a.yml:3: {place}")
    assert told in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("text", "line", "place", "told"),
    [
        ("inputs:\n  a:\n    default: .inf", 5, "`inputs.a.default` ", "not a finite number"),
        ("inputs:\n  a:\n    default: -.inf", 5, "`inputs.a.default` ", "not a finite number"),
        ("inputs:\n  a:\n    default: .nan", 5, "`inputs.a.default` ", "not a finite number"),
        ("inputs:\n  a:\n    default: 1e999", 5, "`inputs.a.default` ", "too large"),
        ('name: "\\ud800"', 3, "`name` ", "names no character"),
        ('tags:\n  - a\n  - "\\ud83d\\ude00"', 5, "`tags` ", "names no character"),
        ("tags:\n  - a\n  - &x b", 5, "`tags[1]` ", "`&x` is an anchor"),
        ("tags: [*x]", 3, "`tags` ", "`*x` is an alias"),
        ("env:\n  <<: {A: b}", 4, "`env.<<` ", "merge key"),
        ("name: !x a", 3, "`name` ", "`!x` is a tag"),
        ("name: !!str a", 3, "`name` ", "is a tag"),
        ("name: ! a", 3, "`name` ", "`!` is a tag"),
        ("schedule:\n  - cron: a\n    cron: b", 5, "`schedule[0].cron` ", "stands twice, first on line 4"),
        ("env: {1: x}", 3, "`env` ", "a key is not text"),
        ("env:\n  A: [1", 4, "`env.A` ", "lacks its `]`"),
        ("---\nversion: 4", 3, "the file ", "more than one YAML document"),
    ],
)
def test_what_no_task_file_may_hold_is_told_with_its_line_and_place(
    tmp_path: Path, text: str, line: int, place: str, told: str
) -> None:
    message = refusal(tmp_path, HEAD + text)
    assert message.startswith(f"Invalid task at {tmp_path}/tasks/a.yml:{line}: {place}")
    assert told in message
    assert "\n" not in message


@pytest.mark.parametrize("raw", [b"\xed\xa0\x80", b"\xff", b"caf\xe9"])
def test_what_is_no_utf_8_is_told_with_its_line(tmp_path: Path, raw: bytes) -> None:
    message = refusal(tmp_path, HEAD.encode() + b"name: " + raw)
    assert message.startswith(f"Invalid task at {tmp_path}/tasks/a.yml:3: ")
    assert "save it as UTF-8" in message


@pytest.mark.parametrize("text", ["", "\n\n", "# only a remark\n"])
def test_a_file_without_anything_is_told_on_its_first_line(tmp_path: Path, text: str) -> None:
    assert refusal(tmp_path, text).startswith(f"Invalid task at {tmp_path}/tasks/a.yml:1: `version` ")


def test_marks_inside_texts_are_no_anchors_and_no_tags(tmp_path: Path) -> None:
    assert read(tmp_path, "version: 4\nrun: 'a && b !x *y'\nname: R&D!\n").name == "R&D!"
