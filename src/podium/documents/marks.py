"""How a title states a closed word: `[Severity: High] …`, `High: …`, `… (High)`, `… — Pass`.

A title that holds nothing but the word, a count or a noun such as `issues` covers what follows it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from podium.documents.text import bare, fold, headword, says_nothing
from podium.documents.values import Word

_THINGS = (
    r"(?:findings?|issues?|problems?|concerns?|risks?|items?|vulnerabilit(?:y|ies)|defects?|flaws?"
    r"|observations?|severity|priority)"
)
_COUNT = re.compile(
    rf"\(?\s?\d{{1,6}}\s?(?:{_THINGS}|found|open|total)?\s?(?:\(.*\))?\s?\)?\.?", re.IGNORECASE
)
_ENDS = " \t:—–-*_|"
_LONGEST = 300


@dataclass(frozen=True)
class Mark:
    """What a title states."""

    words: tuple[str, ...] = ()
    rest: str = ""
    """The title without the mark."""
    covers: bool = False
    """Whether it is about what follows the title, and not a title of its own."""


@dataclass(frozen=True)
class _Patterns:
    bracket: re.Pattern[str]
    """`[Severity: High]`, `[High]`"""
    leading: re.Pattern[str]
    """`High: …`, `Finding 2: High — …`, `High issues (3)`"""
    trailing: re.Pattern[str]
    """`… (High)`"""
    ahead: re.Pattern[str]
    """`… — Pass`"""
    word: re.Pattern[str]
    options: re.Pattern[str]
    """`Pass / Fail`: a choice that nobody has made."""


@cache
def _patterns(words: tuple[str, ...], label: str) -> _Patterns:
    longest_first = sorted(words, key=len, reverse=True)
    spelled = [re.escape(word).replace(r"\ ", r"[\s-]") for word in longest_first]
    word, name = rf"(?:{'|'.join(spelled)})", re.escape(label)
    several = rf"{word}s?(?:\s{{0,3}}(?:/|,|&|\band\b|\bor\b)\s{{0,3}}{word}s?){{0,3}}"
    number = r"(?:(?:finding|issue)?\s{0,3}#?\d{1,4}[.):]?\s{1,3})?"
    texts = {
        "bracket": rf"(?<!\\)\[\s*(?:{name}\s*:(?P<named>[^\[\]]*)\]"
        rf"|(?P<word>{word})\s*\](?![(\[:]))",
        "leading": rf"{number}(?P<words>{several})(?:[\s-]{{1,3}}{_THINGS}){{0,2}}"
        r"(?:\s{0,3}[#-]?\d{1,4})?\s{0,3}(?P<rest>$|[:—–(\[|].*|-\s.*)",
        "trailing": rf"(?<=\s)\(\s?(?:{name}\s?:\s?)?(?P<word>{word})\s?\)$",
        "ahead": rf"(?:[:—–|]|\s-)\s?(?P<word>{word})(?=\s?(?:$|[—–:;,.(|]|-\s))",
        "word": word,
        "options": rf"{word}\s?[|/,]\s?(?:or )?{word}\b",
    }
    return _Patterns(**{key: re.compile(text, re.IGNORECASE) for key, text in texts.items()})


def mark_in(title: str, value: Word, label: str, *, tail: bool = False) -> Mark:
    """Every word that a title states, and the rest of it; `tail`: also after a dash or colon."""
    patterns = _patterns((*value.words, *value.synonyms), label)
    brackets = [*patterns.bracket.finditer(title[:_LONGEST])]
    if brackets:
        words = tuple(match["word"] or match["named"].strip() or "?" for match in brackets)
        return Mark(words, patterns.bracket.sub(" ", title[:_LONGEST]).strip(_ENDS))
    text = bare(title[:_LONGEST]).replace("__", "").strip()
    if tail and patterns.options.search(text):
        return Mark(rest=title)
    if match := patterns.leading.fullmatch(text):
        rest = match["rest"].strip(_ENDS)
        covers = _COUNT.fullmatch(rest) is not None or says_nothing(rest.strip("()"))
        words = tuple(patterns.word.findall(match["words"]))
        return Mark(words, "" if covers else rest, covers)
    match = patterns.trailing.search(text) or (patterns.ahead.search(text) if tail else None)
    if match:
        return Mark((match["word"],), text[: match.start()].strip(_ENDS))
    return Mark(rest=title)


def names_word(text: str, value: Word) -> bool:
    """Whether the key of a line is one of the words: `Major: …`."""
    key = fold(text.partition(":")[0])
    return any(fold(word) == key for word in (*value.words, *value.synonyms))


_BRACKET = re.compile(r"[*_~\s]*\[([^\[\]]{1,80})\]")
_REMARK = re.compile(r"\([^()]{0,200}\)\s?[:—–-]?\s*")


def states(text: str, pattern: re.Pattern[str], *, rest: str = "") -> bool:
    """Whether a title says in brackets, or after its mark (`rest`), what the pattern says."""
    bracket = _BRACKET.match(text)
    words = [bracket[1]] if bracket else []
    words.append(_REMARK.sub("", rest[:_LONGEST], count=1) if rest.startswith("(") else rest)
    return any(pattern.fullmatch(headword(each[:_LONGEST])[0]) for each in words if each)
