"""mocha (spec, dot, min …), and reporters of tap that print the same way."""

from __future__ import annotations

import re

from podium.proof.session import Reader, tally

_TOTAL = re.compile(r"(?:.*[^\d])?(\d{1,9} passing) \(\d+(?:\.\d+)?(?:ms|s|m|h)\)$")
_OTHER = re.compile(r" {1,4}(\d{1,9} (?:failing|pending))$")
_NUMBERED = re.compile(r"  (\d{1,6})\) (\S.*)$")
_INDENT = re.compile(r" *")
_FRAME = re.compile(r"\s+at .{0,40}?(?:Context|Test)\.<anonymous> \((?:file://)?(.+?):\d+:\d+\)$")
_TIMEOUT = re.compile(r".*For async tests and hooks, ensure .* resolves\. \((.+)\)$")
_LEVELS = 30


class MochaReader(Reader):
    name = "mocha"
    marks = (" passing (", " failing\n", "Error: No test files found")
    gate = re.compile(
        r".*passing \(|  +\d+ (?:failing|pending)|  \d+\) |\s+at |Error: No test files"
        r"|.*For async tests and hooks"
    )

    def __init__(self) -> None:
        super().__init__()
        self.titles: list[str] = []
        self.details = False
        """Whether the numbered failures follow."""
        self.path = ""

    def read(self, line: str) -> None:
        if self.wants_next and self._title(line):
            return
        if match := _TOTAL.match(line):
            self._begin()
            self.session.add(tally(match[1]))
            self.session.ended = True
            self.details = False
        elif match := _OTHER.match(line):
            self.latest.add(tally(match[1]))
            self.latest.ended = True
            self.details = self.details or match[1].endswith("failing")
        elif self.details and (match := _NUMBERED.match(line)):
            self._begin()
            self.titles = [match[2]]
            self.wants_next = True
        elif line.startswith("Error: No test files found"):
            self.session.empty = self.session.ended = True
        elif self.titles and not self.path:
            match = _FRAME.match(line) or _TIMEOUT.match(line)
            self.path = match[1] if match else ""

    def close(self) -> None:
        self._begin()

    def _title(self, line: str) -> bool:
        """A title stands below its suite's, each two columns further; the message of the failure
        does not.
        """
        indent = _INDENT.match(line)
        width = indent.end() if indent else 0
        if width == 5 + 2 * len(self.titles) and line.strip() and len(self.titles) < _LEVELS:
            self.titles.append(line.strip())
            return True
        self.wants_next = False
        return False

    def _begin(self) -> None:
        """Name the failure whose details end here."""
        if self.titles:
            title = " > ".join(self.titles).removesuffix(":")
            self.latest.name(f"{self.path} > {title}" if self.path else title)
        self.titles, self.path, self.wants_next = [], "", False
