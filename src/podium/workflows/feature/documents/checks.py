"""What is wrong with a document that an agent wrote, in words the agent can act on.

Bad news is never lost because of its form. A cluster document that reports a problem, or that reads
as the worst case because it is unclear, goes to the aggregation as it is: refusing it would turn it
into an error of its agent, and a cluster may pass without that member. Only a clean report must
show its work. Missing sections and words are reported but are no fault unless the policy requires
them: no rule of the process reads them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from podium.formats import structure
from podium.formats.markdown import scan
from podium.workflows.feature.documents.parts import Parts
from podium.workflows.feature.documents.shapes import Kind, Shape, Value
from podium.workflows.feature.findings.findings import (
    Reading,
    read_ct,
    read_review,
    read_v_feature,
    read_v_tasks,
    read_v_tests,
)
from podium.workflows.feature.findings.severities import headword

_READERS: Mapping[Kind, Callable[[str], Reading]] = {
    "ct": read_ct,
    "review": read_review,
    "tests": read_v_tests,
    "tasks": read_v_tasks,
    "feature": read_v_feature,
}
_CLEAN = frozenset({"None", "PASS"})
_NO_STRUCTURE = structure.Structure((), ())


def faults_of(shape: Shape, text: str, template: str, *, strict: bool = False) -> tuple[str, ...]:
    """Every fault of the document; none if it can be used. With `strict`, missing parts are
    faults too.
    """
    parts = Parts(scan(text))
    if _is_bad_news(shape, parts, text):
        return ()
    if not parts.has_words():
        return ("it holds nothing but headings and placeholders: write the document",)
    faults = [*_missing(shape, parts), *_wrong_values(shape.values, parts)] if strict else []
    if template.strip():
        faults += structure.check(text, _NO_STRUCTURE, template)
    return tuple(faults)


def lacks_of(shape: Shape, text: str) -> tuple[str, ...]:
    """What is missing from the document although it can be used."""
    parts = Parts(scan(text))
    if _is_bad_news(shape, parts, text) or not parts.has_words():
        return ()
    return (*_missing(shape, parts), *_wrong_values(shape.values, parts))


def _is_bad_news(shape: Shape, parts: Parts, text: str) -> bool:
    if shape.kind == "build":
        return any(said.upper().startswith("FAIL") for said in parts.values("Status"))
    reader = _READERS.get(shape.kind)
    return reader is not None and reader(text).severity not in _CLEAN


def _missing(shape: Shape, parts: Parts) -> Iterator[str]:
    for name in shape.required:
        found = list(parts.contents(name))
        if name == "Title":
            found += [bool(each.title) for each in parts.outline.headings if each.level == 1]
        if not found:
            yield f"'{name}' is missing: write it as a section `## {name}`"
        elif not any(found) and name not in shape.blank:
            yield f"'{name}' is empty: say what belongs there, or `None` and why"


def _wrong_values(wanted: tuple[Value, ...], parts: Parts) -> Iterator[str]:
    for value in wanted:
        said = [each for each in parts.values(value.key) if each]
        known = {word.casefold() for word in value.words}
        if not said:
            choice = " or ".join(value.words) or "a value"
            yield f"'{value.key}' is missing: write a line `{value.key}: …` with {choice}"
        elif known and known.isdisjoint(map(_first_word, said)):
            yield f"'{value.key}' is '{said[0][:80]}'; it must be one of {', '.join(value.words)}"


def _first_word(said: str) -> str:
    """The word before a remark; empty for a list of choices that was left as it was."""
    found = re.match(r"([^\s,;/|]*)(\s*[/|]|\s+or\b)?", headword(said))
    return found[1] if found and not found[2] else ""
