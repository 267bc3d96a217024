"""A person's Markdown changed in place: what is right stays as it is written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from podium.documents.fields import Field, fields_in
from podium.documents.groups import Many, Named, inner
from podium.documents.markdown import Outline, Section, scan, split_lines
from podium.documents.record import Part, Table, Titled, Within
from podium.documents.text import fold, one_line, unwrap
from podium.documents.values import Value
from podium.documents.writer import block, bullets

BEGIN, END = "<!-- podium:begin -->", "<!-- podium:end -->"
_REMARK = re.compile(r"\s[—–-]\s")


def update(text: str, table: Table, data: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """The text with these values; `data`: what it says now. People's words, comments and order
    stay, and so does whatever the wanted data does not mention.
    """
    for part in table.parts:
        if part.key in wanted and wanted[part.key] != data.get(part.key):
            text = _put(text, part, data.get(part.key), wanted[part.key])
    return text


def _put(text: str, part: Part, data: Any, wanted: Any) -> str:
    value = inner(part.value)
    if isinstance(part.at, Within) or part.at in {"head", "anywhere"}:
        place = part.at.titles[0] if isinstance(part.at, Within) else ""
        if not isinstance(value, Named):
            return put_field(text, place, part.label, value.to_text(wanted))
        before = data if isinstance(data, Mapping) else {}
        for name, item in wanted.items():
            if item != before.get(name):
                text = put_field(text, place, value.prefix + name, value.of.to_text(item))
        return text
    if isinstance(part.at, Titled):
        return text
    if part.at in {"label", "line"} and _is_line(scan(text), part):
        return put_field(text, None, part.label, value.to_text(wanted))
    if isinstance(value, Many) and not isinstance(inner(value.of), Table):
        return put_items(text, part.label, [value.of.to_text(item) for item in wanted])
    return put_block(text, part, value, wanted)


def _is_line(outline: Outline, part: Part) -> bool:
    """Whether a part that may have a section of its own stands on one line."""
    if next(outline.sections(*part.labels), None):
        return False
    return any(field.is_one_of(part.folded) for field in fields_in(outline.whole().lines()))


def section_of(outline: Outline, title: str | None) -> Section | None:
    """The section with that title; the head of the document if it is empty, or all of it."""
    if title is None:
        return outline.whole()
    return next(outline.sections(title), None) if title else outline.head()


def put_field(text: str, place: str | None, label: str, new: str) -> str:
    """The text with one value, in the marks of the old one; if there is no such line, in a new one
    after the last of its section.
    """
    section = section_of(scan(text), place)
    if section is None:
        return put_field(add_section(text, place or label), place, label, new)
    fields = list(fields_in(section.lines()))
    new = unwrap(one_line(new))
    lines = split_lines(text)
    if field := next((each for each in fields if each.is_one_of(frozenset([fold(label)]))), None):
        if field.value.casefold() != new.casefold():
            lines[field.line] = _changed(lines[field.line], field, new)
        return "".join(lines)
    added = f"{label}: {new}".rstrip()
    if not fields:
        return insert(text, section.start, [added])
    last, newline = fields[-1].line, newline_of(text)
    row = lines[last].rstrip("\r\n")
    lines[last] = f"{row.rstrip(' ')}  {newline}" if not row.endswith("  ") else row + newline
    lines.insert(last + 1, added + newline)
    longer = "".join(lines)
    # The last field may open a comment that hides the next line; below the heading nothing can.
    after = section_of(scan(longer), place)
    visible = after and any(each.line == last + 1 for each in fields_in(after.lines()))
    return longer if visible else insert(text, section.start, [added])


def _changed(line: str, field: Field, value: str) -> str:
    """The field's line with another value, separated from its neighbours."""
    old = line[field.start : field.end]
    at = old.find(field.value) if field.value else -1
    lead, tail = (old[:at], old[at + len(field.value) :]) if at >= 0 and value else ("", "")
    # Marks around a value that contains the same marks would be read as part of it.
    if set(lead + tail) & set("`*_") & set(value):
        lead = tail = ""
    before = "" if not value or line[field.start - 1].isspace() else " "
    after = " " if value and line.startswith("<!--", field.end) else ""
    return line[: field.start] + before + lead + value + tail + after + line[field.end :]


def put_items(text: str, title: str, items: Sequence[str], *, none: str = "None") -> str:
    """A section's list with these items. Those that are still true stay as they are, with their
    remarks, and so do the words between them.
    """
    section = section_of(scan(text), title)
    if section is None:
        return put_items(add_section(text, title), title, items, none=none)
    wanted = [one_line(item) for item in items] or [none]
    rows = [line for line in section.lines() if line.bullet and line.indent < 4]
    names = [unwrap(_REMARK.split(row.text, maxsplit=1)[0]).casefold() for row in rows]
    if names == [item.casefold() for item in wanted]:
        return text
    if not rows:
        return insert(text, section.start, bullets(wanted))
    lines, newline = split_lines(text), newline_of(text)
    old = {name: lines[row.number].rstrip("\r\n") for name, row in zip(names, rows, strict=True)}
    new = [old.get(item.casefold()) or bullets([item])[0] for item in wanted]
    for row in reversed(rows[1:]):
        del lines[row.number]
    first = rows[0].number
    lines[first : first + 1] = [line + newline for line in new]
    return "".join(lines)


def put_block(text: str, part: Part, value: Value, wanted: Any) -> str:
    """The text with another body of one section; the blank lines and the rule around it stay."""
    outline = scan(text)
    section = next(outline.sections(*(part.labels or (part.key,))), None)
    if section is None:
        return put_block(add_section(text, part.label), part, value, wanted)
    start, end = section.start, section.end
    while end > start and outline.kinds[end - 1] in {"blank", "rule"}:
        end -= 1
    while start < end and outline.kinds[start] == "blank":
        start += 1
    level = section.heading.level + 1 if section.heading else 3
    new = block(value, wanted, level)
    if start == end:
        return insert(text, start, new)
    lines, newline = split_lines(text), newline_of(text)
    lines[start:end] = [line + newline for line in new]
    return "".join(lines)


def insert(text: str, at: int, new: Sequence[str]) -> str:
    """The text with these lines, set off by blank lines."""
    lines, newline = split_lines(text), newline_of(text)
    if at and not lines[at - 1].endswith(("\r", "\n")):
        lines[at - 1] += newline
    before = [newline] if at and lines[at - 1].strip() else []
    after = [newline] if at < len(lines) and lines[at].strip() else []
    rows = [f"{line}{newline}" for line in new]
    return "".join([*lines[:at], *before, *rows, *after, *lines[at:]])


def add_section(text: str, title: str) -> str:
    """The text with an empty section at its end, or at its top if unclosed code is there."""
    newline = newline_of(text)
    gap = "" if not text else newline if text.endswith(("\n", "\r")) else newline * 2
    heading = f"## {one_line(title)}{newline}"
    longer = f"{text}{gap}{heading}"
    return longer if section_of(scan(longer), title) else f"{heading}{newline}{text}"


def newline_of(text: str) -> str:
    first = next(iter(split_lines(text)), "")
    return first[len(first.rstrip("\r\n")) :] or "\n"


# --- the program's own lines between people's


def put_notes(text: str, title: str, notes: Sequence[str]) -> str:
    """The program's notes between two comments at the top of a section; everything else stays."""
    items = bullets(notes)
    new = [BEGIN, *items, END] if items else []
    outline = scan(text)
    section = section_of(outline, title)
    if section is None:
        return put_notes(add_section(text, title), title, notes) if new else text
    spans = _program_spans(section)
    lines, newline = split_lines(text), newline_of(text)
    for first, last in reversed(spans[1:]):
        del lines[first : last + 1]
    if not spans:
        # At the top, because people's words may leave a fence open, which would swallow it.
        return insert(text, section.start, new) if new else text
    first, last = spans[0]
    lines[first : last + 1] = [f"{line}{newline}" for line in new]
    return "".join(lines)


def people_words(text: str, title: str) -> str:
    """What people wrote in a section: everything but the program's lines."""
    outline = scan(text)
    section = section_of(outline, title)
    if section is None:
        return ""
    hidden = {n for first, last in _program_spans(section) for n in range(first, last + 1)}
    rows = [n for n in range(section.start, section.end) if n not in hidden]
    return "\n".join(outline.lines[number].rstrip() for number in rows).strip()


def _program_spans(section: Section) -> list[tuple[int, int]]:
    """First and last line of each block of the program; a begin without an end is one line."""
    spans: list[tuple[int, int]] = []
    begin, inside = -1, False
    for number in range(section.start, section.end):
        line, kind = section.outline.lines[number].strip(), section.outline.kinds[number]
        mark = line if kind == "comment" and not inside else ""
        # Inside a comment that people opened above, a mark is part of their words.
        inside = (kind == "comment" or (kind == "blank" and inside)) and "-->" not in line
        if mark == BEGIN:
            spans += [(begin, begin)] if begin >= 0 else []
            begin = number
        elif mark == END and begin >= 0:
            spans.append((begin, number))
            begin = -1
    return spans + ([(begin, begin)] if begin >= 0 else [])
