"""A bug of ours: a report file with the traceback, and one line that says where it is."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

from podium import __version__
from podium.cli.main import wants_json
from podium.settings.project import find_project
from podium.verify.redact import Redactor


def report(error: BaseException, argv: Sequence[str], code: int) -> int:
    harmless = Redactor(os.environ)
    path = _kept(harmless(_text(error, argv)))
    what = harmless(f"{type(error).__name__}: {error}".splitlines()[0])
    print(f"podium: a fault of the program itself ({what}). Report: {path}", file=sys.stderr)  # noqa: T201
    if wants_json(argv):
        import json  # noqa: PLC0415

        told = {"error": {"code": code, "message": what, "faults": [], "report": str(path)}}
        print(json.dumps(told, ensure_ascii=False))  # noqa: T201
    return code


def _text(error: BaseException, argv: Sequence[str]) -> str:
    return "\n".join(
        [
            f"podium {__version__}, Python {platform.python_version()}, {platform.platform()}",
            f"command: podium {' '.join(argv)}",
            "",
            "".join(traceback.format_exception(error)),
        ]
    )


def _kept(text: str) -> Path:
    """In the folder of the project that git ignores if that exists and is writable, otherwise in
    the temporary folder.
    """
    name = f"bug-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{os.getpid()}.txt"
    for folder in (find_project(Path.cwd()) / ".podium" / "cache", Path(tempfile.gettempdir())):
        try:
            if folder.is_dir():
                (folder / name).write_text(text, encoding="utf-8")
                return folder / name
        except OSError:
            continue
    return Path(os.devnull)
