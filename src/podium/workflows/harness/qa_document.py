"""A QA review read from the structure of its document.

No word is searched for in prose: a value is a whole line under its heading, or a `Key: value` line,
outside code, quotes and comments. If the document says two things, the worse counts and the
contradiction is named. If it says nothing, or a word outside the closed sets, it is malformed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from podium.formats import resolution, table_cells
from podium.formats.field_lines import Field, field_value, fold_key, parse_field
from podium.formats.markdown import scan
from podium.formats.outline import Heading, Outline, Section, fold_title
from podium.workflows.harness import qa_review
from podium.workflows.harness.qa_review import SEVERITIES, STATUSES, Issue, QaReview, settle
from podium.workflows.harness.task import criterion_id

MAX_WORDS = 2000
_BULLET = re.compile(r"(?P<indent>[ \t]*)(?:[-+*]|\d{1,9}[.)])[ \t]+(?P<box>\[[ xX]\][ \t]+)?")
_TAIL = re.compile(r"[—–.:;(]| -(?=[ -]|$)")
_STATUS = re.compile(r"(pass|n/a|not applicable|deferred|warn|fail)\w*", re.IGNORECASE)
_STATUS_ENDS = re.compile(r" ?(?:$|[—–:;,.()|]|- )")
_STATUS_AHEAD = re.compile(
    r"(?:[:—–|(]| -) ?(?=pass|n/a|not applicable|deferred|warn|fail)", re.IGNORECASE
)
_OPTIONS = re.compile(
    r" ?[|/,] ?(?:or )?(?:pass|warn|fail|low|medium|high|yes|no)\b", re.IGNORECASE
)
_SIGNS = ("So", "Mn", "Cf", "Zs")
_NEXT = re.compile(r"[,;]\s+(?=[*_`]*AC[-_ #]?\d{1,6}\b[*_`)\]]*\s*[:—–])", re.IGNORECASE)
"""Between two criteria on one line."""
_BOLD = re.compile(r"(?<!\w)_{1,3}(?=[^\s_])([^_]*[^\s_])_{1,3}(?!\w)")
_NOTHING = re.compile(
    r"(?:there (?:are|were) )?(?:none|n/a|nothing|no (?:new |open |known |blocking "
    r"|outstanding )*(?:issues?|problems?|defects?|findings?))"
    r"(?: (?:(?:were|was|have been) )?(?:found|known|identified|noted|to "
    r"report|observed|remain|remaining|applicable))?"
    r"(?: (?:at this time|at present|so far|at all|in this (?:review|round)))?[.!]?",
    re.IGNORECASE,
)
_HEADLINE = re.compile(
    r"overall|(?:(?:recommended|overall|final|approval|validation|qa|review) ){0,3}"
    r"(?:status|result|verdict|decision|recommendation|readiness|outcome)"
)
"""Keys that people write before the one value of a section."""
_REMARKS = ("notes", "note", "evidence", "criterion", "description", "remark", "details")


def parse_qa(text: str) -> tuple[QaReview | None, tuple[str, ...]]:
    """The review in a document, or None and every fault of it in words."""
    outline = scan(text)
    headlines, criteria, issues = _Headlines(outline), _Criteria(), _Issues()
    result = headlines.read(qa_review.RESULT_TITLE, qa_review.RESULTS)
    readiness = headlines.read(qa_review.READINESS_TITLE, qa_review.READINESS)
    for section in outline.sections(qa_review.CRITERIA_TITLE):
        criteria.read(_walk(outline, section))
    for section in outline.sections(qa_review.ISSUES_TITLE):
        issues.read(_walk(outline, section))
    found, more = criteria.finish(), issues.finish()
    faults = (*headlines.faults, *criteria.faults, *issues.faults)
    if faults:
        return None, faults
    contradictions = (*headlines.contradictions, *criteria.contradictions)
    words = " ".join(headlines.words)[:MAX_WORDS]
    return settle(QaReview(result, readiness, found, more, contradictions, words)), ()


def criterion_key(text: str) -> str:
    """A criterion's id in its canonical spelling, or its words if it has no id."""
    words = " ".join(_bare(text).split())
    found = criterion_id(words)
    return found[0] if found else words.rstrip(":")[:80].strip()


def _walk(outline: Outline, section: Section) -> Iterator[tuple[Heading | None, str]]:
    """A section's headings and lines of text, in order."""
    headings = {heading.line: heading for heading in outline.headings if heading.line < section.end}
    for number in range(section.heading.end, section.end):
        if number in headings:
            yield headings[number], headings[number].title
        elif outline.kinds[number] == "text":
            yield None, outline.lines[number]


def _field(text: str) -> Field | None:
    """The field on a line; emphasis may be around all of it, or end before the prose after its
    value.
    """
    return parse_field(text) or parse_field(text.replace("**", "").replace("__", ""))


def _bare(text: str) -> str:
    """The text without emphasis, trailing comment and the symbols people put around a verdict."""
    text = _BOLD.sub(r"\1", text.partition("<!--")[0].replace("*", "").replace("`", "")).strip()
    signs = [at for at, sign in enumerate(text) if unicodedata.category(sign) not in _SIGNS]
    return text[signs[0] : signs[-1] + 1] if signs else ""


def _value_at(text: str, allowed: Sequence[str]) -> tuple[str, str]:
    """The allowed value that a line consists of, and the prose after its dash; the value is
    empty if there is none.
    """
    text = _bare(text)
    tail = _TAIL.search(text)
    head, rest = (text[: tail.start()], text[tail.end() :]) if tail else (text, "")
    known = {word.casefold(): word for word in allowed}
    return known.get(" ".join(head.split()).casefold(), ""), rest.strip(" -—–()")


def _status_at(text: str, *, whole: bool) -> str:
    """The status a text begins with; with `whole`, the word must be followed by a dash,
    punctuation or the end.
    """
    text = _bare(text)
    found = _STATUS.match(text)
    if (
        not found
        or _OPTIONS.match(text, found.end())
        or (whole and not _STATUS_ENDS.match(text, found.end()))
    ):
        return ""
    word = found[1].casefold()
    return (
        "N/A"
        if word == "not applicable"
        else next(status for status in STATUSES if status.casefold() == word)
    )


@dataclass
class _Headlines:
    outline: Outline
    faults: list[str] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)

    def read(self, title: str, allowed: Sequence[str]) -> str:
        values: list[str] = []
        seen: list[str] = []
        for text, certain in self._candidates(title):
            value, rest = _value_at(text, allowed)
            if value:
                values.append(value)
            seen += [] if value or not text.strip() else [text.strip()]
            # In its own section every other line is QA's explanation; elsewhere only what follows
            # the value is.
            if value and rest:
                self.words.append(rest)
            elif text.strip() and not value and not certain:
                self.words.append(text.strip())
        if not values:
            said = f" ('{seen[0][:80]}' is not one of {', '.join(allowed)})" if seen else ""
            self.faults.append(f"{title} is missing{said}")
            return allowed[-1]
        distinct = sorted(set(values), key=allowed.index)
        if len(distinct) > 1:
            self.contradictions.append(f"{title} is both {' and '.join(distinct)}")
        return distinct[-1]

    def _candidates(self, title: str) -> Iterator[tuple[str, bool]]:
        """Texts that may be the value, and whether their key marks them as the value."""
        folded = fold_title(title)
        for heading in self.outline.headings:
            key, colon, value = heading.title.partition(":")
            if colon and fold_title(key) == folded and value.strip("*_ "):
                yield value, True
        inside = {line for section in self.outline.sections(title) for line, _ in section.body}
        for number, text in self.outline.prose(0, len(self.outline.lines)):
            found = _field(text)
            key = fold_key(found.key) if found else ""
            own = number in inside and (folded.endswith(f" {key}") or _HEADLINE.fullmatch(key))
            if found and (key == folded or own):
                yield found.value, True
            elif number in inside:
                bullet = _BULLET.match(text)
                # An empty checkbox is an option that was not chosen.
                if not (bullet and bullet["box"] and bullet["box"][1] == " "):
                    yield (text[bullet.end() :] if bullet else text), False


@dataclass
class _Criteria:
    statuses: dict[str, list[str]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)
    current: str = ""
    under_heading: bool = False
    column: int = -1

    def read(self, lines: Iterator[tuple[Heading | None, str]]) -> None:
        self.current, self.under_heading = "", False
        for heading, text in lines:
            if heading:
                self._open(text)
                self.under_heading = True
            elif text.lstrip().startswith("|") or (self.column >= 0 and "|" in text):
                self._row(table_cells.cells(text))
                continue
            else:
                self._line(text)
            self.column = -1

    def finish(self) -> dict[str, str]:
        criteria: dict[str, str] = {}
        for key, found in self.statuses.items():
            if not found:
                # A heading without an id may be prose about the criteria; one with an id must have
                # a status.
                if criterion_id(key):
                    self.faults.append(f"criterion {key} has no Status of {', '.join(STATUSES)}")
                continue
            distinct = sorted(set(found), key=STATUSES.index)
            if len(distinct) > 1:
                self.contradictions.append(f"criterion {key} is both {' and '.join(distinct)}")
            criteria[key] = distinct[-1]
        return criteria

    def _record(self, key: str, said: str, *, whole: bool = False) -> None:
        status = _status_at(said, whole=whole)
        self.statuses.setdefault(key, [])
        if status:
            self.statuses[key].append(status)
        elif said.strip() and not whole:
            self.faults.append(
                f"criterion {key}: status '{said.strip()[:80]}' is not one of {', '.join(STATUSES)}"
            )

    def _open(self, text: str) -> None:
        """Begin a criterion at a heading or an item, which may also hold its status."""
        self.current = criterion_key(text)
        found = criterion_id(_bare(text))
        self.statuses.setdefault(self.current, [])
        if found:
            self._record(self.current, self._status_within(found[1]), whole=True)

    def _status_within(self, text: str) -> str:
        """The part of an item that is a status: all of it, or what follows one of its dashes."""
        text = _bare(text).lstrip("|").strip()
        if _status_at(text, whole=True):
            return text
        # Looking at the next 40 characters is enough, and keeps a line full of dashes linear.
        for found in _STATUS_AHEAD.finditer(text):
            if _status_at(text[found.end() : found.end() + 40], whole=True):
                return text[found.end() :]
        return ""

    def _line(self, text: str) -> None:
        bullet, found = _BULLET.match(text), _field(text)
        key = fold_key(found.key) if found else ""
        words = _bare(text[bullet.end() :] if bullet else text)
        if found and key in ("status", "result"):
            self._record(self.current or f"without a name ({len(self.statuses) + 1})", found.value)
        elif key in _REMARKS:
            return
        elif criterion_id(words):
            for one in _NEXT.split(words):
                named = criterion_id(one)
                if named and (bullet or self._status_within(named[1])):
                    self._open(one)
                else:
                    self.current = criterion_key(one)
            self.under_heading = False
        elif bullet and len(bullet["indent"]) < 2 and not self.under_heading:
            self._unnamed(words)

    def _unnamed(self, words: str) -> None:
        said = self._status_within(words)
        if said:
            label = words[: len(words) - len(said)].rstrip(" :—–|-") or words
            self._record(criterion_key(label), said, whole=True)
            self.current = ""
        elif not _NOTHING.fullmatch(words):
            self.current = criterion_key(words)

    def _row(self, cells: Sequence[str]) -> None:
        names = [fold_title(cell) for cell in cells]
        headed = next(
            (names.index(name) for name in ("status", "result", "verdict") if name in names), -1
        )
        if headed >= 0:
            self.column = headed
        elif not table_cells.is_ruler(cells):
            key = next((cell for cell in cells[:2] if criterion_id(_bare(cell))), cells[0])
            rest = [cells[self.column]] if 0 <= self.column < len(cells) else cells[1:]
            said = next((cell for cell in rest if _status_at(cell, whole=True)), "")
            if said or self.column >= 0 or criterion_id(_bare(key)):
                self._record(criterion_key(key), said or (rest[0] if self.column >= 0 else ""))


@dataclass
class _Draft:
    description: str = ""
    severity: str = ""
    blocks: str = ""
    level: int = 0
    from_bullet: bool = False
    described: bool = False
    statuses: list[str] = field(default_factory=list)

    def is_empty(self) -> bool:
        return not (self.severity or self.blocks)


@dataclass
class _Issues:
    drafts: list[_Draft] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    fresh: bool = True

    def read(self, lines: Iterator[tuple[Heading | None, str]]) -> None:
        self.fresh, self.columns = True, []
        for heading, text in lines:
            if heading:
                self._heading(heading)
            elif text.lstrip().startswith("|"):
                self._row(table_cells.cells(text))
            else:
                self._line(text)

    def finish(self) -> tuple[Issue, ...]:
        found = (self._finished(draft) for draft in self.drafts)
        return tuple(issue for issue in found if issue)

    def _finished(self, draft: _Draft) -> Issue | None:
        severity, _ = _value_at(draft.severity, SEVERITIES)
        blocks, _ = _value_at(draft.blocks, ("No", "Yes"))
        if resolution.is_entry_resolved(draft.description, draft.statuses) and blocks != "Yes":
            return None
        nothing = not draft.description or bool(_NOTHING.fullmatch(draft.description))
        if nothing and blocks != "Yes" and not (severity and blocks):
            return None
        name = f"issue '{draft.description[:80] or 'without a description'}'"
        for key, value, said, allowed in (
            ("Severity", severity, draft.severity, "Low, Medium, High"),
            ("Blocks approval", blocks, draft.blocks, "Yes, No"),
        ):
            if not value:
                what = f"'{said[:80]}' is not one of" if said else "is missing, it must be one of"
                self.faults.append(f"{name}: {key} {what} {allowed}")
        return Issue(draft.description or "without a description", severity, blocks == "Yes")

    def _add(self, draft: _Draft) -> _Draft:
        self.drafts.append(draft)
        self.fresh = False
        return draft

    def _heading(self, heading: Heading) -> None:
        last = self.drafts[-1] if self.drafts and not self.fresh else None
        # A heading that only groups deeper headings is not an issue itself.
        if last and 0 < last.level < heading.level and last.is_empty():
            self.drafts.pop()
        self._add(_Draft(field_value(heading.title), level=heading.level))

    def _line(self, text: str) -> None:
        found, bullet = _field(text), _BULLET.match(text)
        key = fold_key(found.key) if found else ""
        draft = self.drafts[-1] if self.drafts and not self.fresh else None
        if found and key in ("description", "issue"):
            nested = bool(draft and draft.from_bullet and text[:2].isspace())
            if draft is None or draft.described or not (draft.level or nested):
                draft = self._add(_Draft())
            draft.description, draft.described = field_value(found.value) or draft.description, True
        elif found and key == "severity":
            draft = draft if draft and not draft.severity else self._add(_Draft())
            draft.severity = found.value
        elif found and key in ("blocks approval", "blocks", "blocking"):
            draft = draft if draft and not draft.blocks else self._add(_Draft())
            draft.blocks = found.value
        elif found and draft and key in ("status", "resolution", "state"):
            draft.statuses.append(found.value)
        elif bullet and len(bullet["indent"]) < 2 and (draft is None or draft.from_bullet):
            self._add(_Draft(field_value(text[bullet.end() :]), from_bullet=True))

    def _row(self, cells: Sequence[str]) -> None:
        names = [fold_title(cell) for cell in cells]
        if any(name.startswith("severity") for name in names):
            self.columns = names
        elif self.columns and not table_cells.is_ruler(cells):
            row = dict(zip(self.columns, cells, strict=False))
            self._add(
                _Draft(
                    field_value(row.get("description") or row.get("issue") or cells[0]),
                    next((cell for name, cell in row.items() if name.startswith("severity")), ""),
                    next((cell for name, cell in row.items() if name.startswith("block")), ""),
                )
            )
