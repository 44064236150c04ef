"""Where git may fetch a bundle from, as people and registries write it. Nothing is contacted here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from akm.errors import UsageError

#: What git may speak (GIT_ALLOW_PROTOCOL) to a source elsewhere, and to one of this machine.
REMOTE, LOCAL = "https:ssh", "file"
FORMS = "github:owner/repo, git+https://..., git+ssh://git@..., git+file:///... or a folder"
_GITHUB = re.compile(r"([A-Za-z0-9][A-Za-z0-9-]*)/([A-Za-z0-9_.-]+)\Z")
_SCP = re.compile(r"git@([A-Za-z0-9][A-Za-z0-9.-]*):([A-Za-z0-9~_.][^\s?]*)\Z")
_NO_REF = re.compile(r"[-/+]|.*(?:[\s~^:?*\[\\\x00-\x1f\x7f]|\.\.|@\{|//)|.*(?:/|\.|\.lock)\Z", re.DOTALL)
_NO_NAME = re.compile(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class GitSource:
    """A repository. `text` is how it is written down, without `ref`; `url` is what git is given.

    `ref` None is the newest commit of the default branch. `name` is what the repository is called, made fit
    for a bundle; it may be empty. Nothing here holds a password.
    """

    text: str
    url: str
    ref: str | None
    name: str
    protocols: str


def parse(text: str, *, ref: str | None = None) -> GitSource | None:
    """Read a source; None when it names a folder. `ref` says more than the text's own `#ref`.

    Raises UsageError when git must not be given it: another protocol, a user name or password, an option.
    """
    if text.startswith("npm:"):
        raise UsageError(f"Packages of npm cannot be added as bundles: give {FORMS}.")
    written, _, own_ref = text.partition("#")
    url = _url(written)
    if url is None:
        if not text or text.startswith("-"):
            raise UsageError(f"A bundle's source must not be empty or begin with `-`: give {FORMS}.")
        return None
    if ref and own_ref and ref != own_ref:
        raise UsageError("The source names one ref after `#` and --ref another: give one of them.")
    protocols = LOCAL if url.startswith("file:") else REMOTE
    return GitSource(written, url, _checked_ref(ref or own_ref), legal_name(url), protocols)


def folder(text: str) -> str:
    """Return the path that a source means which is no git source: itself, or what stands after `file:`."""
    return text.removeprefix("file:").removeprefix("//") if text.startswith("file:") else text


def legal_name(path: str) -> str:
    """Make a bundle's name of the last part of a path or URL; may be empty."""
    last = path.rstrip("/").rpartition("/")[2].rpartition(":")[2].removesuffix(".git")
    return _NO_NAME.sub("-", last).strip("-")


def _url(text: str) -> str | None:
    if text.startswith("github:"):
        return _github(text.removeprefix("github:"))
    if text.startswith("git+"):
        return _checked(text.removeprefix("git+"))
    if _SCP.match(text) or ("://" in text and not text.startswith("file:")):
        return _checked(text)
    return None


def _github(text: str) -> str:
    found = _GITHUB.match(text)
    repository = found[2].removesuffix(".git") if found else ""
    if not found or repository.strip(".") == "":
        raise UsageError("A source on GitHub is written github:owner/repo or github:owner/repo#ref.")
    return f"https://github.com/{found[1]}/{repository}.git"


def _checked(url: str) -> str:
    if _SCP.match(url):
        return url
    if not url.isprintable() or " " in url:
        raise UsageError("The URL of a git source must hold no space and no control character.")
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError:
        raise UsageError("The URL of the git source cannot be read: check its host and port.") from None
    fault = _fault(parts, host)
    if fault:
        raise UsageError(f"The URL of a git source {fault}.")
    return url


def _fault(parts: SplitResult, host: str) -> str | None:
    """Complete the sentence "The URL of a git source ..."; None when it may be used."""
    is_local = parts.scheme == "file"
    if parts.scheme not in ("https", "ssh", "file"):
        return f"must begin with https://, ssh:// or file://: give {FORMS}"
    if parts.username not in (None, "git" if parts.scheme == "ssh" else None) or parts.password is not None:
        return (
            "must hold no user name or password (but git@ for ssh): git's own credential helper keeps those"
        )
    if parts.query or "?" in parts.path:
        return "must have no `?` and nothing after it"
    if is_local and (parts.netloc or not parts.path.startswith("/")):
        return "of this machine needs an absolute path, as in git+file:///srv/team.git"
    if not is_local and (not host or host.startswith("-")):
        return "needs a host, as in git+https://example.com/team.git"
    if parts.path.strip("/") == "" or parts.path.startswith("/-"):
        return "needs the path of a repository"
    return None


def _checked_ref(ref: str | None) -> str | None:
    if ref and _NO_REF.match(ref):
        raise UsageError(
            "The ref is none that git knows: give a branch, a tag or a full commit, which begins with no `-`."
        )
    return ref or None
