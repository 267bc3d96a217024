"""What every field of an item must look like, and how a fault in it is worded."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from podium.core.nearest import nearest

COMPLEXITIES = ("simple", "medium", "complex")
STATUSES = ("ready", "in_progress", "blocked", "done")
RESEARCH = ("patterns", "constraints", "risks", "fileLocations", "openDecisions")

# Ids, titles and owners appear inside lines of reports; a line break in one could forge another
# line.
_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class Complaint(NamedTuple):
    """One thing wrong with one field."""

    field: str
    """The field whose line the fault is reported at."""
    what: str
    mend: str


@dataclass(frozen=True)
class Rule:
    expected: str
    fits: Callable[[Any], bool]
    element: Callable[[Any], bool] | None = None
    """What each element must be, if the field is an array."""
    words: tuple[str, ...] = ()
    """The closed list of values, if there is one."""


def is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_id(value: Any) -> bool:
    return is_whole(value) or (_is_line(value) and value == value.strip())


def _is_number(value: Any) -> bool:
    return is_whole(value) or (isinstance(value, float) and math.isfinite(value))


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_line(value: Any) -> bool:
    return _is_text(value) and (value.isprintable() or not _BREAKS.search(value))


def _is_string(value: Any) -> bool:
    return isinstance(value, str)


def _all(element: Callable[[Any], bool], least: int = 0) -> Callable[[Any], bool]:
    return lambda value: (
        isinstance(value, list) and len(value) >= least and all(map(element, value))
    )


_is_strings = _all(_is_string)


def _is_research(value: Any) -> bool:
    return value is None or (
        isinstance(value, dict)
        and value.keys() == set(RESEARCH)
        and all(map(_is_strings, value.values()))
    )


def _one_of(words: tuple[str, ...]) -> Rule:
    return Rule(
        f"one of {', '.join(words)}",
        lambda value: isinstance(value, str) and value in words,
        words=words,
    )


_LINE = Rule("one line of text that is not empty", _is_line)
_STRINGS = "an array of texts"

RULES: Mapping[str, Rule] = {
    "id": Rule('a whole number or one line of text, such as 7 or "US-7"', is_id),
    "title": _LINE,
    "priority": Rule("a number, such as 10", _is_number),
    "complexity": _one_of(COMPLEXITIES),
    "status": _one_of(STATUSES),
    "passes": Rule("true or false", lambda value: isinstance(value, bool)),
    "ownerAgent": _LINE,
    "dependencies": Rule("an array of ids, [] if there are none", _all(is_id), is_id),
    "acceptanceCriteria": Rule(
        "an array of one text or more, none of them empty", _all(_is_text, 1), _is_text
    ),
    "verification": Rule(
        f"{_STRINGS}, none of them empty, [] if there are none", _all(_is_text), _is_text
    ),
    "retryCount": Rule("a whole number, 0 or more", lambda value: is_whole(value) and value >= 0),
    "planningResearch": Rule(
        f"null, or an object with exactly {', '.join(RESEARCH)}", _is_research
    ),
}
"""The fields every item must have."""

OPTIONAL: Mapping[str, Rule] = {"blockedReasons": Rule(_STRINGS, _is_strings, _is_string)}
"""The field that the loop adds."""


def complaints(members: Mapping[str, Any]) -> Iterator[Complaint]:
    """Everything wrong with the fields of one item, each field checked by itself."""
    for name, rule in RULES.items():
        if name not in members:
            yield Complaint("", f"{name} is missing", _missing(name, rule, members))
        elif not rule.fits(members[name]):
            yield from _misfits(name, rule, members[name])
    for name, rule in OPTIONAL.items():
        if name in members and not rule.fits(members[name]):
            yield from _misfits(name, rule, members[name])


def contradiction(status: str, passes: bool) -> Iterator[Complaint]:
    """An item passes exactly when it is done; if a file says otherwise, nobody knows which of
    the two is true.
    """
    if status in STATUSES and (status == "done") != passes:
        what = f"status is {shown(status)} although passes is {shown(passes)}"
        yield Complaint(
            "status", what, "expected passes true with status done, false with every other status"
        )


def _missing(name: str, rule: Rule, members: Mapping[str, Any]) -> str:
    near = nearest(name, [key for key in members if key not in RULES][:100])
    return f"expected {rule.expected}" + (f"; is {near!r} meant?" if near else "")


def _misfits(name: str, rule: Rule, value: Any) -> Iterator[Complaint]:
    mend = f"expected {rule.expected}"
    if name == "planningResearch" and isinstance(value, dict):
        yield from _research(value)
    elif rule.element and isinstance(value, list) and value:
        for place, each in enumerate(value):
            if not rule.element(each):
                yield Complaint(name, f"{name}[{place}] is {shown(each)}", mend)
    else:
        near = nearest(value, rule.words) if isinstance(value, str) else ""
        yield Complaint(
            name, f"{name} is {shown(value)}", mend + (f"; did you mean {near!r}?" if near else "")
        )


def _research(value: Mapping[str, Any]) -> Iterator[Complaint]:
    field, mend = "planningResearch", f"expected {_STRINGS}, [] if there are none"
    for name in RESEARCH:
        if name not in value:
            yield Complaint(field, f"{field}.{name} is missing", mend)
        elif not isinstance(value[name], list):
            yield Complaint(field, f"{field}.{name} is {shown(value[name])}", mend)
        else:
            for place, each in enumerate(value[name]):
                if not isinstance(each, str):
                    yield Complaint(
                        field, f"{field}.{name}[{place}] is {shown(each)}", "expected a text"
                    )
    for name in value:
        if name not in RESEARCH:
            near = nearest(name, RESEARCH)
            hint = f"; did you mean {near!r}?" if near else ""
            what = f"{field}.{_cut(name)} is unknown"
            yield Complaint(field, what, f"expected exactly {', '.join(RESEARCH)}{hint}")


def shown(value: Any) -> str:
    """A value as written in the file, shortened to fit a line."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "an array" if value else "[]"
    if isinstance(value, str):
        return json.dumps(_cut(value), ensure_ascii=False)
    return _cut(
        json.dumps(value) if value is None or isinstance(value, bool | int | float) else repr(value)
    )


def _cut(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"
