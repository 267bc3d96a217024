"""A clear request becomes `prompt.yaml` without an agent; for an unclear one, the reasons are
given.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import cast

from podium.workflows.ticket.request import naming, words
from podium.workflows.ticket.request.mandates import find_mandates
from podium.workflows.ticket.request.naming import WORK_TYPES, WorkType
from podium.workflows.ticket.request.prompt_document import Prompt
from podium.workflows.ticket.request.request import Request

MAX_CRITERIA = 20
_HEADED = re.compile(
    r"^[#*_ \t]*(?:acceptance criteria|success criteria|definition of done|done "
    r"when|expected(?: result| behaviou?r)?)"
    r"[*_ \t]*:?[*_ \t]*$",
    re.IGNORECASE,
)
_PROMISE = re.compile(r"\b(?:must|should|shall|so that|expects?|expected|then)\b", re.IGNORECASE)
_CONCRETE = re.compile(r"`[^`]+`|\w+[/.]\w{2,}|[a-z0-9]+_[a-z0-9_]+|[a-z]+[A-Z]\w*|\d")


@dataclass(frozen=True)
class Ambiguous:
    """Why the Interpreter is needed."""

    reasons: tuple[str, ...]


def process(request: Request, created_at: str, hint: str = "") -> Prompt | Ambiguous:
    """The prompt if the request is clear; `hint` is a type stated by an exported issue."""
    found = work_type(request, hint)
    reasons = unclear(request, hint)
    if reasons:
        return Ambiguous(reasons)
    return Prompt(
        jira=request.jira,
        type=cast("WorkType", found),
        slug=naming.slug_of(request.text, request.jira, lead=found),
        tool_mandates=find_mandates(request.text),
        original_request=request.original,
        refined_prompt=refined(request.text),
        success_criteria=criteria(request.text),
        created_at=created_at,
    )


def unclear(request: Request, hint: str = "") -> tuple[str, ...]:
    """Every reason why the request is not clear; if there is none, no agent has to read it."""
    reasons = []
    if not work_type(request, hint):
        reasons.append(f"no word names the type of work ({', '.join(words.KEYWORDS)})")
    if said := words.vague_words(request.text):
        reasons.append(f"vague: {', '.join(said)}")
    if not criteria(request.text):
        reasons.append("nothing in it can be checked when it is done")
    return tuple(reasons)


def work_type(request: Request, hint: str = "") -> str:
    return words.work_type(request.text) or (hint if hint in WORK_TYPES else "")


def refined(text: str) -> str:
    """The request in tidy lines; no word is changed."""
    lines = [" ".join(line.split()) for line in text.splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def criteria(text: str) -> tuple[str, ...]:
    """What must hold in the end, in the request's own sentences.

    A list under a heading for it comes first, else sentences that promise something. If these only
    demand tools, the first sentence that says what is to change is put before them: one with at
    least two content words, or a concrete name.
    """
    said = [_bare(each) for each in words.sentences(text)]
    found = _listed(text) or [each for each in said if _PROMISE.search(each)]
    if all(map(find_mandates, found)):
        found = [*[each for each in said if _says_what(each)][:1], *found]
    return tuple(dict.fromkeys(" ".join(each.split()) for each in found))[:MAX_CRITERIA]


def _listed(text: str) -> list[str]:
    found: list[str] = []
    inside = False
    for line in text.splitlines():
        said = words.item(line)
        if _HEADED.match(line):
            inside = True
        elif inside and said:
            found.append(said)
        elif line.strip():
            inside = False
    return found


def _bare(sentence: str) -> str:
    return words.item(sentence) or sentence.strip("# \t")


def _says_what(sentence: str) -> bool:
    return len(words.content_words(sentence)) >= 2 or bool(_CONCRETE.search(sentence))
