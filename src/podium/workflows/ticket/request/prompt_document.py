"""`prompt.yaml`: what is to be done, in the person's words and in plain ones, with its criteria."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from podium.documents import Anything, Document, Issue, Many, Text, part, record
from podium.workflows.ticket import times
from podium.workflows.ticket.request import naming, request
from podium.workflows.ticket.request.mandates import MANDATES, Mandate
from podium.workflows.ticket.request.naming import WorkType

NAME = "prompt.yaml"
JIRA = Text(pattern=request.PATTERN, like="PROJ-123")
SLUG = Text(pattern=naming.SLUG, like="fix_login_timeout")
STAMP = Text(pattern=times.PATTERN, like=times.LIKE)
CRITERIA = Many(Text(), least=1, most=50, alone=True)


@record()
class _Written:
    """What an agent must write; the program adds the rest."""

    jira: str = part(value=JIRA)
    type: WorkType
    slug: str = part(value=SLUG)
    tool_mandates: tuple[Mandate, ...] = part(value=MANDATES, default=())
    original_request: str = part(value=Text(empty=True), default="")
    refined_prompt: str
    success_criteria: tuple[str, ...] = part(value=CRITERIA)
    created_at: str = part(value=Anything(), default="")


@record(whole=True)
class Prompt(_Written):
    tool_mandates: tuple[Mandate, ...] = part(value=MANDATES, default=())
    original_request: str
    created_at: str = part(value=STAMP)

    @property
    def branch(self) -> str:
        return naming.branch_of(self.type, self.jira, self.slug)


WRITTEN, PROMPT = Document(NAME, _Written), Document(NAME, Prompt)


def read(text: str, where: str = NAME) -> Prompt:
    """The document; raises InputError with every fault."""
    return PROMPT.read(text, where).sound()


def mandate_data(mandate: Mandate) -> dict[str, str]:
    named = {"tool": mandate.tool} if mandate.tool else {}
    return {"mandate": mandate.text, **named, "assigned_agent": mandate.agent}


def render(prompt: Prompt) -> str:
    mandates = [mandate_data(each) for each in prompt.tool_mandates]
    return PROMPT.render_data({**PROMPT.root.plain(prompt), "tool_mandates": mandates})


def complete(text: str, *, original: str, created_at: str, where: str = NAME) -> str:
    """An agent's document plus what only the program knows: the person's own words and the time."""
    wanted: dict[str, Any] = {"original_request": original, "created_at": created_at}
    if "tool_mandates" not in (WRITTEN.read(text, where).data or {}):
        wanted = {"tool_mandates": [], **wanted}
    return WRITTEN.update(text, wanted, where)


def check(text: str, template: str = "", *, jira: str = "", where: str = NAME) -> tuple[str, ...]:  # noqa: ARG001
    """Every fault of what an agent wrote, in words."""

    def ticket(prompt: _Written) -> Iterator[Issue]:
        if jira and prompt.jira != jira:
            yield Issue(("jira",), f"jira is {prompt.jira!r}", f"this run is about {jira}")

    return Document(NAME, _Written, checks=(ticket,)).check(text, where)


def structure(template: str = "") -> tuple[str, ...]:  # noqa: ARG001
    """The required structure in words, for the brief."""
    return (
        (
            "YAML with: jira, type (feature, fix or chore), slug (three words in snake_case), "
            "tool_mandates"
        ),
        "and: refined_prompt, success_criteria (a list of texts)",
        (
            "each tool mandate: mandate (the person's words, unchanged), tool, assigned_agent "
            "(developer or planner)"
        ),
    )


def compose(members: Mapping[str, Any], template: str, facts: Mapping[str, str]) -> str:  # noqa: ARG001
    """The shortest good answer, overridden by the members."""
    jira = facts.get("Ticket", "PROJ-1")
    asked = facts.get("Request", "") or "do the work of the ticket"
    good: dict[str, Any] = {
        "jira": jira,
        "type": "feature",
        "slug": naming.slug_of(asked, jira),
        "tool_mandates": [],
        "original_request": asked,
        "refined_prompt": asked,
        "success_criteria": [asked],
    }
    return WRITTEN.render_data({**good, **members})
