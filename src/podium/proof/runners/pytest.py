"""pytest: with and without headers, verbose, quiet, over workers, with and without its summary of
failures.
"""

from __future__ import annotations

import re

from podium.proof.session import Reader, Session, tally, union

_WORDS = (
    "passed|failed|errors?|skipped|xfailed|xpassed|deselected|rerun|warnings?"
    "|subtests (?:passed|failed)"
)
_TOTAL = re.compile(rf"(?<!\d)\d{{1,9}} (?:{_WORDS})\b[^=]{{0,300}}? in \d+(?:\.\d+)?s\b")
_NONE = re.compile(r".{0,200}\bno tests (?:ran|collected).{0,40} in \d")
_HEADER = re.compile(r"={3,} (.+?) ={3,}$")
_SECTION = re.compile(r"_{2,} (.+) _{2,}$")
_LISTED = re.compile(r"(FAILED|ERROR|SUBFAIL(?:ED)?(?:[\[(].{0,200}?[\])])?) (?! )(\S.*)$")
_LIVE = re.compile(r"(.+) (FAILED|ERROR)(?: +\[[ \d%/]+\])?$")
_WORKER = re.compile(r"\[gw\d+\] +\[[ \d%]+\] (FAILED|ERROR|SUBFAIL\S*) (.+?) *$")
_PROGRESS = re.compile(r"(?:([.FEsxXRpu,-]+)|\S+ ([.FEsxXRpu,-]+))? *\[ *(?:(\d+)%|(\d+)/(\d+))\]$")
_STOP = re.compile(r"!{3,} (.+?) !{3,}$")
_PLACE = re.compile(r"(\S+\.\w+):\d+: ?")
_ERROR_AT = re.compile(r"ERROR (?:at (?:setup|teardown) of|collecting) (.+)")
_HEADS = ("=", "_", "!", "FAILED", "ERROR", "SUBFAIL", "[gw", "INTERNALERROR>")
_TAILS = ("]", "FAILED", "ERROR")
_WHERE = ("test session starts", "short test summary info", "FAILURES", "ERRORS")

_LIST, _RUN, _TRACE = 0, 1, 2
"""Channels: the summary of failures, the progress line by line, the headings of tracebacks."""


class PytestReader(Reader):
    name = "pytest"
    marks = (
        "test session starts",
        "short test summary info",
        "no tests ran in ",
        "%]\n",
        *(f"{word} in " for word in ("passed", "failed", "error", "errors", "skipped")),
        *(f"{word} in " for word in ("deselected", "xfailed", "xpassed", "rerun", "warnings")),
    )

    def __init__(self) -> None:
        super().__init__()
        self.section = ""
        self.trace = ""
        self.dots = 0
        self.whole = False
        """Whether the progress reached its end."""
        self.headed = False
        self.known: frozenset[str] = frozenset()
        """Names from before the list of failures."""

    def sees(self, line: str) -> bool:
        return (
            line.startswith(_HEADS) or line.endswith(_TAILS) or " in " in line or bool(self.trace)
        )

    def read(self, line: str) -> None:
        if line.endswith("]") and self._progress(line):
            return
        if line.startswith(("=", "_", "!")):
            self._rule(line)
        elif line.startswith("INTERNALERROR>"):
            self.session.stopped = "INTERNALERROR"
        elif line.startswith(("FAILED", "ERROR", "SUBFAIL")):
            self._listed(line)
        elif line.startswith("[gw"):
            self._worker(line)
        elif line.endswith(("]", "FAILED", "ERROR")):
            self._live(line)
        elif self.trace:
            self._place(line)
        if " in " in line:
            self._total(line)

    def close(self) -> None:
        self._name_trace("")
        if self.sessions and not self.latest.ended and self.whole and not self.headed:
            # `-qq` prints no numbers: the dots are all there is.
            self.latest.counts["passed"] = self.dots
            self.latest.counted = True
            self._end(self.latest)

    def _rule(self, line: str) -> None:
        if match := _STOP.match(line):
            self.session.stopped = match[1]
        elif match := _SECTION.match(line):
            self._name_trace("")
            if self.section in {"FAILURES", "ERRORS"}:
                self.trace = match[1]
        elif match := _HEADER.match(line):
            self._name_trace("")
            self.section = match[1]
            if match[1] == "short test summary info":
                names = (self.session.names(_RUN), self.session.names(_TRACE))
                self.known = frozenset(name for each in names for name in each)
            if match[1] in _WHERE:
                if match[1] == "test session starts":
                    self.headed = True
                    self._break_off()
                self.session.begun = True

    def _break_off(self) -> None:
        """Another session starts; if the one before printed no summary, it has none."""
        if self.sessions and not self.sessions[-1].ended and self.sessions[-1].begun:
            self.begin()

    def _progress(self, line: str) -> bool:
        match = _PROGRESS.match(line)
        if not match:
            return False
        signs = match[1] or match[2] or ""
        session = self.session
        session.begun = True
        session.least += signs.count("F") + signs.count("E")
        self.dots += signs.count(".")
        self.whole = match[3] == "100" or (bool(match[4]) and match[4] == match[5])
        return True

    def _listed(self, line: str) -> None:
        match = _LISTED.match(line)
        if not match or not (self.section == "short test summary info" or "::" in line):
            return
        word, rest = match.groups()
        name = self._node(rest)
        if word.startswith("SUB"):
            name += " " + word.removeprefix("SUBFAILED").removeprefix("SUBFAIL")
        self.session.begun = True
        self.session.name(name, coarse="::" not in name, channel=_LIST)

    def _node(self, text: str) -> str:
        """The id at the beginning of `id - message`. Both may have ` - ` in them: then the one that
        was named before.
        """
        dash = text.find(" - ")
        if "[" not in text[:dash]:
            return text if dash < 0 else text[:dash]
        names = self.known
        while dash >= 0:
            if text[:dash] in names:
                return text[:dash]
            dash = text.find(" - ", dash + 1)
        return text if text in names else node(text)

    def _worker(self, line: str) -> None:
        match = _WORKER.match(line)
        if match:
            sub = match[1].removeprefix("SUBFAILED") if match[1].startswith("SUB") else ""
            self.session.begun = True
            self.session.name(f"{match[2]} {sub}", channel=_RUN)

    def _live(self, line: str) -> None:
        match = _LIVE.match(line)
        if match and "::" in match[1]:
            self.session.begun = True
            self.session.name(match[1], channel=_RUN)

    def _place(self, line: str) -> None:
        match = _PLACE.match(line)
        if match:
            self._name_trace(match[1])

    def _name_trace(self, path: str) -> None:
        """Name a traceback's test the way pytest does, from its heading and its first place."""
        if not self.trace:
            return
        title, self.trace = self.trace, ""
        if match := _ERROR_AT.match(title):
            title = match[1]
        if not path or title == path:
            self.session.name(title, coarse=not path, channel=_TRACE)
            return
        own, bracket, rest = title.removeprefix("[doctest] ").partition("[")
        inner = own if title.startswith("[doctest]") else own.replace(".", "::")
        self.session.name(f"{path}::{inner}{bracket}{rest}", channel=_TRACE)

    def _total(self, line: str) -> None:
        totals = _TOTAL.findall(line)
        empty = _NONE.match(line) is not None
        if not totals and not empty:
            return
        self._name_trace("")
        session = self.session
        session.empty = session.empty or empty
        for total in totals:
            session.add(tally(total))
        session.empty = session.empty or not (session.passed or session.failed or session.skipped)
        self._end(session)

    def _end(self, session: Session) -> None:
        if len(union([session.names(_LIST), session.names(_RUN)])) >= session.counts["failed"]:
            session.drop(_TRACE)
        session.ended, self.section, self.dots, self.whole = True, "", 0, False


def node(text: str) -> str:
    """The id at the beginning of a line `id - message`; an id may have ` - ` in its brackets."""
    start = text.find("[")
    dash = text.find(" - ")
    if 0 <= start < dash or (start >= 0 and dash < 0):
        end = text.find("]", start)
        while end >= 0:
            if end + 1 == len(text) or text.startswith(" - ", end + 1):
                return text[: end + 1]
            end = text.find("]", end + 1)
    return text if dash < 0 else text[:dash]
