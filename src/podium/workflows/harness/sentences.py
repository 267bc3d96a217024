"""Placeholders in sentences of a team's own template: filled in, and kept up to date with the
run.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from podium.formats.field_lines import fold_key, one_line, parse_field
from podium.formats.markdown import split_lines
from podium.formats.markdown_fields import fill, placeholders

_HOLE = "\0"
_WORD = re.compile(r"\w")
_OTHER = re.compile(r"\W+")
Values = Sequence[tuple[str, str, str]]
"""Section, key and value of each line that the program writes."""


def named(values: Values, completed: Sequence[str]) -> dict[str, str]:
    """The value of each placeholder; its name is made from the key of the line that holds the
    value.
    """
    found = {"COMPLETED_STAGES": ", ".join(completed) or "None"}
    for section, key, value in values:
        name = _OTHER.sub("_", key).upper()
        found[
            f"{name.replace('SPECIFICATION', 'SPEC')}_PATH" if section == "Artifact Paths" else name
        ] = one_line(value)
    return found


def filled(template: str, values: Values, completed: Sequence[str] = ()) -> str:
    """The template with its sentences filled in; the program's own lines and lists are left to
    the code that writes them.
    """
    keys, known = _keys(values), named(values, completed)
    return "".join(
        _filled(line, known) if _own_words(line, keys) else line for line in split_lines(template)
    )


def refreshed(text: str, template: str, values: Values, completed: Sequence[str] = ()) -> str:
    """The file with the template's sentences brought up to date. A sentence that people removed
    or reworded is left alone.
    """
    keys, known = _keys(values), named(values, completed)
    lines = list(split_lines(text))
    taken: set[int] = set()
    for wanted in (each for each in split_lines(template) if _own_words(each, keys)):
        parts = fill(wanted.rstrip(), dict.fromkeys(placeholders(wanted), _HOLE)).split(_HOLE)
        at = next(
            (
                at
                for at, line in enumerate(lines)
                if at not in taken and _is_from(line.rstrip(), parts)
            ),
            -1,
        )
        if at >= 0:
            taken.add(at)
            lines[at] = _filled(wanted.rstrip(), known) + lines[at][len(lines[at].rstrip()) :]
    return "".join(lines)


def _keys(values: Values) -> Collection[str]:
    return {fold_key(key) for _, key, _ in values}


def _filled(line: str, known: Mapping[str, str]) -> str:
    return fill(line, {name: known.get(name, "") for name in placeholders(line)})


def _own_words(line: str, keys: Collection[str]) -> bool:
    """Whether a template line has a placeholder in a sentence: not in one of the program's
    fields, and not a bare list.
    """
    names = placeholders(line)
    found = parse_field(line)
    return (
        bool(names)
        and bool(_WORD.search(_filled(line, {})))
        and (found is None or fold_key(found.key) not in keys)
    )


def _is_from(line: str, parts: Iterable[str]) -> bool:
    """Whether a line consists of these parts in order, with anything between them; scans the
    line once.
    """
    first, *rest = parts
    if not line.startswith(first) or not line.endswith(rest[-1]):
        return False
    at, end = len(first), len(line) - len(rest[-1])
    for part in rest[:-1]:
        at = line.find(part, at, end)
        if at < 0:
            return False
        at += len(part)
    return at <= end
