"""The command line: finds the command, and turns whatever happened into one message and one exit
code.

0 complete · 2 usage, configuration or input · 10 waits for a person · 11 waits for a timer
20 blocked or halted by a rule · 21 budget · 30 cancelled · 40 somebody else drives the run
1 a bug of ours, with a report file · 130 interrupted, resumable
"""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper

from podium.cli import table
from podium.core.errors import InputError, PodiumError, UsageError
from podium.views.fitting import fitted

INTERRUPTED = 130
BUG = 1
_VALUED = ("--project",)
_FLAGS = ("--json", "--quiet", "--no-color")


def main(argv: Sequence[str]) -> int:
    if "_ARGCOMPLETE" in os.environ:
        return int(import_module("podium.cli.completion").complete())
    import_module("podium.cli.own_environment").leave(os.environ, sys.prefix)
    _sayable("podium.json" if wants_json(argv) else "replace")
    try:
        code = _command(list(argv))
        sys.stdout.flush()
    except PodiumError as error:
        return _refused(error, argv)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader is gone (`podium log @ | head`); the interpreter must not notice it again when
        # it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        fault = import_module("podium.cli.disk_fault").told(error)
        return (
            int(import_module("podium.cli.bug").report(error, argv, BUG))
            if fault is None
            else _refused(fault, argv)
        )
    except SystemExit as leave:  # argparse, after --help
        return leave.code if isinstance(leave.code, int) else 0
    except Exception as error:  # noqa: BLE001 - the one place where a bug becomes an exit code
        return int(import_module("podium.cli.bug").report(error, argv, BUG))
    return code


def _sayable(errors: str) -> None:
    """Let no character end a command, whatever the terminal's encoding: it becomes a question mark,
    and in data an escape.
    """
    codecs.register_error("podium.json", _escaped)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=errors)


def _escaped(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    import json  # noqa: PLC0415

    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


def _command(argv: list[str]) -> int:
    name, rest = split(argv)
    if name == "--version":
        from podium import __version__  # noqa: PLC0415

        print(f"podium {__version__}")  # noqa: T201
        return 0
    if name == "help" and rest:
        name, rest = rest[0], ["--help", *rest[1:]]
    if name in {"", "help", "--help", "-h"}:
        print(fitted(table.overview() if name else table.welcome(), sys.stdout))  # noqa: T201
        return 0
    if name not in table.COMMANDS:
        raise UsageError(_no_command(name))
    from podium.cli.parser import Parser  # noqa: PLC0415 - loads argparse only for a command

    chosen = import_module(table.module(name))
    parser = Parser(name, table.COMMANDS[name])
    chosen.configure(parser)
    return int(chosen.run(parser.read(rest)))


def split(argv: Sequence[str]) -> tuple[str, list[str]]:
    """The command's name and the words around it; global options may come before it."""
    words = iter(enumerate(argv))
    for at, word in words:
        if word in _VALUED:
            next(words, None)
        elif word not in _FLAGS and not word.startswith(tuple(f"{each}=" for each in _VALUED)):
            return word, [*argv[:at], *argv[at + 1 :]]
    return "", list(argv)


def _no_command(name: str) -> str:
    from podium.core.nearest import nearest  # noqa: PLC0415 - only a mistake needs it

    if name.startswith("-"):
        return f"there is no option {name} before a command. `podium` alone lists the commands."
    match = nearest(name, table.COMMANDS)
    return f"there is no command {name!r}" + (
        f"; did you mean `podium {match}`?" if match else ". `podium` alone lists the commands."
    )


def _refused(error: PodiumError, argv: Sequence[str]) -> int:
    if wants_json(argv):
        import json  # noqa: PLC0415

        faults = [vars(fault) for fault in error.faults] if isinstance(error, InputError) else []
        told = {"error": {"code": error.exit_code, "message": str(error), "faults": faults}}
        print(json.dumps(told, ensure_ascii=False))  # noqa: T201
    said = str(error)
    # A message about one command names it already.
    # Several faults stand below each other; what belongs to the first line is set in.
    several = any(line[:1].strip() for line in said.split("\n")[1:])
    lead = "podium:\n" if several else "" if said.startswith("podium ") else "podium: "
    print(fitted(f"{lead}{said}", sys.stderr), file=sys.stderr)  # noqa: T201
    return error.exit_code


def wants_json(argv: Sequence[str]) -> bool:
    words = list(argv)
    return "--json" in (words[: words.index("--")] if "--" in words else words)
