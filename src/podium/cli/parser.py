"""The parser of one command; global options may come before or after the command's name."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from functools import partial
from typing import NoReturn

from podium.core.errors import UsageError
from podium.core.nearest import nearest
from podium.views.fitting import columns


class Parser(argparse.ArgumentParser):
    """Reports errors as ours, so that there is one place for messages and exit codes."""

    def __init__(self, command: str, description: str) -> None:
        super().__init__(
            prog=f"podium {command}",
            description=description[:1].upper() + description[1:] + ".",
            allow_abbrev=False,
            # Left to itself, it imports `shutil` at every command, and with it compressors that no
            # command needs.
            formatter_class=partial(argparse.HelpFormatter, width=columns() - 2),
        )
        everywhere = self.add_argument_group("everywhere")
        everywhere.add_argument(
            "--project", metavar="DIR", help="the project's folder; default: found upward from here"
        )
        everywhere.add_argument(
            "--json", action="store_true", help="JSON on stdout, messages on stderr"
        )
        everywhere.add_argument("--quiet", action="store_true", help="only results and errors")
        everywhere.add_argument(
            "--no-color", action="store_true", help="no colour; NO_COLOR works too"
        )

    def error(self, message: str) -> NoReturn:
        missing = message.removeprefix("the following arguments are required: ")
        if missing != message:
            names = missing.split(", ")
            message = (
                f"{' and '.join(names)} {'are' if len(names) > 1 else 'is'} "
                f"missing{self._meant(names)}"
            )
        message = re.sub(
            r"^argument (\S+): invalid int value: (.*)$",
            r"\1 takes a whole number, not \2",
            message,
        )
        message = re.sub(
            r"^argument (\S+): invalid float value: (.*)$", r"\1 takes a number, not \2", message
        )
        message = re.sub(
            r"^argument (\S+): invalid choice: (.*) \(choose from (.*)\)$",
            lambda found: (
                f"{found[1]} cannot be {found[2]}; it is one of {found[3].replace(chr(39), '')}"
            ),
            message,
        )
        message = re.sub(
            r"^one of the arguments (.*) is required$",
            lambda found: f"say one of {', '.join(found[1].split())}",
            message,
        )
        message = re.sub(
            r"^argument (\S+): expected (one|at least one) argument$", r"\1 needs a value", message
        )
        end = "" if message.endswith("?") else "."
        raise UsageError(f"{self.prog}: {message}{end} See `{self.prog} --help`.")

    def _meant(self, names: Sequence[str]) -> str:
        """What the first missing argument can be, in the words of its help."""
        for each in self._actions:
            if names[0] in {each.metavar, each.dest, *each.option_strings}:
                said = f"one of: {', '.join(map(str, each.choices))}" if each.choices else each.help
                return f" ({said})" if said else ""
        return ""

    def read(self, argv: Sequence[str]) -> argparse.Namespace:
        """Options and positionals in any order; an unknown option is answered with the nearest
        one.
        """
        args, extra = self.parse_known_intermixed_args(list(argv))
        if extra:
            self.error(self._stray(extra))
        return args

    def _stray(self, extra: Sequence[str]) -> str:
        word = extra[0]
        if not word.startswith("-"):
            return f"{word!r} is one argument too many"
        match = nearest(word.partition("=")[0], list(self._option_string_actions))
        return f"there is no option {word}" + (f"; did you mean {match}?" if match else "")
