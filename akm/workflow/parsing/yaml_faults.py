"""What is wrong with a YAML text, in one clear sentence instead of the YAML library's several lines."""

from __future__ import annotations

import re

_CONTROL = re.compile("[^\t\n\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_CLEAR = {
    "mapping values are not allowed in this context": (
        "a `: ` stands where no key can be; indent the line as its neighbours, "
        "or put a text that holds `: ` in quotes"
    ),
    "could not find expected ':'": "a key lacks its `:`; write `key: value`",
    "did not find expected key": "a key was expected here; check the indentation and the quotes",
    "did not find expected ',' or ']'": "the list that opens with `[` here lacks its `]` or a `,`",
    "did not find expected ',' or '}'": "the mapping that opens with `{` here lacks its `}` or a `,`",
    "did not find expected '-' indicator": "a list goes on without `- `; check the indentation",
    "found unexpected end of stream": "the quoted text that begins here is never closed; add its quote",
    "did not find expected node content": "a value is missing here; write it, or remove what leads to it",
    "found invalid Unicode character escape code": (
        "an escape such as `\\ud800` names no character; write the character itself"
    ),
    "found unknown escape character": "a `\\` in double quotes begins no known escape; use single quotes",
    "block sequence entries are not allowed in this context": (
        "a `- ` stands where no list can be; begin the list on a line of its own"
    ),
    "did not find expected <document start>": "something follows the end of the YAML document; remove it",
    "found unknown directive name": "a line cannot begin with `%`; put the text in quotes",
    "exceeded maximum nesting depth": "values are nested too deeply; flatten them",
}

_OPENED = ("while parsing a flow", "while scanning a quoted scalar", "while scanning a simple key")


class YamlFault(Exception):
    """The frontmatter is not usable YAML; `reason` completes "The frontmatter cannot be read: ..."."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line
        self.reason = reason


def first_control_character(text: str) -> YamlFault | None:
    """Find the first character that YAML does not take; None when there is none."""
    found = _CONTROL.search(text)
    if found is None:
        return None
    line = text.count("\n", 0, found.start()) + 1
    return YamlFault(line, f"the control character U+{ord(found.group()):04X} stands on this line; remove it")


def explain(error: Exception, text: str) -> YamlFault:
    """Say in one sentence what the YAML library found, and on which line."""
    # What is never closed shows at the end of the text, but is put right where it opens.
    opens = str(getattr(error, "context", None)).startswith(_OPENED)
    mark = getattr(error, "context_mark" if opens else "problem_mark", None)
    lines = text.split("\n")
    index = min(mark.line if mark is not None else 1, len(lines) - 1)
    line = lines[index]
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return YamlFault(index + 1, "the line is indented with a tab; YAML takes spaces only")
    problem = str(getattr(error, "problem", None) or error).partition("\n")[0]
    if problem == "found character that cannot start any token" and mark is not None:
        character = line[mark.column : mark.column + 1]
        return YamlFault(index + 1, f"a text cannot begin with `{character}` unless it is in quotes")
    return YamlFault(index + 1, _CLEAR.get(problem, f"it is not valid YAML here ({problem})"))
