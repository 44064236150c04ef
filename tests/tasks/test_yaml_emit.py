"""What is written for a task file reads back as the same values, whatever the texts hold."""

from __future__ import annotations

import pytest

from akm.tasks.files.yaml_emit import emit
from akm.workflow.parsing.frontmatter import compose, plain


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "Say x.\nAnd y.\n",
        "1_000",
        "a\x85",
        "a\x85b\nc",
        "one\u2028two",
        "\u2029\nx",
        "\ufeffx",
        "a\r\nb",
    ],
)
def test_a_text_reads_back_as_itself(text: str) -> None:
    assert plain(compose(emit({"run": text}))) == {"run": text}
