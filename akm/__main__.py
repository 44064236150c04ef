"""The `akm` command's first step: answer `--version` before anything is imported, else hand over."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line in `sys.argv`; returns the process exit status."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from akm import __version__

        sys.stdout.write(f"akm {__version__}\n")
        return 0
    import gc

    # What an import creates stays: looking for garbage in it costs as much as an empty interpreter.
    gc.disable()
    from akm.cli.app import main as run

    gc.freeze()
    gc.enable()
    status = run(sys.argv[1:])
    gc.freeze()
    return status


if __name__ == "__main__":
    sys.exit(main())
