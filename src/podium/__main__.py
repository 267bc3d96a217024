"""The command's door. Start-up is a feature: `--version` imports nothing, other commands only
what they use.
"""

from __future__ import annotations

import sys

COLLECTED_AFTER = 20_000
"""Objects that are new: a command makes some ten thousand while it imports, and none of them is
garbage.
"""


def main(argv: list[str] | None = None) -> int:
    """Run one command; the exit code says whose move is next (podium.cli.main)."""
    words = sys.argv[1:] if argv is None else argv
    if words in (["--version"], ["-V"]):
        from podium import __version__  # noqa: PLC0415

        sys.stdout.write(f"podium {__version__}\n")
        return 0
    import gc  # noqa: PLC0415

    gc.set_threshold(
        COLLECTED_AFTER, *gc.get_threshold()[1:]
    )  # else a tenth of a short command is looking for it
    from podium.cli.main import main as command  # noqa: PLC0415

    code = command(words)
    if "temporalio" in sys.modules:
        import os  # noqa: PLC0415

        # Its client may crash while the interpreter takes itself apart (temporalio/sdk-python#300);
        # all is done by now.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    return code


if __name__ == "__main__":
    sys.exit(main())
