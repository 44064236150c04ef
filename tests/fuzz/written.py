"""Arguments as people write them: pieces that mean something to a reader, in any order or the right one."""

from __future__ import annotations

from hypothesis import strategies as st

#: What arguments can hold: any text without NUL, and bytes that are no text as halves of characters.
WORDS = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=12)
RAW_WORDS = WORDS | st.sampled_from(["\udcff", "a\udc80", "\n", "a\nb", "\x1b[31m", ""])


def spelled(*pieces: str) -> st.SearchStrategy[str]:
    """Draw texts of pieces that mean something, with a little of anything between."""
    return st.lists(st.sampled_from(pieces) | RAW_WORDS, max_size=6).map("".join)


def shaped(*parts: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Draw texts of one piece from each part, which are right as often as not."""
    return st.tuples(*map(st.sampled_from, parts)).map("".join)
