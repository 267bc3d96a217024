"""Kinds of values: what each may be, how a fault is worded, its example and its JSON Schema.

A value is checked as plain data (text, number, list, table), wherever it was read: Markdown, YAML,
JSON or an agent's report.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import eq, ge, gt, le, lt
from typing import Any, NamedTuple

from podium.core.nearest import nearest
from podium.documents.issues import Issue, Path, shown, spelled
from podium.documents.text import bare, fold, headword, one_line, unwrap

_NUMBER = re.compile(r"[+-]?\d{1,9}(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?(?!\d)", re.ASCII)
_SIGNS = {"<": lt, "<=": le, ">": gt, ">=": ge, "=": eq}
_BAND = re.compile(r"(<=|>=|<|>|=)?\s*([+-]?\d{1,9}(?:\.\d{1,9})?)", re.ASCII)


class Value(ABC):
    """One kind of value; a workflow may define its own."""

    @abstractmethod
    def describe(self) -> str:
        """What is expected, as it ends the sentence `expected …`."""

    @abstractmethod
    def fits(self, data: Any) -> bool:
        """Whether the data is right."""

    def check(self, data: Any, path: Path) -> Iterator[Issue]:
        if not self.fits(data):
            yield Issue(path, f"{spelled(path)} is {shown(data)}", f"expected {self.describe()}")

    def schema(self) -> dict[str, Any]:
        return {}

    def example(self) -> Any:
        return "…"

    def blank(self) -> Any:
        """What stands for a value that is missing or faulty, so that the rest can be checked."""
        return ""

    def build(self, data: Any) -> Any:
        """The value of a record for data that is right."""
        return data

    def plain(self, value: Any) -> Any:
        """The data of a record's value."""
        return value

    def from_text(self, text: str) -> Any:
        """The data that one text of Markdown means; the text itself if it means none."""
        return unwrap(text)

    def to_text(self, data: Any) -> str:
        return one_line(str(data))


@dataclass(frozen=True)
class Anything(Value):
    def describe(self) -> str:
        return "anything"

    def fits(self, data: Any) -> bool:  # noqa: ARG002
        return True


@dataclass(frozen=True)
class Text(Value):
    pattern: str = ""
    like: str = ""
    """An example of the pattern, for people."""
    empty: bool = False
    one_line: bool = False
    """Whether it must be one line without surrounding space."""
    none: tuple[str, ...] = ()
    """Folded words of Markdown that stand for the empty text, such as `none`."""
    refuse: Callable[[str], str] | None = None
    """Why a text may not be used; empty if it may."""

    def describe(self) -> str:
        if self.pattern:
            return f"a text like {self.like}"
        kind = "one line of text" if self.one_line else "a text"
        if self.like:
            return f"{kind} such as {self.like}"
        return kind if self.empty else f"{kind} that is not empty"

    def fits(self, data: Any) -> bool:
        if not isinstance(data, str) or not (self.empty or data.strip()):
            return False
        if self.one_line and (data != data.strip() or one_line(data) != data):
            return False
        if self.pattern and not re.fullmatch(self.pattern, data):
            return False
        return not (self.refuse and self.refuse(data))

    def check(self, data: Any, path: Path) -> Iterator[Issue]:
        why = self.refuse(data) if self.refuse and isinstance(data, str) and data.strip() else ""
        if why:
            yield Issue(path, f"{spelled(path)}: {shown(data)} {why}")
        else:
            yield from super().check(data, path)

    def schema(self) -> dict[str, Any]:
        if self.pattern:
            return {"type": "string", "pattern": f"^(?:{self.pattern})$"}
        return {"type": "string"} if self.empty else {"type": "string", "minLength": 1}

    def example(self) -> Any:
        return self.like or "…"

    def from_text(self, text: str) -> Any:
        value = unwrap(text)
        return "" if fold(value) in self.none else value

    def to_text(self, data: Any) -> str:
        return one_line(str(data)) or (self.none[0].capitalize() if self.none else "")


@dataclass(frozen=True)
class Prose(Text):
    """Several lines, kept as they are."""

    def from_text(self, text: str) -> Any:
        return text

    def to_text(self, data: Any) -> str:
        return str(data)


@dataclass(frozen=True)
class Word(Value):
    """One of a closed set, best first; synonyms only count in Markdown, where people write."""

    words: tuple[str, ...]
    synonyms: Mapping[str, str] = field(default_factory=dict)
    """Folded words and what they mean."""
    unknown: str = ""
    """The word that an unknown one counts as; empty: it is a fault."""
    begins: bool = False
    """Whether a text that begins with a word is enough: `Pass with one gap`."""

    def describe(self) -> str:
        return f"one of {', '.join(self.words)}"

    def fits(self, data: Any) -> bool:
        return isinstance(data, str) and data in self.words

    def check(self, data: Any, path: Path) -> Iterator[Issue]:
        for issue in super().check(data, path):
            near = nearest(data, self.words) if isinstance(data, str) else ""
            hint = f"; did you mean {near!r}?" if near else ""
            yield issue._replace(remedy=issue.remedy + hint)

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.words)}

    def example(self) -> Any:
        return self.words[0]

    def blank(self) -> Any:
        return self.words[-1]

    def find(self, text: str) -> str:
        """The word that a text states; empty if there is none."""
        return self._exact(headword(text)[0]) or self._exact(text) or self._beginning(text)

    def _exact(self, text: str) -> str:
        folded = fold(text)
        word = next((word for word in self.words if fold(word) == folded), "")
        return word or self.synonyms.get(folded, "")

    def _beginning(self, text: str) -> str:
        folded = fold(bare(text)) if self.begins else ""
        matches = [
            word
            for word in (*self.words, *self.synonyms)
            # `Pass / Fail` is a choice that nobody has made.
            if re.match(rf"{re.escape(fold(word))}\w*(?!\s?[|/,])", folded)
        ]
        return self._exact(max(matches, key=len)) if matches else ""

    def from_text(self, text: str) -> Any:
        return self.find(text) or self.unknown or text.strip()

    def worst(self, words: Sequence[str]) -> str:
        return max(words, key=self.words.index)


@dataclass(frozen=True)
class Number(Value):
    least: float | None = 0
    most: float | None = None
    whole: bool = True

    def describe(self) -> str:
        kind = "a whole number" if self.whole else "a number"
        if self.most is not None:
            return f"{kind} from {self.least or 0:g} to {self.most:g}"
        return kind if self.least is None else f"{kind}, {self.least:g} or more"

    def fits(self, data: Any) -> bool:
        if isinstance(data, bool) or not isinstance(data, int if self.whole else int | float):
            return False
        enough = self.least is None or data >= self.least
        # Unlike math.isfinite, a comparison takes a whole number of any size.
        finite = -math.inf < data < math.inf
        return finite and enough and (self.most is None or data <= self.most)

    def schema(self) -> dict[str, Any]:
        limits = {"minimum": self.least, "maximum": self.most}
        named = {name: limit for name, limit in limits.items() if limit is not None}
        return {"type": "integer" if self.whole else "number", **named}

    def example(self) -> Any:
        return int(self.least or 0)

    def blank(self) -> Any:
        return 0

    def from_text(self, text: str) -> Any:
        match = _NUMBER.match(text.lstrip("`*~ "))
        if not match:
            return text
        return float(match[0]) if set(match[0]) & set(".eE") else int(match[0])


class Grade(NamedTuple):
    """A number, and the word of its band."""

    number: float
    word: str


@dataclass(frozen=True)
class Bands(Number):
    """A number that falls into one of several bands, the first that fits: `fail: "< 65"`."""

    bands: Mapping[str, str] = field(default_factory=dict)
    """Words, and the numbers each stands for: `< 65`, `>= 75`, `= 0`."""
    least: float | None = None
    whole: bool = False

    def __post_init__(self) -> None:
        limits = [limit for _, _, limit in self._conditions()]
        if not limits:
            raise ValueError("bands need a word and a condition, such as pass: '>= 75'")
        for limit in limits:
            for number in (limit - 1e-6, limit, limit + 1e-6):
                if not self.word(number):
                    raise ValueError(f"no band holds {number:g}; let the last one take the rest")

    def _conditions(self) -> list[tuple[str, str, float]]:
        conditions = []
        for word, text in self.bands.items():
            match = _BAND.fullmatch(text.strip())
            if not match:
                raise ValueError(f"{word}: {text!r} is no band; write such as '< 65' or '>= 75'")
            conditions.append((word, match[1] or "=", float(match[2])))
        return conditions

    def word(self, number: float) -> str:
        """The word of a number; empty if no band holds it."""
        bands = self._conditions()
        return next((word for word, sign, limit in bands if _SIGNS[sign](number, limit)), "")

    def build(self, data: Any) -> Grade:
        return Grade(data, self.word(data))

    def plain(self, value: Any) -> Any:
        return value.number

    def example(self) -> Any:
        limits = [limit for _, _, limit in self._conditions()]
        last = list(self.bands)[-1]
        tries = [*limits, *(limit + 1 for limit in limits), *(limit - 1 for limit in limits)]
        number = next(number for number in tries if self.word(number) == last)
        return int(number) if number == int(number) else number


@dataclass(frozen=True)
class Flag(Value):
    def describe(self) -> str:
        return "true or false (in Markdown Yes or No)"

    def fits(self, data: Any) -> bool:
        return isinstance(data, bool)

    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}

    def example(self) -> Any:
        return False

    def blank(self) -> Any:
        return False

    def from_text(self, text: str) -> Any:
        words = {"yes": True, "true": True, "no": False, "false": False}
        return words.get(fold(headword(text)[0].partition(",")[0]), text)

    def to_text(self, data: Any) -> str:
        return "Yes" if data else "No"
