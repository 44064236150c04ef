"""The headings of a Markdown text as a Markdown parser sees them: none in code, quotes, lists or HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

#: The block rules that decide whether a line is a heading. Setext headings (underlined) are none of ours.
_RULES = ["heading", "fence", "code", "html_block", "blockquote", "list", "hr"]


@dataclass(frozen=True, slots=True)
class Heading:
    """An ATX heading at the top level of the text; `index` is its 0-based line there."""

    level: int
    text: str
    index: int


def headings(lines: Sequence[str]) -> list[Heading]:
    """Find the headings in file order."""
    tokens = _parser().parse("\n".join(lines))
    return [
        Heading(int(token.tag[1:]), tokens[position + 1].content, token.map[0])
        for position, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0
    ]


@lru_cache(maxsize=1)
def _parser() -> Any:
    from markdown_it import MarkdownIt

    # `html` is what makes the rule html_block act; inline text is never looked at.
    return MarkdownIt("zero", {"html": True}).enable(_RULES).disable(["inline", "text_join"])
