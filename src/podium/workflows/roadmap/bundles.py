"""What each dispatch is given: the item, the outputs of earlier steps it may see, and on a retry
what failed.

Every dispatch starts without memory, so this table is all that an agent knows of the ones before
it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from podium.formats.field_lines import one_line
from podium.workflows.roadmap.messages.compressed_lines import safe_item
from podium.workflows.roadmap.messages.compression import compress, compress_failures

SKILLS = (
    "Check `.github/skills/` for relevant skill files (javascript, typescript, testing) and "
    "read any that apply "
    "to the files you are working with before starting."
)
"""The fixed line of every dispatch, word for word as the format requires."""
BOUNDARY = "Fix only the reported failures. Do not rewrite unrelated code."

_RESEARCH_TITLES: Mapping[str, str] = {
    "patterns": "Patterns",
    "constraints": "Constraints",
    "risks": "Risks",
    "fileLocations": "File locations",
    "openDecisions": "Open decisions",
}
_KNOWN = "Already known from planning; do not investigate it again"
_GAPS = (
    "Already known from planning, for other acceptance criteria than today's: investigate only "
    "the gaps and changes"
)

Pair = tuple[str, str]


def item_lines(item: Mapping[str, Any]) -> tuple[str, ...]:
    """The item itself, which every dispatch is told about."""
    dependencies = ", ".join(one_line(str(each)) for each in item.get("dependencies", ()))
    return (
        f"- id: {one_line(str(item['id']))}",
        f"- title: {one_line(str(item['title']))}",
        f"- complexity: {one_line(str(item['complexity']))}",
        "- acceptanceCriteria:",
        *_nested(item["acceptanceCriteria"]),
        "- verification:" if item.get("verification") else "- verification: none",
        *_nested(item.get("verification", ())),
        f"- dependencies: {dependencies or 'none'}",
    )


def context(step: str, given: Mapping[str, Any]) -> tuple[Pair, ...]:
    """(title, text) of each earlier output that a step may see."""
    if step not in CONTEXT:
        raise ValueError(
            f"no context is known for the step {step!r}; known are {', '.join(CONTEXT)}"
        )
    found = (part(given) for part in CONTEXT[step])
    return tuple((title, text) for title, text in found if text)


def retry_lines(
    attempt: int, max_retries: int, failures: Sequence[Sequence[str]], files: Sequence[str]
) -> tuple[str, ...]:
    """What Implement is told on a retry: its number, what all earlier attempts got wrong, what they
    changed.

    `attempt` is the number of the retry, from 1.
    """
    if not 1 <= attempt <= max_retries:
        raise ValueError(f"retry {attempt} of {max_retries} does not exist")
    last = " (final attempt)" if attempt == max_retries else ""
    lines = [f"This is retry {attempt}/{max_retries}{last}", BOUNDARY]
    for number, failed in enumerate(failures, 1):
        told = "; ".join(_flat(each) for each in compress_failures(failed)) or "no reason was given"
        lines.append(f"Attempt {number} failed: {told}")
    if files:
        lines.append("Files changed before: " + ", ".join(_path(each) for each in files if each))
    return tuple(lines)


def _nested(texts: Sequence[Any]) -> list[str]:
    return [f"  - {safe_item(one_line(str(each)))}" for each in texts]


def _flat(failure: str) -> str:
    """An error of several lines as part of one line."""
    return " / ".join(map(one_line, failure.splitlines()))


def _path(path: str) -> str:
    """The full path in backquotes; a backquote inside it cannot end the quotation."""
    return "`" + one_line(path).replace("`", "'") + "`"


def _planning(given: Mapping[str, Any]) -> str:
    research = given.get("planning_research") or {}
    parts = []
    for name, title in _RESEARCH_TITLES.items():
        if found := research.get(name):
            parts.append(
                "\n".join([f"**{title}**", *(f"- {one_line(str(each))}" for each in found)])
            )
    return compress("\n\n".join(parts))


def _known(given: Mapping[str, Any]) -> Pair:
    return (_GAPS if given.get("narrowed") else _KNOWN), _planning(given)


def _research(given: Mapping[str, Any]) -> Pair:
    return "Research findings", compress(given.get("research_found", ""))


def _source(given: Mapping[str, Any]) -> Pair:
    """The planner's research, if Research was skipped or looked only at what the planner did not
    cover.
    """
    if given.get("research_found") and not given.get("narrowed"):
        return "", ""
    return "Research findings from planning", _planning(given)


def _design(given: Mapping[str, Any]) -> Pair:
    return "Architect's decision", compress(given.get("design", ""))


def _files(given: Mapping[str, Any]) -> Pair:
    """The engine's own list of changed files, each with Implement's line about it."""
    lines = []
    for each in given.get("implemented", ()):
        note = one_line(each.get("note", ""))
        lines.append(
            "- "
            + ": ".join(
                part for part in (_path(each["path"]) if each["path"] else "", note) if part
            )
        )
    return "Files created or modified by Implement", "\n".join(lines)


def _tests(given: Mapping[str, Any]) -> Pair:
    return "Test summary", compress(given.get("tested", ""))


def _commands(given: Mapping[str, Any]) -> Pair:
    commands = (one_line(str(each)) for each in given.get("verification", ()))
    return "Verification commands to run", "\n".join(
        f"- {safe_item(each)}" for each in commands if each
    )


CONTEXT: Mapping[str, tuple[Callable[[Mapping[str, Any]], Pair], ...]] = {
    "research": (_known,),
    "architect-design": (_research, _source),
    "implement": (_research, _source, _design),
    "architect-validate": (_design, _files),
    "testing": (_files,),
    "review": (_files, _tests, _commands),
}
