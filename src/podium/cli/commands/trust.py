"""`podium trust FILE`: a workflow file of one's own is code, and runs only as it was trusted."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from pathlib import Path

from podium.cli import people
from podium.cli.terminal import terminal
from podium.core.errors import Fault, InputError
from podium.workflow_sources import is_path, trust


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a Python file with a podium.Workflow")


def run(args: Namespace) -> int:
    people.people_only()
    path = Path(args.file)
    if not is_path(args.file) or not path.is_file():
        raise InputError(Fault(args.file, "is not a Python file", "name a FILE.py that exists"))
    digest = trust(path, args.file, os.environ)
    terminal(args).answer(
        {"file": args.file, "digest": f"sha256:{digest}"},
        f"{args.file} may run as it is now (sha256 {digest[:12]}); after an edit, trust it again",
    )
    return 0
