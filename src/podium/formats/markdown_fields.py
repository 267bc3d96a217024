"""`Key: value` lines, blocks and placeholders in Markdown, changed in place.

A person's file is edited by replacing the text of one value; nothing is parsed into a tree
and printed back. Every edit keeps line endings, trailing spaces, backticks and order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from podium.formats.field_lines import Field, field_value, fields_in, fold_key, one_line
from podium.formats.markdown import scan, split_lines
from podium.formats.outline import Outline, Section

_PLACEHOLDER = re.compile(r"\{\{ {0,4}([A-Z][A-Z0-9_]{0,63}) {0,4}\}\}")


def bullets(lines: Iterable[str]) -> list[str]:
    """Texts as list items, one per line; empty ones are left out."""
    items = [line.removeprefix("- ") for line in map(one_line, lines) if line]
    # A dash followed by nothing but dashes would be a rule.
    return [f"- {item}" if item.strip("- ") else f"- `{item}`" for item in items]


def _outline(source: Outline | str) -> Outline:
    return scan(source) if isinstance(source, str) else source


def fields(source: Outline | str, section: str | None = None) -> tuple[Field, ...]:
    """Every field in the prose of the first section with that title, or of the whole document."""
    outline = _outline(source)
    if section is None:
        return fields_in(outline.prose(0, len(outline.lines)))
    found = outline.section(section)
    return fields_in(found.body) if found else ()


def find_field(source: Outline | str, section: str | None, key: str) -> Field | None:
    wanted = fold_key(key)
    if section is None:
        return next((field for field in fields(source) if fold_key(field.key) == wanted), None)
    found = _outline(source).section(section)
    return found.fields.get(wanted) if found else None


def read_field(source: Outline | str, section: str | None, key: str) -> str | None:
    """The first value of that key; None if there is no such line, `""` if it is empty."""
    field = find_field(source, section, key)
    return field.value if field else None


def set_field(text: str, section: str | None, key: str, value: str) -> str:
    """The text with that one value changed; LookupError if there is no such line."""
    field = find_field(text, section, key)
    if field is None:
        raise LookupError(
            f"there is no line '{key}:'" + (f" in section '{section}'" if section else "")
        )
    lines = list(split_lines(text))
    lines[field.line] = _changed(lines[field.line], field, value)
    return "".join(lines)


def _changed(line: str, field: Field, value: str) -> str:
    """The field's line with another value."""
    new = field_value(value)
    if field.value in (value, new):
        return line
    return line[: field.start] + _dressed(line, field, new) + line[field.end :]


def _dressed(line: str, field: Field, value: str) -> str:
    """The new value in the marks of the old one, separated from its neighbours."""
    old = line[field.start : field.end]
    at = old.find(field.value) if field.value else -1
    lead, tail = (old[:at], old[at + len(field.value) :]) if at >= 0 and value else ("", "")
    # Marks around a value that contains the same marks would be read as part of it.
    if set(lead + tail) & set("`*_") & set(value):
        lead = tail = ""
    before = "" if not value or line[field.start - 1].isspace() else " "
    after = " " if value and line.startswith("<!--", field.end) else ""
    return before + lead + value + tail + after


def put_fields(text: str, values: Iterable[tuple[str, str, str]]) -> str:
    """The text with all these values (section, key, value): existing lines in one pass, the
    others one by one.
    """
    outline, lines, left = scan(text), list(split_lines(text)), []
    changed: set[int] = set()
    for section, key, value in values:
        field = find_field(outline, section, key)
        if field is None or field.line in changed:
            left.append((section, key, value))
            continue
        changed.add(field.line)
        lines[field.line] = _changed(lines[field.line], field, value)
    text = "".join(lines) if changed else text
    for section, key, value in left:
        text = put_field(text, section, key, value)
    return text


def put_field(text: str, section: str, key: str, value: str) -> str:
    """The text with that value, if necessary in a new line after the section's last field."""
    outline = scan(text)
    if find_field(outline, section, key):
        return set_field(text, section, key, value)
    found = outline.section(section)
    if found is None:
        text = add_section(text, section)
        return put_field(text, section, key, value)
    known, top = fields_in(found.body), found.heading.end
    new = f"{key}: {field_value(value)}".rstrip()
    if not known:
        return replace_lines(text, top, top, [new])
    lines, newline = list(split_lines(text)), newline_of(text)
    last = known[-1].line
    body = lines[last].rstrip("\r\n")
    # Two trailing spaces keep the lines of a group apart when it is rendered.
    lines[last] = body + ("" if body.endswith("  ") else "  ") + newline
    lines.insert(last + 1, new + newline)
    longer = "".join(lines)
    # The last field may open a comment that hides the next line; directly under the heading nothing
    # can.
    return longer if find_field(longer, section, key) else replace_lines(text, top, top, [new])


def add_section(text: str, title: str) -> str:
    """The text with an empty section at its end, or at its top if the end is inside unclosed
    code.
    """
    newline = newline_of(text)
    gap = "" if not text else newline if text.endswith(("\n", "\r")) else newline * 2
    heading = f"## {one_line(title)}{newline}"
    longer = f"{text}{gap}{heading}"
    return longer if scan(longer).section(title) else f"{heading}{newline}{text}"


def newline_of(text: str) -> str:
    first = next(iter(split_lines(text)), "")
    return first[len(first.rstrip("\r\n")) :] or "\n"


def block_span(outline: Outline, section: Section) -> tuple[int, int]:
    """The lines of a section without the surrounding blank lines and the rule that ends it."""
    start, end = section.heading.end, section.end
    # By text, not by kind: a blank line after `- ```` belongs to code that is never closed.
    while end > start and (not outline.lines[end - 1].strip() or outline.kinds[end - 1] == "rule"):
        end -= 1
    while start < end and not outline.lines[start].strip():
        start += 1
    return start, end


def replace_block(text: str, section: str, new_lines: Sequence[str]) -> str:
    """The text with other lines in that section; the surrounding blank lines and the rule stay."""
    outline = scan(text)
    found = outline.section(section)
    if found is None:
        raise LookupError(f"there is no section '{section}'")
    start, end = block_span(outline, found)
    if new_lines and any(
        each.line == end and not outline.lines[end].lstrip().startswith("#")
        for each in outline.headings
    ):
        new_lines = [
            *new_lines,
            "",
        ]  # otherwise an underlined title would become part of the last item
    return replace_lines(text, start, end, new_lines)


def replace_lines(text: str, start: int, end: int, new_lines: Sequence[str]) -> str:
    """The text with these lines instead of lines `start` to `end`, separated from their
    neighbours.
    """
    lines, newline = list(split_lines(text)), newline_of(text)
    if tuple(line.rstrip("\r\n") for line in lines[start:end]) == tuple(new_lines):
        return text
    new = [line + newline for line in new_lines]
    if start == end and new:
        blank_before = start > 0 and not lines[start - 1].strip()
        blank_after = end >= len(lines) or not lines[end].strip()
        new = (
            ([] if blank_before or start == 0 else [newline])
            + new
            + ([] if blank_after else [newline])
        )
    if start > 0 and not lines[start - 1].endswith(("\r", "\n")):
        lines[start - 1] += newline
    lines[start:end] = new
    return "".join(lines)


def placeholders(text: str) -> tuple[str, ...]:
    """The names of all `{{NAME}}` in a text, each once, in order."""
    return tuple(dict.fromkeys(_PLACEHOLDER.findall(text)))


def fill(template: str, values: Mapping[str, str]) -> str:
    """The template with its placeholders filled; placeholders inside values are left alone."""
    return _PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), template)
