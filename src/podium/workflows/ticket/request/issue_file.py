"""An exported issue as a ticket: its id, the type of work, and its words as the request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from podium.core.errors import Fault, InputError
from podium.formats import issue_files
from podium.formats.issue import Issue
from podium.formats.markdown import scan
from podium.workflows.ticket.request.request import Request, WhichTicket, about_ticket, find_ids
from podium.workflows.ticket.request.words import WIDER, work_type


@dataclass(frozen=True)
class Exported:
    request: Request | WhichTicket
    hint: str = ""
    """The type of work that the issue's own type or labels name; empty if they name none."""


def read_issue(text: str, where: str) -> Exported:
    """The request in an exported issue; raises InputError if something is missing."""
    issue = issue_files.read_issue(text, where)
    if issue.tracker == "file":
        return _markdown(text, where)
    ids = ids_of(issue)
    if not ids:
        raise InputError(Fault(where, "has neither a ticket id in its title nor a number"))
    words, hint = f"{issue.title}\n\n{issue.body}".strip(), hint_of([issue.kind, *issue.labels])
    if len(ids) > 1:
        return Exported(WhichTicket(ids, words), hint)
    lead = f"{ids[0]} " if issue.tracker == "jira" else ""
    return Exported(about_ticket(f"{lead}{words}", ids[0], where), hint)


def ids_of(issue: Issue) -> tuple[str, ...]:
    """Jira's own key is the ticket; for other trackers an id in the title, else one made from
    the issue's number.
    """
    if issue.tracker == "jira":
        return (issue.key,) if issue.key else ()
    number = issue.key.rpartition("#")[2]
    return find_ids(issue.title) or ((f"GH-{number}",) if number else ())


def _markdown(text: str, where: str) -> Exported:
    """An id in the title wins over one in the text, and both over the file's name."""
    outline = scan(text)
    title = outline.headings[0].title if outline.headings else ""
    name = re.sub(r"\.\w+$", "", where.rpartition("/")[2])
    ids = next((found for source in (title, text, name) if (found := find_ids(source))), ())
    if not ids:
        raise InputError(
            Fault(where, "names no ticket of the form [A-Z]+-\\d+", "put it in the title")
        )
    lines = [title if number == 0 else line for number, line in _shown(outline.lines, title)]
    words = "\n".join(lines).strip()
    if len(ids) > 1:
        return Exported(WhichTicket(ids, words))
    return Exported(about_ticket(words, ids[0], where))


def _shown(lines: tuple[str, ...], title: str) -> Iterator[tuple[int, str]]:
    """The text's lines, with the title's line stripped of its heading mark."""
    heading = next(
        (at for at, line in enumerate(lines) if title and line.lstrip("# ").startswith(title)), -1
    )
    for at, line in enumerate(lines):
        yield (0, title) if at == heading else (at + 1, line)


def hint_of(names: Sequence[str]) -> str:
    """The type of work that a tracker's type or labels name."""
    return next(
        (
            found
            for each in names
            if (found := work_type(each, {**WIDER, "enhancement": "feature", "story": "feature"}))
        ),
        "",
    )
