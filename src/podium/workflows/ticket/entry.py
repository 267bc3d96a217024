"""How a run of a ticket begins: with its id and a request, or with an exported issue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from podium.core.errors import Fault, Halted, InputError, UsageError
from podium.core.verdict import Dialect
from podium.workflows.entry import Entry, Read, Start
from podium.workflows.ticket import adopting, legacy
from podium.workflows.ticket.request.naming import Paths
from podium.workflows.ticket.request.request import (
    Request,
    WhichTicket,
    about_ticket,
    find_ids,
    read_request,
)
from podium.workflows.ticket.workflow import Ticket

if TYPE_CHECKING:
    from podium.formats.issue import Issue

LONG = 80
"""The longest title in characters; a longer request is cut between words and ends with `…`."""


def start(
    inputs: Sequence[str], policy: Mapping[str, Any], options: Mapping[str, Any], read: Read
) -> Start:
    request, hint = _asked(inputs, options, read)
    if isinstance(request, WhichTicket):
        return _several(request, hint, policy)
    members = {
        "jira": request.jira,
        "text": request.text,
        "original": request.original,
        "hint": hint,
    }
    return Start(
        workflow=Ticket(policy),
        members={**members, **_restored(request, options, read)},
        definition={"issue": options["issue"]} if "issue" in options else {},
        slug=request.jira,
        title=_title(request.jira, request.text),
        scope=Paths(request.jira).progress,
        finished=adopting.finished,
    )


def _restored(request: Request, options: Mapping[str, Any], read: Read) -> dict[str, Any]:
    """Restore from progress.yaml.

    A file of an older generation has many faults; only the one that stops the resume is reported.
    """
    try:
        return adopting.restored(request, read)
    except InputError:
        folder = Paths(request.jira).folder
        places = (
            folder,
            *(f"{folder}/{each.rpartition('/')[0] or each}" for each in legacy.PATTERNS),
        )
        there = (
            {path for place in places for path in options["beside"](place)}
            if "beside" in options
            else set()
        )
        if refused := legacy.refusal(there, folder):
            raise Halted(refused) from None
        raise


def _several(request: WhichTicket, hint: str, policy: Mapping[str, Any]) -> Start:
    """A run that begins with the question which ticket is meant."""
    asked = request.original
    for each in request.ids:
        asked = asked.replace(each, "")
    if not any(map(str.isalnum, asked)):
        raise InputError(
            Fault(
                "the request",
                f"names {', '.join(request.ids)} and asks for nothing",
                'write "PROJ-12 and what to do"',
            )
        )
    members = {
        "jira": request.ids[0],
        "ids": list(request.ids),
        "text": request.original,
        "original": request.original,
        "hint": hint,
    }
    return Start(
        workflow=Ticket(policy, asks_which=True),
        members=members,
        definition={},
        slug="-or-".join(request.ids)[:50],
        title=_title(" or ".join(request.ids), request.original),
        scope=f"prompts/{'+'.join(request.ids)}",
    )


def _title(ticket: str, text: str) -> str:
    words = " ".join(text.split())
    return (
        f"{ticket} — "
        f"{words if len(words) <= LONG else words[:LONG].rpartition(' ')[0] or words[:LONG]}{'…' if len(words) > LONG else ''}"  # noqa: E501
    )


def _asked(
    inputs: Sequence[str], options: Mapping[str, Any], read: Read
) -> tuple[Request | WhichTicket, str]:
    file, chosen = str(options.get("from", "")), str(options.get("ticket", ""))
    words = " ".join(inputs).strip()
    if file and words:
        raise UsageError("podium run ticket takes words or --from FILE, not both")
    if file:
        text = read(file)
        if text is None:
            raise InputError(
                Fault(file, "there is no such file", "export the issue as JSON or Markdown")
            )
        # HTML, XML and more, only for an export
        from podium.workflows.ticket.request import issue_file  # noqa: PLC0415

        found = issue_file.read_issue(text, file)
        return _chosen(found.request, chosen), found.hint
    if not words:
        raise UsageError(
            'podium run ticket takes a ticket and a request: podium run ticket "PROJ-12 fix '
            'the login timeout"'
        )
    return _chosen(read_request(words), chosen), str(options.get("hint", ""))


def _chosen(request: Request | WhichTicket, chosen: str) -> Request | WhichTicket:
    """`--ticket` decides; it must be one of the tickets named."""
    named = request.ids if isinstance(request, WhichTicket) else (request.jira,)
    if chosen and chosen not in named:
        raise InputError(
            Fault("--ticket", f"{chosen} is not named in the request", f"one of {', '.join(named)}")
        )
    return (
        about_ticket(request.original, chosen)
        if chosen and isinstance(request, WhichTicket)
        else request
    )


def from_issue(issue: Issue, request: str) -> tuple[list[str], dict[str, str]]:
    """The quoted request, under the id of the issue's ticket."""
    from podium.workflows.ticket.request import issue_file  # noqa: PLC0415

    ident = next(iter((*issue_file.ids_of(issue), *find_ids(issue.body))), "")
    if not ident:
        raise InputError(
            Fault(
                "--issue",
                "has neither a ticket id in its title nor a number",
                "put PROJ-12 in its title",
            )
        )
    return [f"{ident} {request}"], {
        "ticket": ident,
        "hint": issue_file.hint_of([issue.kind, *issue.labels]),
    }


def sample(policy: Mapping[str, Any], read: Read, scaffold: Read) -> Ticket:
    return Ticket(policy)


def remake(definition: Mapping[str, Any], policy: Mapping[str, Any]) -> Ticket:
    return Ticket(policy)


def _dialects() -> Mapping[str, Dialect]:
    # only where an agent is asked
    from podium.workflows.ticket.dialects import DIALECTS  # noqa: PLC0415

    return DIALECTS


ENTRY = Entry(
    name="ticket",
    summary=(
        "a ticket to a committed branch: plan, groups of tasks side by side, build and test, review"
    ),
    takes='"PROJ-12 request"',
    start=start,
    sample=sample,
    remake=remake,
    dialects=_dialects,
    retries=lambda _: {"violation": 1},
    options=frozenset({"from", "ticket", "issue", "hint"}),
    issue=from_issue,
    example='"PROJ-1 what should change"',
    settings=(
        "# max_iterations = 5        # plans in all",
        "# max_attempts = 5          # attempts of one task",
        "# max_parallel_tasks = 4    # tasks at once; 0 = one for each core",
        (
            '# pull_request = "off"      # "gh" or "glab": push the branch to origin and open one '
            "at the end"
        ),
    ),
)
