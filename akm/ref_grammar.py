"""How a ref is written: `[<bundle>//]workflows/<name>`. Which file it means is `akm.refs`'s."""

from __future__ import annotations

from dataclasses import dataclass

from akm.errors import UsageError

#: The implicit bundle of every file outside the configured bundles.
PROJECT = "project"
FOLDER = "workflows"
MARKDOWN = ".md"


@dataclass(frozen=True, slots=True)
class Ref:
    """A ref taken apart. `bundle` is None when it was not written; `path` has no `.md`."""

    bundle: str | None
    path: str

    def __str__(self) -> str:
        # One ending is dropped where refs are read; that of a name which ends so twice must not be.
        path = self.path + (MARKDOWN if self.path.endswith(MARKDOWN) else "")
        return path if self.bundle is None else f"{self.bundle}//{path}"


def is_bundle_name(text: str) -> bool:
    """Tell whether `text` may name a bundle: not empty, no white space, none of `:`, `.`, `#`, `/`."""
    return bool(text) and not any(char.isspace() or char in ":.#/" or not char.isprintable() for char in text)


def parse(text: str) -> Ref:
    """Take a ref apart. Raises UsageError when it cannot be one or leads out of its bundle."""
    bundle, separator, path = text.partition("//")
    if not separator:
        bundle, path = "", text
    elif not is_bundle_name(bundle):
        raise UsageError(
            f"{text!r} is no ref: before `//` stands a bundle's name, without `:`, `.`, `#`, `/` or spaces."
        )
    path = path.removesuffix(MARKDOWN)
    _check_inside(text, path, may_be_absolute=bundle == PROJECT)
    return Ref(bundle or None, path)


def bundle_range(bundle: str) -> tuple[str, str]:
    """Return the half-open range of refs in `bundle`: `ref >= low AND ref < high`, exact in case."""
    return f"{bundle}//", f"{bundle}/0"


def _check_inside(text: str, path: str, *, may_be_absolute: bool) -> None:
    parts = path.split("/")
    if may_be_absolute and path.startswith("/"):
        parts = parts[1:]
    if any(part in ("", ".", "..") for part in parts) or "\0" in path:
        raise UsageError(
            f"{text!r} is no ref: write [<bundle>//]workflows/<name>, without empty, `.` or `..` parts.",
            code="PATH_ESCAPE_VIOLATION" if ".." in parts else None,
        )
