"""Names of tasks: `03-parser`, `task-03-parser`, `TASK-003` and the number mean the same task."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

NOTHING = frozenset({"", "-", "--", "—", "–", "none", "n/a", "na", "nothing", "nil", "null"})
"""Words that mean "none", in lower case."""

_MARKS = re.compile(r"[*`]")
_LINK = re.compile(r"\[([^\[\]]{0,200})\]\(([^()\s]{1,200})\)")
_NAME = re.compile(
    r"[_\s]*(?:task\b[ \t]*[:#]?[ \t]*)?(?:(?:[A-Za-z0-9_.-]{1,80}/){0,8}?tasks/)?"
    r"#?(?P<name>(?:task[-_])?[0-9]{1,4}(?:-[A-Za-z0-9][A-Za-z0-9._-]{0,74})?)(?![A-Za-z0-9])",
    re.IGNORECASE | re.ASCII,
)
_FILE = re.compile(
    r"(?P<id>(?:(?i:task)[-_])?[0-9]{2,4}-[A-Za-z0-9][A-Za-z0-9._-]{0,74}|(?i:task)[-_][0-9]{1,4})\.md"
)
_PREFIX = re.compile(r"task[-_]", re.IGNORECASE)
_REMARK = re.compile(r"\([^()]*\)")
_PROSE = re.compile(r"\s[—–-]+\s|:(?=\s|$)|[—–]")
_BETWEEN = re.compile(r"[\s,;&+]+")
_NONE = re.compile(
    r"(?:none|n/a|nothing|no (?:dependencies|dependency|deps))(?![\w/-])", re.IGNORECASE
)
_HIDDEN = re.compile(
    r"\s*[0-9]|.*?(?<![\w.])(?:[0-9]{2,4}(?![\w.])|[0-9]{1,4}-[A-Za-z])", re.DOTALL
)
"""What may be an id inside a remark."""


def bare(text: str) -> str:
    """The text without bold, code marks, trailing comment and link targets."""
    return _MARKS.sub("", _LINK.sub(r"\1", text.partition("<!--")[0])).strip()


def id_of(path: str) -> str:
    """The id in the path of a task file, its name such as `01-parser` or `TASK-001`; else empty."""
    found = _FILE.fullmatch(path.rpartition("/")[2])
    return found["id"] if found else ""


def number_of(name: str) -> int | None:
    digits = _short(name).partition("-")[0]
    return int(digits) if re.fullmatch(r"[0-9]{1,4}", digits) else None


def name_at(text: str) -> tuple[str, str] | None:
    """The task named at the start of a bare text, and the text after it."""
    found = _NAME.match(text)
    if not found:
        return None
    return found["name"].rstrip("._-").removesuffix(".md").rstrip("._-"), text[
        found.end() :
    ].lstrip("_")


def names_in(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The ids that a value lists, and the words in it that are not ids; `none` is neither.

    A remark in parentheses or after a dash is ignored, unless it may contain an id.
    """
    text = bare(text).strip().strip("[]{}").strip()
    none = _NONE.match(text)
    if text.rstrip(".").casefold() in NOTHING or (none and not _HIDDEN.match(text, none.end())):
        return (), ()
    remarks = _REMARK.findall(text)
    listed, *prose = _PROSE.split(_REMARK.sub(" ", text), maxsplit=1)
    wrong = [one for one in (*(each[1:-1] for each in remarks), *prose) if _HIDDEN.match(one)]
    names: dict[str, None] = {}
    for token in filter(None, _BETWEEN.split(listed)):
        word = token.strip("[]{}()_.\"'#")
        found = name_at(word)
        if found and not found[1]:
            names[found[0]] = None
        elif word.casefold() not in {"", "task", "tasks", "and"}:
            wrong.append(word)
    return tuple(names), tuple(" ".join(each.split())[:80] for each in wrong)


@dataclass(frozen=True)
class Names:
    """The existing tasks, found by any of their names."""

    by_name: Mapping[str, str] = field(default_factory=dict)
    by_number: Mapping[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, ids: Iterable[str]) -> Names:
        """If two tasks have the same number, it means the first one."""
        by_name: dict[str, str] = {}
        by_number: dict[int, str] = {}
        for each in ids:
            by_name.setdefault(_spelled(each), each)
            number = number_of(each)
            if number is not None:
                by_number.setdefault(number, each)
        return cls(by_name, by_number)

    def find(self, said: str) -> str | None:
        """The task that a name means, or None: a bare number is enough, a different description
        does not match.
        """
        exact = self.by_name.get(_spelled(said))
        return exact if exact is not None or "-" in _short(said) else self.namesake(said)

    def namesake(self, said: str) -> str | None:
        """The task with the same number."""
        number = number_of(said)
        return None if number is None else self.by_number.get(number)


def _short(name: str) -> str:
    """The name without the word that it may begin with: `TASK-001` is `001`."""
    found = _PREFIX.match(name)
    return name[found.end() :] if found else name


def _spelled(name: str) -> str:
    """The same spelling for `3-Parser`, `03-parser` and `task-03-parser`."""
    return _short(name).casefold().lstrip("0")
