"""Taking secrets out of text before it is kept: by their shape, and by the values that are known here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from akm.workflow import secret_shapes

MARK = "[redacted]"
#: A value under a secret-sounding name counts from this length on; one that the task names, always.
SHORTEST_GUESSED = 8
#: A line of a secret of several lines counts by itself from this length on: what prints one may prefix each
#: line, and what is kept of an output may begin in its middle.
_SHORTEST_LINE = 16
_NAME_ENDINGS = ("_auth", "passphrase", "_key", "_pat", "_pass")
_KEYWORD = r"secret|token|password|passwd|passphrase|api[_-]?key|access[_-]?key|private[_-]?key|credential"
# Every repetition is bounded, so that megabytes without a space take no longer than others.
_WHOLE = re.compile(
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----"
    r"(?:.{0,20000}?-----END [A-Z ]{0,40}PRIVATE KEY-----|[A-Za-z0-9+/=\s:,-]{0,20000})"
    r"|\b(?:[sr]k-[A-Za-z0-9_-]{16,512}|gh[pousr]_[A-Za-z0-9]{20,512}|github_pat_\w{20,512}"
    r"|glpat-[\w-]{20,512}|xox[a-z]-[\w-]{10,512}|A[KS]IA[A-Z0-9]{16}|AIza[\w-]{30,512}"
    r"|ya29\.[\w-]{20,2048}|eyJ[\w-]{10,4096}\.[\w-]{10,4096}\.[\w-]{0,4096})",
    re.DOTALL,
)
#: What leads up to a secret and is kept, then the secret.
_LED = (
    re.compile(r"(?i)(\b(?:bearer|basic)\s{1,8})[A-Za-z0-9._~+/=-]{16,8192}"),
    re.compile(r"(://[^\s/:@]{1,256}:)[^\s/@]{1,1024}(?=@)"),
    re.compile(rf"(?i)((?:{_KEYWORD})[\w-]{{0,40}}[\"']?\s{{0,8}}[:=]\s{{0,8}}[\"']?)[^\s\"',;]{{8,8192}}"),
)


def configured(settings: Mapping[str, Any]) -> Iterator[str]:
    """Name the variables that the configuration, unchecked, says hold a credential."""
    engines = settings.get("engines")
    for engine in engines.values() if isinstance(engines, Mapping) else ():
        name = engine.get("api_key_env") if isinstance(engine, Mapping) else None
        if isinstance(name, str):
            yield name


class Redactor:
    """Knows the secrets of one environment. `named` are variables whose values go whatever their length."""

    def __init__(self, environment: Mapping[str, str], named: Iterable[str] = ()) -> None:
        values: set[str] = set()
        for name in named:
            values |= _spellings(environment.get(name, ""), 1)
        for name, value in environment.items():
            if _sounds_secret(name):
                values |= _spellings(value, SHORTEST_GUESSED)
        # The longest first: a secret that holds another one must not lose its middle and keep its ends.
        ordered = sorted(values, key=lambda value: (-len(value), value))
        self._known = re.compile("|".join(map(re.escape, ordered))) if ordered else None

    def scrub(self, text: str) -> str:
        """Return `text` with a mark for every secret; give it whole, since a secret may span lines."""
        kept, end = [], 0
        for start, stop in sorted(self._spans(text)):
            # All are found before any is replaced: a short value in a longer secret would break its shape.
            if start >= end:
                kept += [text[end:start], MARK]
            end = max(end, stop)
        return "".join([*kept, text[end:]])

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        for whole in (self._known, _WHOLE):
            yield from (found.span() for found in (whole.finditer(text) if whole else ()))
        for led in _LED:
            yield from ((found.end(1), found.end()) for found in led.finditer(text))


def _sounds_secret(name: str) -> bool:
    return secret_shapes.is_secret(name, "x") or name.lower().endswith(_NAME_ENDINGS)


def _spellings(value: str, shortest: int) -> set[str]:
    """Return the ways in which a value is printed: trimmed, with other line ends, in JSON, line by line."""
    forms = {value, value.strip()}
    forms |= {form.replace("\r\n", "\n") for form in forms}
    forms |= {form.replace("\n", "\r\n") for form in forms if "\r\n" not in form}
    forms |= {json.dumps(form, ensure_ascii=ascii)[1:-1] for form in forms for ascii in (True, False)}
    lines = value.splitlines() if "\n" in value else []
    forms |= {line.strip() for line in lines if len(line.strip()) >= _SHORTEST_LINE}
    return {form for form in forms if len(form) >= shortest and form.strip()}
