"""The planner's object from a plan in Markdown: what the document contains, and nothing else.

Structure decides: a value is a `Key:` line or the lines under it, outside code, quotes and
comments. Lines that a plan lacks are left out of the object, and its schema reports them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from podium.formats.field_lines import field_value, fields_in, fold_key, parse_field
from podium.formats.markdown import scan
from podium.formats.outline import Heading, Outline, fold_title
from podium.workflows.governed.plan import words
from podium.workflows.governed.plan.plan import SCHEMA_VERSION
from podium.workflows.governed.terms import FILE_ACTIONS

_TITLE = re.compile(r"Plan\s*:\s*(.*)", re.IGNORECASE)
_PHASE = re.compile(r"Phase\s+(\d{1,4})\s*(?:—|–|-|:)\s*(.*)", re.IGNORECASE | re.ASCII)
_ITEM = re.compile(r"(?P<indent>[ \t]*)(?:[-+*]|\d{1,9}[.)])[ \t]+(?P<text>.*)", re.ASCII)
_NUMBER = re.compile(r"[+-]?\d{1,9}(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?(?!\d)", re.ASCII)
_NOTHING = re.compile(r"(?:none|n/a|nothing|—|-)[.!]?", re.IGNORECASE)
_FILE = re.compile(
    (
        r"(?:`(?P<quoted>[^`]+)`|(?P<bare>\S+))\s*(?:(?:—|–|-|:"
        rf")\s*(?P<action>{'|'.join(FILE_ACTIONS)})\b\s*[:.,—–-]?\s*(?P<reason>.*))?"
    ),
    re.IGNORECASE,
)
_EXPECTED = re.compile(
    r"(?:scenario:\s*)?(?P<scenario>.*?)[.;,]?\s*classification:"
    r"\s*`?(?P<classification>\w+)`?[.;,]?\s*"
    r"mitigation:\s*(?P<mitigation>.*)",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    r"\**From Phase (\d{1,9})\s*(?:→|->|to)\s*(?:To\s+)?Phase (\d{1,9})\s*:\**\s*(.*)",
    re.IGNORECASE | re.ASCII,
)
_OPTION = re.compile(r"\(\w{1,2}\)\s*")
_VERSION = re.compile(r"[*_]*schema[_ ]version[*_]*:[*_]*\s*`?([\w.]+)", re.IGNORECASE)
_ABSTAINS = re.compile(r"is_abstaining:\s*(true|false)", re.IGNORECASE)
_MARKS = re.compile(r"\*\*([^*]+)\*\*")
_LISTS = ("tests", "steps", "acceptance_criteria", "skill_references")
_WHOLE = ("max_parallel_agents", "iteration_budget")


def plan_object(text: str) -> dict[str, Any]:
    """What the document says for each member of the planner's object."""
    outline = scan(text)
    found = _header(outline)
    found["phases"] = [_phase(outline, heading, match) for heading, match in _phases(outline)]
    found["open_questions"] = list(_questions(outline))
    found["risks"] = list(_risks(outline))
    found["risk_review"] = list(_risk_review(outline))
    found["success_criteria"] = [item for item, _ in _items_of(outline, words.SUCCESS)]
    optional = {"contracts": list(_contracts(outline)), "diagrams": list(_diagrams(outline))}
    found |= {name: value for name, value in optional.items() if value}
    handoff = {fold_key(each.key): each.value for each in _fields(outline, words.HANDOFF)}
    if "target agent" in handoff:
        found["handoff"] = {
            "target_agent": handoff["target agent"],
            "prompt": handoff.get("prompt", ""),
        }
    return found


def _header(outline: Outline) -> dict[str, Any]:
    named = [
        (heading, match)
        for heading in outline.headings
        if (match := _TITLE.fullmatch(heading.title))
    ]
    start = named[0][0].end if named else 0
    end = next((each.line for each in outline.headings if each.line >= start), len(outline.lines))
    found: dict[str, Any] = {"task_title": named[0][1][1]} if named else {}
    prose = outline.prose(start, end)
    lines = {fold_key(each.key): each.value for each in reversed(fields_in(prose))}
    lines.setdefault("agent", "Planner")
    # The Markdown reader does not accept an underscore in a key, but the template has this one.
    said = [match[1] for _, line in prose if (match := _VERSION.match(line.strip()))]
    lines["schema_version"] = said[0] if said else SCHEMA_VERSION
    for title, name in words.HEADER.items():
        if value := lines.get(fold_key(title), ""):
            found[name] = _number(value) if name == "confidence" or name in _WHOLE else value
    if match := _ABSTAINS.search(lines.get("abstain", "")):
        listed = [item for item, _ in _items_of(outline, words.ABSTAIN_REASONS)]
        found["abstain"] = {"is_abstaining": match[1].lower() == "true", "reasons": listed}
    return found


def _number(value: str) -> Any:
    """The number at the start of a line; if there is none, the text itself, which the schema
    then refuses.
    """
    match = _NUMBER.match(value.lstrip("`*~ "))
    if not match:
        return value
    return float(match[0]) if set(match[0]) & set(".eE") else int(match[0])


def _phases(outline: Outline) -> Iterator[tuple[Heading, re.Match[str]]]:
    for heading in outline.headings:
        if match := _PHASE.fullmatch(heading.title):
            yield heading, match


def _phase(outline: Outline, heading: Heading, match: re.Match[str]) -> dict[str, Any]:
    end = outline.ends[outline.headings.index(heading)]
    known = {fold_key(title): name for title, name in words.PHASE_FIELDS.items()}
    values: dict[str, str] = {}
    below: dict[str, list[str]] = {}
    current = ""
    for _, line in outline.prose(heading.end, end):
        field = parse_field(line) if len(line) - len(line.lstrip()) < 2 else None
        if field and fold_key(field.key) in known:
            current = known[fold_key(field.key)]
            values.setdefault(current, field.value)
            below.setdefault(current, [])
        elif current and line.strip():
            below[current].append(line)
    found: dict[str, Any] = {"phase_id": int(match[1]), "title": match[2]}
    for name, value in values.items():
        found |= _member(
            name, value, [" ".join([item, *more]) for item, more in _items(below[name])]
        )
    return found | {name: found.get(name, []) for name in ("files", "tests")}


def _member(name: str, value: str, items: list[str]) -> dict[str, Any]:
    """One member of a phase; an empty optional one is left out."""
    if not items and value and not _NOTHING.fullmatch(value):
        items = _inline(name, value)
    match name:
        case "wave":
            return {name: _number(value)}
        case "dependencies":
            numbers = _waits_for(" ".join([value, *items]))
            return {name: numbers} if numbers else {}
        case "files":
            return {name: [_file(each) for each in items]}
        case "quality_gates":
            return {name: [each.strip("`* ") for each in items]}
        case "failure_expectations":
            return {name: [_expected(each) for each in items]} if items else {}
        case _ if name in _LISTS:
            return {name: items} if items or name != "skill_references" else {}
        case _:
            return {name: value} if value else {}


def _waits_for(value: str) -> list[int]:
    """Numbers of phases: those after the word `phase` if it occurs, else all numbers."""
    plain = re.sub(r"\([^)]*\)", "", value)
    named = re.findall(r"Phases?\s+(\d[\d ,&]*(?:and \d+)?)", plain, re.IGNORECASE | re.ASCII)
    text = " ".join(named) if "phase" in plain.lower() else plain
    return [
        int(each) for each in dict.fromkeys(re.findall(r"(?<!\d)\d{1,9}(?!\d)", text, re.ASCII))
    ]


def _inline(name: str, value: str) -> list[str]:
    if name in {"quality_gates", "skill_references"}:
        return [part.strip() for part in value.split(",") if part.strip()]
    if name == "files" and "`" in value:
        return re.findall(r"`[^`]+`[^,`]*", value)
    return [value]


def _file(item: str) -> dict[str, str]:
    match = _FILE.fullmatch(item)
    if not match:
        return {"path": item}
    path = match["quoted"] or match["bare"]
    if not match["action"]:
        return {"path": path}
    return {
        "path": path,
        "action": match["action"].lower(),
        "reason": match["reason"] or words.NOT_STATED,
    }


def _expected(item: str) -> dict[str, str]:
    match = _EXPECTED.fullmatch(item)
    return match.groupdict() if match else {"scenario": item}


def _items(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """List items at the smallest indent, each with the texts nested below it."""
    rows = [(line, _ITEM.fullmatch(line.rstrip())) for line in lines if line.strip()]
    least = min((len(match["indent"].expandtabs(4)) for _, match in rows if match), default=0)
    text, nested = None, list[str]()
    for line, match in rows:
        if match and len(match["indent"].expandtabs(4)) <= least:
            if text is not None:
                yield text, nested
            text, nested = words.unescaped(match["text"].strip()), []
        elif text is not None:
            nested.append(match["text"].strip() if match else line.strip())
    if text is not None:
        yield text, nested


def _items_of(outline: Outline, title: str) -> Iterator[tuple[str, list[str]]]:
    for section in outline.sections(title):
        yield from _items([line for _, line in section.body])


def _fields(outline: Outline, title: str) -> Iterator[Any]:
    for section in outline.sections(title):
        yield from fields_in(section.body)


def _split(text: str, key: str) -> tuple[str, str]:
    """What comes before `Key:` and what after it."""
    match = re.search(rf"\b{key}:\s*", text, re.IGNORECASE)
    return (text[: match.start()].strip(" .;"), text[match.end() :]) if match else (text, "")


def _nested(lines: Sequence[str], key: str) -> list[str]:
    return [
        line.partition(":")[2].strip()
        for line in lines
        if fold_key(line.partition(":")[0].strip("*")) == key
    ]


def _questions(outline: Outline) -> Iterator[dict[str, Any]]:
    for item, lines in _items_of(outline, words.QUESTIONS):
        if _NOTHING.fullmatch(item):
            continue
        question = re.sub(r"^\**Q\d+:\**\s*", "", item)
        options, advice = _nested(lines, "option"), _nested(lines, "recommendation")
        if not options and not advice:
            question, rest = _split(question, "Options")
            listed, said = _split(rest or question, "Recommendation")
            question = question if rest else listed
            options = (
                [each.strip(" ,.;") for each in _OPTION.split(listed) if each.strip(" ,.;")]
                if rest
                else []
            )
            advice = [said or words.NOT_STATED]
        yield {"question": question, "options": options, "recommendation": " ".join(advice)}


def _risks(outline: Outline) -> Iterator[dict[str, str]]:
    for item, lines in _items_of(outline, words.RISKS):
        if _NOTHING.fullmatch(item):
            continue
        said, found = (
            _MARKS.sub(r"\1", item, count=1) if item.startswith("**") else item,
            _nested(lines, "mitigation"),
        )
        said = re.sub(r"^Risk:\s*", "", said)
        risk, after = (said, found[0]) if found else _split(said, "Mitigation")
        yield {"risk": risk, "mitigation": after or words.NOT_STATED}


def _contracts(outline: Outline) -> Iterator[dict[str, Any]]:
    for item, lines in _items_of(outline, words.CONTRACTS):
        if match := _BETWEEN.fullmatch(item):
            found = _nested(lines, "format")
            interface, form = (match[3], found[0]) if found else _split(match[3], "Format")
            yield {
                "from_phase": int(match[1]),
                "to_phase": int(match[2]),
                "interface": interface,
                "format": form or words.NOT_STATED,
            }


def _risk_review(outline: Outline) -> Iterator[dict[str, str]]:
    for section in outline.sections(words.RISK_REVIEW):
        rows = [words.cells(line) for _, line in section.body if line.lstrip().startswith("|")]
        for row in rows[2:]:
            if len(row) >= len(words.RISK_COLUMNS):
                yield {
                    name: field_value(value)
                    for name, value in zip(words.RISK_COLUMNS, row, strict=False)
                }


def _diagrams(outline: Outline) -> Iterator[dict[str, str]]:
    """Every mermaid fence of the document, with the heading above it."""
    inside: list[str] | None = None
    fence = ""
    for number, (line, kind) in enumerate(zip(outline.lines, outline.kinds, strict=True)):
        if kind != "code":
            inside = None
        elif inside is None:
            match = re.fullmatch(r"\s{0,3}(`{3,}|~{3,})\s*mermaid\s*", line)
            fence, inside = (match[1], []) if match else ("", None)
        elif line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            yield _diagram("\n".join(inside), _heading_of(outline, number))
            inside = None
        else:
            inside.append(line)


def _heading_of(outline: Outline, line: int) -> str:
    return next((each.title for each in reversed(outline.headings) if each.line < line), "")


def _diagram(source: str, heading: str) -> dict[str, str]:
    kind, colon, title = heading.partition(": ")
    drawn = source.split(None, 1)[0] if source.split() else ""
    if colon and kind == drawn:
        return {"type": kind, "title": title, "mermaid_source": source}
    kinds = ("flowchart", "sequenceDiagram", "stateDiagram-v2")
    if colon and kind in kinds:
        return {"type": kind, "title": title, "mermaid_source": source}
    return {"type": drawn, "title": heading or fold_title(drawn), "mermaid_source": source}
