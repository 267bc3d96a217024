"""Suggestions for people, each with a mark: rejected, needs a person, or no objection.

The rules look at words only and are meant to be too strict. A suggestion whose words weaken safety,
error handling or verification is rejected. If the words do not settle it, it needs a person. Only
one that is clearly about something else, or clearly adds to these, meets no objection.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from podium.formats.markdown import scan
from podium.formats.outline import Outline
from podium.workflows.feature.documents.labelled import item_text

Mark = Literal["rejected", "needs a person", "no objection"]

AREAS = {
    "safety": (
        r"safe\w*|unsafe\w*|secur\w*|insecur\w*|auth\w*|permission\w*|privilege\w*|"
        r"saniti[sz]\w*|escap\w*|encrypt\w*"
        r"|tls|ssl|secrets?|credential\w*|tokens?|passwords?|sandbox\w*|guard\w*|protect\w*|"
        r"quarantin\w*|limit\w*"
        r"|ceiling\w*|timeouts?|rollbacks?|backups?|ke-safe|append-only|humans?|confirm\w*|"
        r"consent\w*|firewall\w*"
    ),
    "error handling": (
        r"errors?|exceptions?|fail\w*|fault\w*|retr(?:y|ies|ied|ying)|catch\w*|try|abort\w*|"
        r"halt\w*|warn\w*"
        r"|logs?|logging|fallback\w*|recover\w*"
    ),
    "verification": (
        r"tests?|testing|tested|test-\w+|verif\w*|validat\w*|check\w*|review\w*|gates?|"
        r"approv\w*|lint\w*|audit\w*"
        r"|assert\w*|coverage|ci|v-cluster|type-check\w*|typecheck\w*|mypy|constraint\w*|"
        r"criteri\w*|schema\w*"
    ),
}
_WEAKENS = (
    r"remov\w*|delet\w*|drop\w*|disabl\w*|skip\w*|bypass\w*|ignor\w*|suppress\w*|silenc\w*|"
    r"mut(?:e|es|ed|ing)"
    r"|relax\w*|loosen\w*|weaken\w*|omit\w*|swallow\w*|circumvent\w*|eliminat\w*|exempt\w*|"
    r"waiv\w*|discard\w*"
    r"|overrid\w*|auto-?(?:appl|approv|merg|accept)\w*|(?:turn|switch)(?:s|es|ed|ing)? "
    r"off|opt(?:s|ed|ing)? out"
    r"|comment(?:s|ed|ing)? out|get(?:s|ting)? rid "
    r"of|(?:make|makes|made|making|be|become|becomes)(?: \w+){0,4} optional"
    r"|unnecessary|--no-verify|no-verify|--force|xfail|noqa|whitelist\w*|stub(?:s|bed|bing)? "
    r"out|leav\w* out"
    r"|without|no need (?:for|to)|stop(?:s|ping)? \w+ing|(?:do|does|should|need|must) not "
    r"(?:need|require|run|perform)"
    r"|(?:don't|doesn't|needn't|shouldn't|dont) (?:need|require|run|perform)"
    r"|never (?:run|require|verify|validate|check|test|review|fail|abort|halt)"
)
_DOUBTFUL = (
    r"lower\w*|reduc\w*|avoid\w*|trust\w*|allow\w*|permit\w*|optional\w*|fewer|less|cut\w*|"
    r"shorten\w*|simplif\w*"
    r"|replac\w*|chang\w*|modif\w*|rewrit\w*|merg\w*|limit\w*|defer\w*|postpon\w*|later|"
    r"faster|quick\w*|instead"
    r"|rather|unless|except|only|not|never|no|none|nor|cannot|\w+n't|redundant|stop\w*|"
    r"assum\w*|accept\w*|toler\w*"
    r"|bare|hard-?cod\w*|default\w*|force\w*|auto\w*"
)
_ADDS = (
    r"add\w*|extend\w*|requir\w*|strengthen\w*|tighten\w*|improv\w*|document\w*|record\w*|"
    r"increas\w*|also|always"
    r"|enforc\w*|cover\w*|keep\w*|introduc\w*|more|must"
)
_WAY = r"(?:option|flag|way|mode|switch|setting|override|bypass|exception|exemption)s?"
_ADDED = re.compile(
    rf"(?:please )?(?:add|introduce|require|enforce|extend|strengthen|tighten|write|create)s?"
    rf"(?: (?!(?:to|that|which|for|so|and|or|{_WAY})\b)[\w-]+){{0,4}}?"
    rf" (?:{'|'.join(AREAS.values())})(?![\w-])(?! {_WAY}\b)"
)
"""A sentence that begins by adding something to safety, error handling or verification."""
_DETECTS = re.compile(
    r"\b(?:fail|reject|refuse|flag|report|warn|detect|catch(?:e)?|find|forbid|block|prevent)s?\b"
)
_STATE = re.compile(r"without|\w+ed")
"""What a check may look for, rather than do: `without a schema`, `when a test is skipped`."""
_NOT = re.compile(r"\b(?:not|never|\w+n't|cannot|no longer)(?: \w+){0,2} $")
_BREAK = re.compile(r"(?<=[.!?;])\s+")
_MARKUP = re.compile(r"</?[A-Za-z!]|&#?\w{1,10};")


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])")


_PATTERNS = {area: _words(pattern) for area, pattern in AREAS.items()}
_WEAK, _DOUBT, _ADD = _words(_WEAKENS), _words(_DOUBTFUL), _words(_ADDS)


@dataclass(frozen=True)
class Suggestion:
    title: str
    """Its heading, or its first words."""
    line: int
    """The line where it begins, from 1."""
    mark: Mark
    reason: str


def suggestions_in(text: str) -> tuple[Suggestion, ...]:
    """Every suggestion of a document, marked; its code, quotes and comments are judged as well."""
    outline = scan(text)
    found: list[Suggestion] = []
    for title, start, end in _units(outline):
        rows = [
            number for number in range(start, end) if any(map(str.isalnum, outline.lines[number]))
        ]
        lines = [outline.lines[number] for number in rows]
        mark, reason = _judged([title, *lines], plain=all(outline.kinds[n] in _PLAIN for n in rows))
        # A heading with nothing below only groups others, unless its own words propose something.
        if rows or mark == "rejected":
            name = title or (item_text(lines[0]) or lines[0]).strip()
            found.append(Suggestion(name[:80], rows[0] + 1 if rows else start, mark, reason))
    return tuple(found)


_PLAIN = frozenset({"text", "heading", "blank", "rule"})


def _units(outline: Outline) -> Iterator[tuple[str, int, int]]:
    """Title, first line and end of each: a section of level 3, or a list item in a section above
    that level.
    """
    starts = [heading for heading in outline.headings if heading.level <= 3]
    ends = [*(heading.line for heading in starts), len(outline.lines)]
    yield from _items(outline, "", 0, ends[0])
    for heading, end in zip(starts, ends[1:], strict=True):
        if heading.level == 3:
            yield heading.title, heading.end, end
        else:
            yield from _items(outline, heading.title, heading.end, end)


def _items(outline: Outline, title: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """The items of a plain list one by one; if items are named parts, the section is one
    suggestion.
    """
    tops = [
        n for n in range(start, end) if outline.kinds[n] == "text" and _is_item(outline.lines[n])
    ]
    if len(tops) < 2 or any(":" in outline.lines[n] for n in tops):
        yield title, start, end
        return
    yield title, start, tops[0]
    for first, after in zip(tops, [*tops[1:], end], strict=True):
        # If the heading proposes to weaken something, that counts for each item under it.
        about = title if _WEAK.search(_folded(title)) else ""
        yield about, first, after


def _is_item(line: str) -> bool:
    return not line[:1].isspace() and item_text(line) is not None


def _folded(text: str) -> str:
    """The text as the rules read it: without case, emphasis and invisible characters."""
    plain = "".join(
        sign for sign in unicodedata.normalize("NFKC", text) if unicodedata.category(sign) != "Cf"
    )
    plain = re.sub(r"[*`~]|(?<![A-Za-z0-9])_+|_+(?![A-Za-z0-9])", "", plain.replace("’", "'"))
    return " ".join(plain.casefold().split())


def _sentences(lines: Sequence[str]) -> Iterator[str]:
    """The title, then the sentences of each item and paragraph."""
    passage: list[str] = []
    for number, line in enumerate(lines):
        text = item_text(line)
        if passage and (text is not None or number == 1 or line.lstrip().startswith(("|", "#"))):
            yield from _BREAK.split(_folded(" ".join(passage)))
            passage = []
        passage.append(line if text is None else text)
    yield from _BREAK.split(_folded(" ".join(passage)))


def _judged(lines: Sequence[str], *, plain: bool) -> tuple[Mark, str]:
    doubts: list[str] = []
    for sentence in _sentences(lines):
        mark, reason = _sentence(sentence)
        if mark == "rejected":
            return mark, reason
        doubts += [reason] if mark == "needs a person" else []
    text = " ".join(lines)
    if not plain:
        doubts.append("holds code, a quote or a comment")
    if _MARKUP.search(text):
        doubts.append("holds markup")
    if any(
        not sign.isascii() and sign.isalpha() and "LATIN" not in unicodedata.name(sign, "")
        for sign in text
    ):
        doubts.append("holds letters that the rules cannot read")
    return ("needs a person", doubts[0]) if doubts else ("no objection", "a person decides")


def _sentence(sentence: str) -> tuple[Mark, str]:
    nouns = [
        (area, found[0])
        for area, pattern in _PATTERNS.items()
        if (found := pattern.search(sentence))
    ]
    weak = list(_WEAK.finditer(sentence))
    open_weak = [
        found
        for found in weak
        if not _NOT.search(sentence[max(0, found.start() - 60) : found.start()])
    ]
    added = _ADDED.match(sentence)
    if added and all(_looked_for(found, sentence, added.end()) for found in open_weak):
        open_weak = []
    if nouns and open_weak:
        area, noun = nouns[0]
        return "rejected", f"weakens {area}: '{open_weak[0][0]}' and '{noun}' in one sentence"
    if weak:
        return "needs a person", f"'{weak[0][0]}' may weaken something"
    if nouns:
        area, noun = nouns[0]
        doubt = _DOUBT.search(sentence)
        if doubt:
            return "needs a person", f"'{doubt[0]}' beside '{noun}' may weaken {area}"
        if not _ADD.search(sentence):
            return (
                "needs a person",
                f"speaks of {area} ('{noun}') and does not say that it adds to it",
            )
    return "no objection", ""


def _looked_for(weak: re.Match[str], sentence: str, start: int) -> bool:
    """Whether an added check looks for this weakness: `fails when a handler is skipped`."""
    if weak.start() < start or not _STATE.fullmatch(weak[0]):
        return False
    return weak[0] == "without" or _DETECTS.search(sentence, start, weak.start()) is not None
