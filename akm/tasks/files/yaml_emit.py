"""Values as the YAML text of a task file, which reads back as the same values."""

from __future__ import annotations

from typing import Any

from akm.workflow.parsing.scalars import plain_value


def emit(values: dict[str, Any]) -> str:
    """Write a mapping as YAML in its own order, long texts as blocks."""
    import yaml

    class Dumper(yaml.SafeDumper):
        """A dumper of its own, since representers belong to the class."""

        def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - Aliases are refused by the reader.
            return True

    Dumper.add_representer(str, lambda dumper, text: dumper.represent_scalar(_TAG, text, style=_style(text)))
    written: str = yaml.dump(values, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=4096)
    return written


_TAG = "tag:yaml.org,2002:str"
#: YAML ends a line at these as well, and reads some of them back as a plain line break.
_OTHER_BREAKS = ("\x85", "\u2028", "\u2029")


def _style(text: str) -> str | None:
    if any(mark in text for mark in _OTHER_BREAKS):
        return '"'
    if "\n" in text:
        return "|"
    try:
        # YAML 1.1 writes some texts plainly that YAML 1.2 reads as numbers.
        return None if isinstance(plain_value(text), str) else '"'
    except ValueError:
        return '"'
