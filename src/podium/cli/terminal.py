"""Where words and data go: results on stdout, remarks on stderr; with --json only data on
stdout.
"""

from __future__ import annotations

import json
import os
import sys
from argparse import Namespace
from dataclasses import dataclass
from typing import Any

from podium.views.fitting import fitted


@dataclass(frozen=True)
class Terminal:
    json: bool = False
    """Data on stdout, all words for people on stderr."""
    quiet: bool = False
    """No remarks, only results and errors."""
    color: bool = False

    def say(self, text: str) -> None:
        """The command's result, in words."""
        print(text, file=sys.stderr if self.json else sys.stdout)

    def remark(self, text: str) -> None:
        """Something useful to know besides the result."""
        if not self.quiet:
            print(fitted(text, sys.stderr), file=sys.stderr)  # noqa: T201

    def data(self, value: Any) -> None:
        """The one object of --json."""
        if self.json:
            # One line for programs, whether they read everything or line by line; indented if a
            # person looks.
            indent = 2 if sys.stdout.isatty() else None
            print(json.dumps(value, ensure_ascii=False, indent=indent), file=sys.stdout)  # noqa: T201

    def answer(self, value: Any, text: str) -> None:
        """The same result for programs or for people."""
        if self.json:
            self.data(value)
        else:
            self.say(text)

    def explain(self, value: Any, text: str) -> None:
        """The same, where the words are sentences: at a terminal they break between words."""
        self.answer(value, text if self.json else fitted(text, sys.stdout))


def terminal(args: Namespace) -> Terminal:
    plain = args.no_color or bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return Terminal(args.json, args.quiet, color=not plain and sys.stdout.isatty())
