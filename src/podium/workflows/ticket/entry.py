"""How a run of a ticket begins: from its id and a request, or from an exported issue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from podium.core.errors import Fault, InputError, UsageError
from podium.workflows.entry import Entry, Read, Start
from podium.workflows.ticket import issue_file
from podium.workflows.ticket.dialects import DIALECTS
from podium.workflows.ticket.naming import Paths
from podium.workflows.ticket.request import Request, WhichTicket, about_ticket, read_request
from podium.workflows.ticket.workflow import Ticket


def start(inputs: Sequence[str], policy: Mapping[str, Any], options: Mapping[str, Any], read: Read) -> Start:
    request, hint = _asked(inputs, options, read)
    paths = Paths(request.jira)
    return Start(
        workflow=Ticket(policy),
        members={"jira": request.jira, "text": request.text, "original": request.original, "hint": hint},
        definition={},
        slug=request.jira,
        title=f"{request.jira} — {' '.join(request.text.split())[:80]}",
        scope=paths.progress,
    )


def _asked(inputs: Sequence[str], options: Mapping[str, Any], read: Read) -> tuple[Request, str]:
    file = options.get("from", "")
    words = " ".join(inputs).strip()
    if file:
        if words:
            raise UsageError("podium run ticket takes words or --from FILE, not both")
        text = read(file)
        if text is None:
            raise InputError(Fault(file, "there is no such file", "export the issue as JSON or Markdown"))
        found = issue_file.read_issue(text, file)
        return _one(found.request, found.request.original, options), found.hint
    if not words:
        raise UsageError('podium run ticket takes a ticket and a request: podium run ticket "PROJ-12 fix the login timeout"')
    return _one(read_request(words), words, options), ""


def _one(request: Request | WhichTicket, words: str, options: Mapping[str, Any]) -> Request:
    """The one ticket that is meant; of several a person says which."""
    if isinstance(request, Request):
        return request
    if not (chosen := str(options.get("ticket", ""))):
        mend = f"say which with --ticket: {', '.join(request.ids)}"
        raise InputError(Fault("the request", f"names {len(request.ids)} tickets", mend))
    return about_ticket(words, chosen)


def sample(policy: Mapping[str, Any], read: Read, scaffold: Read) -> Ticket:
    return Ticket(policy)


def remake(definition: Mapping[str, Any], policy: Mapping[str, Any]) -> Ticket:
    return Ticket(policy)


ENTRY = Entry(
    name="ticket",
    summary="a ticket to a committed branch: plan, groups of tasks side by side, build and test, review",
    takes='"PROJ-12 request"',
    start=start,
    sample=sample,
    remake=remake,
    dialects=DIALECTS,
    retries=lambda _: {"violation": 1},
    options=frozenset({"from", "ticket"}),
    example='"PROJ-1 what should change"',
    settings=(
        "# max_iterations = 5        # plans in all",
        "# max_attempts = 5          # attempts of one task",
        "# max_parallel_tasks = 4    # tasks at once",
    ),
)
