"""Lines of source code: which are code, which lie in a comment or in a text of several lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Style = Literal["c", "hash", "perl", "ruby", "shell", "dash", "python"]
LONGEST = 4000
"""Characters of a line that are looked at: nobody writes longer ones by hand."""

_STYLES: dict[Style, str] = {
    "c": "js jsx mjs cjs ts tsx mts cts go rs java kt kts scala groovy gradle c cc cpp cxx h hh "
    "hpp hxx m mm cs fs swift php phpt dart zig d v sol proto cu css less scss",
    "perl": "pl pm t psgi pod",
    "ruby": "rb rake gemspec cr",
    "shell": "sh bash zsh ksh bats fish",
    "dash": "lua sql hs elm",
    "python": "py pyi pyx pxd",
}
_BY_ENDING: dict[str, Style] = {
    ending: style for style, endings in _STYLES.items() for ending in endings.split()
}


@dataclass(frozen=True)
class Line:
    """A line of code that is not blank and not only a comment."""

    number: int
    indent: int
    text: str
    """Without the spaces around it."""
    inside: Literal["", "comment", "text"] = ""
    """What was open where the line begins."""
    open_quote: bool = False
    """A quote opens here and does not close, where the language wants it to."""
    code: str = ""
    """The text with its comments and the contents of its quotes taken out."""


def style_of(path: str) -> Style:
    """How comments look in this file; `#` where nothing else is known."""
    name = path.rpartition("/")[2]
    ending = name.rpartition(".")[2].lower() if "." in name.lstrip(".") else ""
    if name in {"Rakefile", "Gemfile", "Guardfile", "rakefile"}:
        return "ruby"
    return _BY_ENDING.get(ending, "shell" if not ending else "hash")


_DIRECTIVE = re.compile(
    r"^(#!|//\s*(@ts-|eslint|go:|\+build|prettier-ignore|jshint|istanbul|c8|v8|@vitest|@jest|"
    r"nolint|swiftlint|NOLINT|clang-format)|#\s*(doctest|type:|pragma|noqa|rubocop|shellcheck|"
    r"-\*-|frozen_string|pylint|mypy|ruff|perltidy|bats|fmt:|cython:|distutils)|#\[|#\s*"
    r"(if|ifdef|ifndef|else|elif|endif|define|undef|include|pragma|error|import|line|warning)\b)"
)
_EXPECTATION = re.compile(
    r"^(//|#|;|--|%)\s*((RUN|CHECK[\w-]*|XFAIL|UNSUPPORTED|REQUIRES|expected-\w+|want|error|"
    r"note|~)[\w -]*[:{\"]|~|\^+\s|((unordered )?[Oo]utput:))"
)
"""Comments that a test compares with what happens."""
_HEREDOC = re.compile(r"<<[-~]?\\?(['\"]?)([A-Za-z_]\w*)\1")
_PLAIN = re.compile(r"[^\"'`/#\\-]+")
_POD = re.compile(r"^=(pod|head\d|begin|for|over|item|back|encoding)\b")


def source_lines(text: str, style: Style) -> list[Line]:
    """The lines of a text that say something, each with what it lies in."""
    reader = _Reader(style, frozenset(line.strip() for line in text.split("\n")))
    lines = (reader.line(number, raw) for number, raw in enumerate(text.split("\n"), 1))
    return [line for line in lines if line is not None]


class _Reader:
    """Goes through a text line by line and knows what is open."""

    def __init__(self, style: Style, whole: frozenset[str]) -> None:
        self.style, self.whole = style, whole
        self.open = ""
        """What ends that which is open: `*/`, a quote, the word of a heredoc; empty = code."""
        self.comment = False
        self.by_line = False
        """What is open ends with a line of its own."""
        self.expected = False
        """The comments that follow are the output that an example must have."""

    def line(self, number: int, raw: str) -> Line | None:
        raw = raw.rstrip()[:LONGEST]
        text = raw.strip()
        inside: Literal["", "comment", "text"] = (
            "" if not self.open else "comment" if self.comment else "text"
        )
        if not text:
            return None
        indent = len(raw.expandtabs(8)) - len(raw.expandtabs(8).lstrip())
        if self.by_line:
            if text == self.open or (self.open == "=cut" and text.startswith("=cut")):
                self.open, self.by_line, self.comment = "", False, False
            return Line(number, indent, text, inside)
        if not inside and (started := self._whole_line(text)) is not None:
            return Line(number, indent, text, "comment") if started else None
        code, open_quote = self._scan(text)
        if not inside and not code.strip() and not _DIRECTIVE.match(text) and not self.open:
            return None
        return Line(number, indent, text, inside, open_quote, code)

    def _whole_line(self, text: str) -> bool | None:
        """False: only a comment. True: it opens one of several lines. None: look at the line."""
        if self.style in {"perl", "ruby"}:
            if text in {"__END__", "__DATA__"}:
                self.open, self.by_line, self.comment = "\0", True, True
                return True
            if self.style == "perl" and _POD.match(text):
                self.open, self.by_line, self.comment = "=cut", True, True
                return True
            if self.style == "ruby" and text == "=begin":
                self.open, self.by_line, self.comment = "=end", True, True
                return True
        start = {"c": "//", "dash": "--"}.get(self.style, "#")
        if not text.startswith(start):
            self.expected = False
        elif _EXPECTATION.match(text):
            self.expected = "utput:" in text
            return True
        elif not _DIRECTIVE.match(text):
            return self.expected
        return None

    def _scan(self, text: str) -> tuple[str, bool]:
        """The code of a line and whether a quote stays open that should not."""
        out: list[str] = []
        at, size = 0, len(text)
        while at < size:
            if self.open:
                end = text.find(self.open, at)
                while end > 0 and not self.comment and _escaped(text, end):
                    end = text.find(self.open, end + 1)
                if end < 0:
                    break
                at = end + len(self.open)
                self.open, self.comment = "", False
                continue
            at += self._step(text, at, out)
        unclosed = bool(self.open) and not self.comment and not self._may_span()
        if unclosed:
            self.open = ""
        elif not self.open:
            self._heredoc("".join(out), text)
        return "".join(out), unclosed

    def _step(self, text: str, at: int, out: list[str]) -> int:
        """Look at one place of the code; returns how far it goes."""
        if plain := _PLAIN.match(text, at):
            out.append(plain[0])
            return len(plain[0])
        char, pair = text[at], text[at : at + 2]
        if self.style in {"c", "dash"} and pair == ("/*" if self.style == "c" else "--"):
            if self.style == "dash":
                return len(text) - at
            self.open, self.comment = "*/", True
            return 2
        if self.style == "c" and pair == "//" and text[at - 1 : at] != ":":
            return len(text) - at
        if char == "#" and self.style not in {"c", "dash"} and (not at or text[at - 1] in " \t;"):
            return len(text) - at
        if self.style == "python" and text[at : at + 3] in {'"""', "'''"}:
            self.open = text[at : at + 3]
            out.append('""')
            return 3
        if char in "\"'`":
            return self._quote(text, at, char, out)
        if char == "\\":
            out.append(text[at : at + 2])
            return 2
        out.append(char)
        return 1

    def _quote(self, text: str, at: int, char: str, out: list[str]) -> int:
        if char == "'" and self.style == "c":
            # A lifetime or a digit separator is no quote.
            before = text[at - 1 : at]
            close = text.find("'", at + 1)
            if before.isdigit() or close < 0:
                out.append(char)
                return 1
        if char == "'" and self.style in {"perl", "ruby"} and text[at - 1 : at].isalnum():
            out.append(char)
            return 1
        self.open = char
        out.append(char * 2)
        return 1

    def _may_span(self) -> bool:
        """Whether what is open may go on in the next line."""
        if self.open in {"`", '"""', "'''", "*/"}:
            return True
        return self.style == "shell"

    def _heredoc(self, code: str, text: str) -> None:
        if self.style not in {"shell", "perl", "ruby"} or "<<" not in code:
            return
        match = _HEREDOC.search(text)
        if match and match[2] in self.whole:
            self.open, self.by_line, self.comment = match[2], True, False


def _escaped(text: str, at: int) -> bool:
    count = 0
    while at > count and text[at - count - 1] == "\\":
        count += 1
    return count % 2 == 1


def balance(lines: Iterator[Line] | list[Line]) -> tuple[int, int]:
    """How many brackets stay open after the lines, and how many close that were opened before."""
    depth, below = 0, 0
    for line in lines:
        if line.inside:
            continue
        for char in line.code:
            if char in "([{":
                depth += 1
            elif char in ")]}":
                depth -= 1
                below = min(below, depth)
    return depth, below
