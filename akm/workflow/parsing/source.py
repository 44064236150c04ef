"""From the bytes of a workflow file to its two texts, frontmatter and body. Neither is understood here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from akm.workflow.parsing.report import Report
from akm.workflow.wording import TO_MARKDOWN

MAX_SOURCE_BYTES = 1024 * 1024
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Source:
    """The lines of a file, split in two. `lines[0]` is line 1; the body begins on line `body_line`."""

    lines: tuple[str, ...]
    body_line: int

    @property
    def frontmatter(self) -> str:
        """Return the YAML text, with an empty first line so that its line numbers are the file's."""
        return "\n" + "\n".join(self.lines[1 : self.body_line - 2]) + "\n"

    @property
    def body(self) -> tuple[str, ...]:
        """Return the lines after the closing fence of the frontmatter."""
        return self.lines[self.body_line - 1 :]


def check_name(name: str, report: Report) -> None:
    """Refuse a file that is no workflow by its name alone."""
    path = PurePath(name)
    if path.suffix.lower() != ".md":
        report.error(
            1,
            f"`{path.name}` is no Markdown file, and a workflow is one: {_advice(path.suffix)}.",
            suggestion=f"{path.stem}.md" if path.stem else None,
            code="unsupported-workflow-extension",
        )
    elif path.name.lower() == "readme.md":
        report.error(
            1,
            f"`{path.name}` describes its folder and is never a workflow: give the file a name of its own.",
            code="not-a-workflow",
        )


def _advice(suffix: str) -> str:
    if suffix.lower() in (".yml", ".yaml"):
        return TO_MARKDOWN
    return "name it with the extension `.md`, and begin it with YAML frontmatter"


def decode(raw: bytes, report: Report) -> tuple[str, ...] | None:
    """Read the bytes as lines of text; None after noting why they are none."""
    if len(raw) > MAX_SOURCE_BYTES:
        report.error(
            1,
            f"The file has {len(raw)} bytes; a workflow file holds at most 1 MiB ({MAX_SOURCE_BYTES} bytes).",
        )
        return None
    raw = raw.removeprefix(_BYTE_ORDER_MARK)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        report.error(
            _line_at(raw, error.start),
            f"Byte 0x{raw[error.start]:02x} on this line is not valid UTF-8: save the file as UTF-8.",
        )
        return None
    if (position := raw.find(0)) >= 0:
        report.error(_line_at(raw, position), "The file holds a NUL byte on this line: remove it.")
        return None
    return tuple(_unix(text).split("\n"))


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _line_at(raw: bytes, position: int) -> int:
    before = raw[:position].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return before.count(b"\n") + 1


def split(lines: tuple[str, ...], report: Report) -> Source | None:
    """Separate frontmatter and body; None after noting that there is no frontmatter."""
    if lines[0].rstrip() != "---":
        report.error(
            1,
            "The file does not begin with YAML frontmatter: put `---` on line 1, then `type: workflow` "
            "and `steps:`, then `---`.",
        )
        return None
    for index in range(1, len(lines)):
        if lines[index].rstrip() == "---":
            return Source(lines, index + 2)
    report.error(1, "The frontmatter that opens on line 1 is never closed: end it with a line `---`.")
    return None
