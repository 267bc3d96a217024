"""Small breaks of changed lines: if the tests notice none of them, they say nothing about the
change.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest

_COMMENT = re.compile(r"^\s*(#|//|/\*|\*|--|;|%|\"\"\"|''')")
_SWAPS = (
    (re.compile(r"(?<![=!<>])==(?!=)"), "!="),
    (re.compile(r"!=(?!=)"), "=="),
    (re.compile(r"==="), "!=="),
    (re.compile(r"!=="), "==="),
    (re.compile(r"(?<![<>=-])<=(?![>=])"), ">"),
    (re.compile(r"(?<![<>=-])>=(?!=)"), "<"),
    (re.compile(r"(?<=[\w)\]] )<(?= [\w(])"), ">="),
    (re.compile(r"(?<=[\w)\]] )>(?= [\w(])"), "<="),
    (re.compile(r"\band\b"), "or"),
    (re.compile(r"\bor\b"), "and"),
    (re.compile(r"&&"), "||"),
    (re.compile(r"\|\|"), "&&"),
    (re.compile(r"\bTrue\b"), "False"),
    (re.compile(r"\bFalse\b"), "True"),
    (re.compile(r"\btrue\b"), "false"),
    (re.compile(r"\bfalse\b"), "true"),
    (re.compile(r"(?<=[\w)\]] )\+(?= [\w(\"'])"), "-"),
    (re.compile(r"(?<=[\w)\]] )-(?= [\w(])"), "+"),
    (re.compile(r"(?<=[\w)\]] )\*(?= [\w(])"), "/"),
    (re.compile(r"\bmin\("), "max("),
    (re.compile(r"\bmax\("), "min("),
    (re.compile(r"\bnot (?=\w)"), ""),
    (re.compile(r"(?<![\w!=])!(?=[\w(])"), ""),
    (re.compile(r"\bif (?!not\b)(?=[\w(])"), "if not "),
)
_NUMBER = re.compile(r"(?<![\w.])(\d{1,18})(?![\w.])")
_RETURN = re.compile(r"^(\s*return\s+)(?!\s*;?\s*$)[^;]+(;?\s*)$")
_NOTHING = {"py": "None", "rb": "nil", "go": "nil", "lua": "nil", "pl": "undef", "php": "null"}


@dataclass(frozen=True)
class Mutant:
    """One broken line."""

    path: str
    line: int
    """Its number, from 1."""
    before: str
    after: str

    def applied(self, text: str) -> str:
        lines = text.splitlines(keepends=True)
        end = lines[self.line - 1][len(lines[self.line - 1].rstrip("\r\n")) :]
        lines[self.line - 1] = self.after + end
        return "".join(lines)


def mutants(changed: Mapping[str, tuple[str, Iterable[int]]], most: int) -> tuple[Mutant, ...]:
    """At most so many, spread over the changed lines: path to (text, numbers of changed lines)."""
    each = [
        list(_of_line(path, number, text.splitlines()[number - 1]))
        for path, (text, numbers) in sorted(changed.items())
        for number in sorted(numbers)
    ]
    # The first break of every line before the second of any.
    spread = [mutant for row in zip_longest(*each) for mutant in row if mutant is not None]
    return tuple(spread[:most])


def _of_line(path: str, number: int, line: str) -> Iterator[Mutant]:
    if not line.strip() or _COMMENT.match(line):
        return
    seen = {line}
    for after in _broken(path, line):
        if after not in seen:
            seen.add(after)
            yield Mutant(path, number, line, after)


def _broken(path: str, line: str) -> Iterator[str]:
    for pattern, instead in _SWAPS:
        match = pattern.search(line)
        if match and not _in_text(line, match.start()):
            yield line[: match.start()] + instead + line[match.end() :]
    if (match := _NUMBER.search(line)) and not _in_text(line, match.start()):
        yield f"{line[: match.start()]}{int(match[1]) + 1}{line[match.end() :]}"
    if match := _RETURN.match(line):
        nothing = _NOTHING.get(path.rpartition(".")[2], "null" if match[2].strip() else "")
        if nothing:
            yield f"{match[1]}{nothing}{match[2]}"


def _in_text(line: str, at: int) -> bool:
    """Whether a position is within quotes, as far as one line tells."""
    before = line[:at].replace("\\\\", "").replace('\\"', "").replace("\\'", "")
    return before.count('"') % 2 == 1 or before.count("'") % 2 == 1 or before.count("`") % 2 == 1


def changed_lines(patch: str) -> dict[str, list[int]]:
    """Paths of a git patch, from the top level, to the numbers of the lines that it adds."""
    added: dict[str, list[int]] = {}
    path, number = "", 0
    for line in patch.splitlines():
        if line.startswith("+++ "):
            path = line[6:] if line.startswith("+++ b/") else ""
        elif match := _HUNK.match(line):
            number = int(match[1])
        elif line.startswith("+") and path:
            added.setdefault(path, []).append(number)
            number += 1
        elif line.startswith(" "):
            number += 1
    return added


_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(\d{1,9})(?:,\d+)? @@")
