"""`prompt.yaml`: what is to be done, in the person's words and in plain ones, with its criteria."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from podium.core.errors import Fault, InputError
from podium.formats import yaml_edit, yaml_text
from podium.formats.yaml_shape import Anything, Either, Fields, Listing, Maybe, Text, faults
from podium.formats.yaml_tree import parse
from podium.workflows.ticket import times
from podium.workflows.ticket.request import naming, request
from podium.workflows.ticket.request.mandates import AGENTS, Mandate
from podium.workflows.ticket.request.naming import WORK_TYPES, WorkType

NAME = "prompt.yaml"
JIRA = Text(pattern=request.PATTERN, like="PROJ-123")
SLUG = Text(pattern=naming.SLUG, like="fix_login_timeout")
STAMP = Text(pattern=times.PATTERN, like=times.LIKE)
MANDATE = Either(
    Fields({"mandate": Text()}, {"assigned_agent": Text(words=AGENTS), "tool": Text(empty=True)}),
    Text(),
)
CRITERIA = Either(Listing(Text(), least=1, most=50), Text())
_AGENTS_PART: Mapping[str, Any] = {
    "jira": JIRA,
    "type": Text(words=WORK_TYPES),
    "slug": SLUG,
    "refined_prompt": Text(),
    "success_criteria": CRITERIA,
}
_PROGRAMS_PART: Mapping[str, Any] = {"original_request": Text(), "created_at": STAMP}
_MANDATES = {"tool_mandates": Maybe(Listing(MANDATE, most=50))}
WRITTEN = Fields(
    _AGENTS_PART, {**_MANDATES, "original_request": Text(empty=True), "created_at": Anything()}
)
"""What an agent must write; the program adds the rest."""
WHOLE = Fields({**_AGENTS_PART, **_MANDATES, **_PROGRAMS_PART})


@dataclass(frozen=True, kw_only=True)
class Prompt:
    jira: str
    type: WorkType
    slug: str
    tool_mandates: tuple[Mandate, ...] = ()
    original_request: str
    refined_prompt: str
    success_criteria: tuple[str, ...]
    created_at: str

    @property
    def branch(self) -> str:
        return naming.branch_of(self.type, self.jira, self.slug)


def read(text: str, where: str = NAME) -> Prompt:
    """The document; raises InputError with every fault."""
    root = parse(text, where)
    if wrong := faults(root, WHOLE, where):
        raise InputError(wrong)
    data = root.data
    return Prompt(
        jira=data["jira"],
        type=cast("WorkType", data["type"]),
        slug=data["slug"],
        tool_mandates=mandates_in(data["tool_mandates"]),
        original_request=data["original_request"],
        refined_prompt=data["refined_prompt"],
        success_criteria=texts(data["success_criteria"]),
        created_at=data["created_at"],
    )


def mandates_in(data: Any) -> tuple[Mandate, ...]:
    """Mandates of a well-formed document; a bare text is for the developer."""
    return tuple(
        Mandate(each)
        if isinstance(each, str)
        else Mandate(each["mandate"], each.get("assigned_agent", AGENTS[0]), each.get("tool", ""))
        for each in data or ()
    )


def texts(data: Any) -> tuple[str, ...]:
    """A list of texts, or a single text that stands for a list."""
    return (data,) if isinstance(data, str) else tuple(data or ())


def data_of(prompt: Prompt) -> dict[str, Any]:
    return {
        "jira": prompt.jira,
        "type": prompt.type,
        "slug": prompt.slug,
        "tool_mandates": [mandate_data(each) for each in prompt.tool_mandates],
        "original_request": prompt.original_request,
        "refined_prompt": prompt.refined_prompt,
        "success_criteria": list(prompt.success_criteria),
        "created_at": prompt.created_at,
    }


def mandate_data(mandate: Mandate) -> dict[str, str]:
    named = {"tool": mandate.tool} if mandate.tool else {}
    return {"mandate": mandate.text, **named, "assigned_agent": mandate.agent}


def render(prompt: Prompt) -> str:
    return yaml_text.document(data_of(prompt))


def complete(text: str, *, original: str, created_at: str, where: str = NAME) -> str:
    """An agent's document plus what only the program knows: the person's own words and the time."""
    wanted: dict[str, Any] = {"original_request": original, "created_at": created_at}
    if parse(text, where).at("tool_mandates") is None:
        wanted = {"tool_mandates": [], **wanted}
    return yaml_edit.merge(text, wanted, where)


def check(text: str, template: str = "", *, jira: str = "", where: str = NAME) -> tuple[str, ...]:  # noqa: ARG001
    """Every fault of what an agent wrote, in words."""
    try:
        root = parse(text, where)
    except InputError as fault:
        return tuple(map(str, fault.faults))
    found = faults(root, WRITTEN, where)
    said = root.at("jira")
    if jira and said is not None and said.value != jira:
        found.append(
            Fault(f"{where}:{said.line}", f"jira is {said.value!r}", f"this run is about {jira}")
        )
    return tuple(map(str, found))


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
    return yaml_text.document({**good, **members})
