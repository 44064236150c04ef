"""One clone of a bundle: made, fetched into and moved to a commit, file by file as the commit holds them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from akm import clock
from akm.bundles import git
from akm.bundles.git_source import GitSource
from akm.engine.abort import Abort

#: Wins over every .gitattributes: nothing is converted, and no program that was set up as a filter runs.
_ATTRIBUTES = "* -text -filter -ident !working-tree-encoding\n"
_KINDS = {"A": "added", "D": "removed"}


@dataclass(frozen=True, slots=True)
class Repository:
    """A clone in `folder`, whose repository is its `.git` and no other's."""

    folder: Path
    source: GitSource
    abort: Abort

    @property
    def exists(self) -> bool:
        """Tell whether the folder is a clone."""
        return (self.folder / ".git/HEAD").is_file()

    def create(self) -> None:
        """Make an empty repository in the folder, which is there."""
        options = ("--quiet", "--template=", "--initial-branch=main", "--object-format=sha1")
        self._run(["init", *options, "--", str(self.folder)])
        info = self.folder / ".git/info"
        info.mkdir(exist_ok=True)
        (info / "attributes").write_text(_ATTRIBUTES, encoding="ascii")
        self._here("config", "remote.origin.url", self.source.url)

    def origin(self) -> str:
        """Return the URL that the clone was made from; empty when it does not say."""
        return self._here("config", "--default", "", "--get", "remote.origin.url").strip()

    def fetch(self) -> str:
        """Fetch what the source's ref means now, without its history, and return the commit."""
        # One that a killed git left would keep every later one away. Clones are changed one at a time.
        (self.folder / ".git/shallow.lock").unlink(missing_ok=True)
        wanted = self.source.ref or "HEAD"
        options = ("--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--refmap=")
        self._here("fetch", *options, "--", self.source.url, wanted, seconds=git.NETWORK_SECONDS)
        return self._here("rev-parse", "--verify", "--quiet", "FETCH_HEAD^{commit}").strip()

    def head(self) -> str:
        """Return the commit that is checked out."""
        return self._here("rev-parse", "--verify", "HEAD^{commit}").strip()

    def date(self, commit: str) -> str:
        """Return when a commit was made, as a timestamp."""
        return clock.stamp(float(self._here("log", "-1", "--format=%ct", commit, "--")))

    def changed(self) -> list[str]:
        """List the files of the commit that were changed here; others are not looked at."""
        options = ("--porcelain", "-z", "--no-renames", "--untracked-files=no", "--ignore-submodules=all")
        return [entry[3:] for entry in self._here("status", *options).split("\0") if entry]

    def difference(self, old: str, new: str) -> dict[str, list[str]]:
        """List the files that differ between two commits, as `added`, `changed` and `removed`."""
        words = self._here("diff-tree", "-r", "-z", "--no-renames", "--name-status", old, new, "--").split(
            "\0"
        )
        found: dict[str, list[str]] = {"added": [], "changed": [], "removed": []}
        for kind, file in zip(words[::2], words[1::2], strict=False):
            found[_KINDS.get(kind, "changed")].append(file)
        return found

    def check_out(self, commit: str, *, force: bool = False) -> None:
        """Make the files what the commit holds. Without `force` nothing that differs is overwritten."""
        options = ("--quiet", "--detach", "--no-recurse-submodules", "--no-overwrite-ignore")
        self._here("checkout", *options, *(("--force",) if force else ()), commit, "--")

    def _here(self, *arguments: str, seconds: int = git.LOCAL_SECONDS) -> str:
        # Named, never looked for: a folder without a `.git` must not lead to the repository around it.
        places = [f"--git-dir={self.folder}/.git", f"--work-tree={self.folder}"]
        return self._run([*places, *arguments], seconds=seconds)

    def _run(self, arguments: list[str], *, seconds: int = git.LOCAL_SECONDS) -> str:
        return git.run(
            arguments,
            cwd=self.folder,
            abort=self.abort,
            what=self.source.text + (f"#{self.source.ref}" if self.source.ref else ""),
            protocols=self.source.protocols,
            seconds=seconds,
        )
