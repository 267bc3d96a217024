"""`podium ui`: watch runs and decide in a browser."""

from __future__ import annotations

import os
import re
import sys
import webbrowser
from argparse import ArgumentParser, Namespace
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from podium.cli import context, people
from podium.cli.terminal import Terminal, terminal
from podium.core.errors import UsageError

if TYPE_CHECKING:
    from podium.web.serving import Served, Wanted

PASSWORD = "PODIUM_PASSWORD"  # noqa: S105  # a variable's name


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--port",
        metavar="N",
        type=int,
        default=0,
        help="the port; default: the first free one from 8790",
    )
    parser.add_argument(
        "--no-browser", action="store_true", help="print the address without opening a browser"
    )
    parser.add_argument(
        "--host",
        metavar="ADDRESS",
        default="127.0.0.1",
        help="where to listen; anything but this machine needs --remote",
    )
    parser.add_argument(
        "--remote",
        action="store_true",
        help=(
            f"let people in over a network; needs a password (${PASSWORD} or --password-file) or "
            "--trust-header"
        ),
    )
    parser.add_argument(
        "--password-file", metavar="FILE", default="", help="the password for --remote"
    )
    parser.add_argument(
        "--trust-header",
        metavar="NAME",
        default="",
        help="trust the proxy in front: this header names the person",
    )
    parser.add_argument(
        "--allow-host",
        metavar="NAME",
        action="append",
        default=[],
        help="a host name people use to reach it with --remote; may be repeated",
    )


def run(args: Namespace) -> int:
    people.people_only()
    from podium.web.serving import Served  # noqa: PLC0415

    out = terminal(args)
    wanted = _wanted(args)
    served = Served(wanted, os.environ, lambda link: out.remark(f"For another browser: {link}"))
    for each in _warnings(args, wanted):
        out.remark(f"podium: {each}")
    _show(args, out, served)
    served.run()
    return 0


def _show(args: Namespace, out: Terminal, served: Served) -> None:
    link = served.link()
    out.answer({"url": link, "port": served.port}, link)
    sys.stdout.flush()  # a program that reads it must not wait for the end
    out.remark("Ctrl-C ends the dashboard; runs continue without it.")
    if not args.no_browser and not args.json:
        # In a thread: some terminal browsers return only when they are closed.
        Thread(target=webbrowser.open, args=(link,), daemon=True).start()


def _wanted(args: Namespace) -> Wanted:
    from podium.web.serving import LOOPBACK, Wanted  # noqa: PLC0415

    if not 0 <= args.port < 65536:
        raise UsageError(f"--port {args.port}: 1 to 65535, or 0 for a free one")
    far = args.host not in LOOPBACK
    if (far or args.allow_host or args.password_file) and not args.remote:
        raise UsageError(
            (
                f"--host {args.host}: people on the network could reach it; say --remote if that "
                "is meant"
            )
            if far
            else "--allow-host and --password-file are for --remote"
        )
    if args.trust_header and not re.fullmatch(r"[A-Za-z0-9-]{1,64}", args.trust_header):
        raise UsageError(f"--trust-header {args.trust_header!r} is not the name of a header")
    if args.remote and args.host in {"0.0.0.0", "::"} and not args.allow_host:  # noqa: S104
        raise UsageError(
            f"--host {args.host}: say with --allow-host under which name people reach it"
        )
    password = _password(args) if args.remote and not args.trust_header else ""
    project = context.project(args)
    return Wanted(
        project,
        people.person(project),
        args.port,
        args.host,
        args.allow_host,
        password,
        args.trust_header,
    )


def _password(args: Namespace) -> str:
    from podium.web.access import SHORTEST_PASSWORD  # noqa: PLC0415

    said = os.environ.get(PASSWORD, "")
    if args.password_file:
        try:
            said = Path(args.password_file).read_text(encoding="utf-8").rstrip("\r\n")
        except (OSError, UnicodeDecodeError) as fault:
            raise UsageError(
                f"--password-file: {args.password_file} cannot be read: {fault}"
            ) from None
    if len(said) < SHORTEST_PASSWORD:
        raise UsageError(
            f"--remote needs a password of {SHORTEST_PASSWORD} characters or more, in "
            f"${PASSWORD} or --password-file FILE; or --trust-header NAME behind a proxy"
        )
    return said


def _warnings(args: Namespace, wanted: Wanted) -> list[str]:
    found = []
    if wanted.header:
        found.append(
            f"anyone who reaches this port can claim any name in the header {wanted.header}: "
            "let only your proxy reach it, "
            "and let the proxy remove that header from what comes in"
        )
    if args.remote:
        found.append(
            "people who come in over the network see this project's documents, code and "
            "transcripts, and what they decide is carried out here; "
            "the connection is not encrypted: use a tunnel (ssh -L) or a proxy with TLS"
        )
    if wanted.password:
        found.append(
            "the name in the journal is the one a person gave when signing in; the password "
            "says only that they may"
        )
    return found
