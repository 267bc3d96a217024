"""How a title or a line states the severity of a finding: in brackets, as its first word, or for
all that follows.

Agents are asked for `[Severity: High]`. People and models also write `High: …`, `High — …`, `…
(High)`, and a heading
`High` over a list. A word that belongs to no scale is not a mark: `High-level design` is a title.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from podium.formats import resolution
from podium.formats.field_lines import fold_key, parse_field
from podium.formats.outline import fold_title
from podium.workflows.feature.findings.severities import CT, R, bare

NOT_SAID = "?"
"""Stands for a severity that no scale knows."""
_WORDS = frozenset(word.casefold() for word in (*CT.words[1:], *R.words[1:]))
_WORD = rf"(?:{'|'.join(sorted(_WORDS))})"
_MARKER = re.compile(r"(?<!\\)\[\s*severity\s*:(?P<said>[^\[\]]*)\]", re.IGNORECASE)
_BRACKETED = re.compile(r"\[(?P<said>[A-Za-z ]{2,20})\](?![(\[:])")
_THINGS = (
    r"(?:findings?|issues?|problems?|concerns?|risks?|items?|vulnerabilit(?:y|ies)|defects?|"
    r"flaws?|observations?)"
)
_LEADING = re.compile(
    rf"(?:(?:finding|issue)?\s{{0,3}}#?\d{{1,4}}[.):]?\s{{1,3}})?"
    rf"(?P<said>{_WORD}s?(?:\s{{0,3}}(?:/|,|&|\band\b|\bor\b)\s{{0,3}}{_WORD}s?){{0,3}})"
    rf"(?:[\s-]{{1,3}}(?:severity|priority))?(?:\s{{1,3}}{_THINGS})?(?:\s{{0,3}}[#-]?\d{{1,4}})?"
    r"\s{0,3}(?P<rest>$|[:—–(\[|].*|-\s.*)",
    re.IGNORECASE,
)
_TRAILING = re.compile(rf"(?<=\s)\(\s?(?:severity\s?:\s?)?(?P<said>{_WORD})\s?\)$", re.IGNORECASE)
_EACH = re.compile(_WORD, re.IGNORECASE)
_ENDS = " \t:—–-*_"
_NOTHING = re.compile(
    rf"(?:none|nothing|nil|n/?a|not applicable|zero|0)\b(?!\s+of\b)(?:\s+[\w-]+){{0,6}}|[\s—–-]*"
    rf"|no(?:\s+[\w/-]+){{0,4}}?\s+(?:{_THINGS}|{_WORD}s?)(?:\s+[\w-]+){{0,4}}",
    re.IGNORECASE,
)
_SECTION = re.compile(
    r"(?!(?:no|non|resolved|fixed|mended|closed|previous|earlier|past|known|existing|pre "
    r"existing|rejected)\b)"
    r"(?:[\w-]+\s){0,1}(?:findings?|issues|problems|vulnerabilities)(?:\s(?:found|identified))?"
)
_NUMBERED = re.compile(
    r"(?:finding|issue|problem|vulnerability)\s{0,3}(?:#?\d{1,4}\b\s{0,3}[:.)—–-]?|[:—–-])\s*\S",
    re.IGNORECASE,
)
_ASIDES = frozenset(
    {
        "summary",
        "overview",
        "scope",
        "method",
        "methodology",
        "conclusion",
        "coverage",
        "requirement coverage",
        "recommendations",
        "cross cutting observations",
        "what was read",
        "what was reviewed",
        "files reviewed",
        "reviewed files",
        "legend",
        "severity legend",
        "references",
    }
)
"""Titles among findings that are not findings."""
_PRAISE = re.compile(
    r"(?:key |notable |main |other "
    r")?(?:strengths?|positives?|praise|kudos|commendations?|compliments|good "
    r"(?:points|practices|things|work|parts)"
    r"|nice work|well done|(?:things )?done well|looks good|(?:best )?practices followed"
    r"|positive (?:observations?|findings?|aspects?|notes?|points?|remarks?|feedback|highlights?)"
    r"|what (?:works|worked|(?:i|we) liked?|(?:went|works?|worked|is|was|looks?|is done|was "
    r"done) (?:well|good|right)))"
)
"""Titles of what a review praises."""
_SENTENCE = re.compile(r"(?<=[.!;])\s")
_COUNT = re.compile(
    rf"\(?\s?\d{{1,6}}\s?(?:{_THINGS}|found|open|total)?\s?(?:\(.*\))?\s?\)?\.?", re.IGNORECASE
)
_LINE = re.compile(r"(?:[*_]{1,3}|\[|~~)")
_CHANGED = re.compile(r"→|->|\(|—")
"""Before what became of a severity: `Major → Resolved`."""
_ABOUT = re.compile(r"\([^()]*\)\s*[:—–-]+\s*")
"""What a mark is about, before what it says: `(leak): Fully fixed`."""
_LONGEST = 300
"""Only this many characters of a line are searched."""


@dataclass(frozen=True)
class Mark:
    """What a title says about severity."""

    said: tuple[str, ...] = ()
    """Every severity it names."""
    title: str = ""
    """The rest of the title."""
    covers: bool = False
    """Whether it only names the severity of what follows it."""
    resolved: bool = False
    """Whether it says that what it names is no longer open."""


def says_nothing(text: str) -> bool:
    """Whether a text under a severity says that there is nothing: `None`, `N/A`, or in a
    sentence.
    """
    return _NOTHING.fullmatch(bare(text[:_LONGEST]).strip(" \t_.!()")) is not None


def denies(lines: Sequence[str]) -> bool:
    """Whether a text begins by saying that there is nothing, whatever follows."""
    first = next((line for line in lines if line.strip()), "")
    return says_nothing(_SENTENCE.split(first[:_LONGEST])[0])


def holds_findings(title: str) -> bool:
    """Whether findings follow under a title: `Findings`, `Security Issues`."""
    return _SECTION.fullmatch(_folded(title)) is not None and not is_aside(title)


def is_aside(title: str) -> bool:
    folded = _folded(title)
    return folded in _ASIDES or _PRAISE.fullmatch(folded) is not None or says_nothing(title)


def is_numbered(title: str) -> bool:
    """Whether a title calls itself a finding: `Finding 2: …`, `Issue — …`."""
    return _NUMBERED.match(bare(title[:_LONGEST])) is not None


def _folded(title: str) -> str:
    return fold_title(bare(title[:_LONGEST])).replace("-", " ")


def of_title(title: str) -> Mark:
    """Every severity that a title names, the title without them, and whether it is resolved."""
    mark = _severities(title)
    return replace(mark, resolved=_is_resolved(title, mark)) if mark.said else mark


def _is_resolved(text: str, mark: Mark) -> bool:
    """`[Resolved] Major: …`, `Major: … — fixed`, `Blocker (leak): Fully fixed`."""
    values = [
        _ABOUT.sub("", mark.title, count=1),
        *(_CHANGED.split(each)[-1] for each in mark.said),
    ]
    return resolution.is_marked(text) or any(map(resolution.is_resolved, values))


def _severities(title: str) -> Mark:
    said = tuple(found["said"].strip() or NOT_SAID for found in _MARKER.finditer(title))
    if said:
        return Mark(said, _MARKER.sub(" ", title).strip(_ENDS))
    plain = _BRACKETED.match(title.lstrip("*_ "))
    if plain and plain["said"].strip().casefold() in _WORDS:
        return Mark((plain["said"],), title.lstrip("*_ ")[plain.end() :].strip(_ENDS))
    found = parse_field(title)
    if found and fold_key(found.key) == "severity":
        return Mark((found.value or NOT_SAID,), found.value)
    return _of_words(title)


def of_line(words: str) -> Mark:
    """The same for a line of text without its bullet: only emphasis, brackets or a field make it
    more than prose.
    """
    if words.lstrip("*_").startswith("["):
        return of_title(words)
    found = parse_field(words)
    if found and _EACH.fullmatch(found.key) and not _is_count(found.value):
        mark = Mark((found.key,), found.value, covers=not found.value)
    else:
        mark = _of_words(words) if _LINE.match(words) else Mark(title=words)
    return replace(mark, resolved=_is_resolved(words, mark)) if mark.said else mark


def _of_words(title: str) -> Mark:
    text = bare(title[:_LONGEST]).replace("__", "").strip()
    found = _LEADING.fullmatch(text)
    if found:
        rest = found["rest"].strip(_ENDS)
        said = tuple(_EACH.findall(found["said"]))
        return Mark(said, "" if _is_count(rest) else rest, covers=_is_count(rest))
    found = _TRAILING.search(text)
    return (
        Mark((found["said"],), text[: found.start()].strip(_ENDS)) if found else Mark(title=title)
    )


def _is_count(text: str) -> bool:
    return _COUNT.fullmatch(text) is not None or says_nothing(text.strip("()"))
