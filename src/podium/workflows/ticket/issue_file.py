"""A ticket exported to a file: Jira's JSON, GitHub's JSON, or Markdown, to the words of a request."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from podium.core.errors import Fault, InputError
from podium.formats.markdown import scan
from podium.workflows.ticket.request import Request, WhichTicket, about_ticket, find_ids
from podium.workflows.ticket.words import WIDER, work_type

MAX_DEPTH = 50


@dataclass(frozen=True)
class Exported:
    request: Request | WhichTicket
    hint: str = ""
    """The type of work that the issue's own type or labels name; empty where they name none."""


def read_issue(text: str, where: str) -> Exported:
    """The request in an exported issue; raises InputError with what is missing."""
    if where.endswith(".json") or text.lstrip()[:1] in {"{", "["}:
        return _json(text, where)
    return _markdown(text, where)


def _json(text: str, where: str) -> Exported:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise InputError(Fault(where, f"is not JSON: {fault}")) from None
    if isinstance(data, Mapping) and isinstance(data.get("issues"), list):
        data = data["issues"]
    if isinstance(data, list):
        if len(data) != 1:
            raise InputError(Fault(where, f"holds {len(data)} issues", "export the one that is meant"))
        data = data[0]
    if isinstance(data, Mapping) and isinstance(data.get("fields"), Mapping):
        return _jira(data, where)
    if isinstance(data, Mapping) and "title" in data:
        return _github(data, where)
    raise InputError(Fault(where, "is no issue of Jira (key, fields) or GitHub (number, title)"))


def _jira(data: Mapping[str, Any], where: str) -> Exported:
    fields = data["fields"]
    kind = fields.get("issuetype")
    words = f"{fields.get('summary') or ''}\n\n{prose(fields.get('description'))}".strip()
    request = about_ticket(f"{data.get('key')} {words}", str(data.get("key")), where)
    named = str(kind.get("name") or "") if isinstance(kind, Mapping) else ""
    return Exported(request, hint_of([named]))


def prose(value: Any, depth: int = 0) -> str:
    """A description as text: Jira sends it as a text or as a tree of nodes."""
    if isinstance(value, str):
        return value
    if not isinstance(value, Mapping) or depth > MAX_DEPTH:
        return ""
    if value.get("type") == "text":
        return str(value.get("text") or "")
    inner = [prose(each, depth + 1) for each in value.get("content") or () if isinstance(each, Mapping)]
    kind = value.get("type")
    if kind == "listItem":
        return "- " + "\n".join(filter(None, inner))
    if kind in {"paragraph", "heading"}:
        return "".join(inner)
    return "\n".join(filter(None, inner))


def _github(data: Mapping[str, Any], where: str) -> Exported:
    """The id stands in the title, else the issue's own number makes one."""
    title, body = str(data["title"]), str(data.get("body") or "")
    ids = find_ids(title)
    if not ids and not isinstance(data.get("number"), int):
        raise InputError(Fault(where, "has neither a ticket id in its title nor a number"))
    ident = ids[0] if ids else f"GH-{data['number']}"
    labels = [str(each.get("name") if isinstance(each, Mapping) else each) for each in data.get("labels") or ()]
    words = f"{title}\n\n{body}".strip()
    if len(ids) > 1:
        return Exported(WhichTicket(ids, words), hint_of(labels))
    return Exported(about_ticket(words, ident, where), hint_of(labels))


def _markdown(text: str, where: str) -> Exported:
    """The id of the title counts before those of the text, and both before the file's name."""
    outline = scan(text)
    title = outline.headings[0].title if outline.headings else ""
    name = re.sub(r"\.\w+$", "", where.rpartition("/")[2])
    ids = next((found for source in (title, text, name) if (found := find_ids(source))), ())
    if not ids:
        raise InputError(Fault(where, "names no ticket of the form [A-Z]+-\\d+", "put it in the title"))
    lines = [title if number == 0 else line for number, line in _shown(outline.lines, title)]
    words = "\n".join(lines).strip()
    if len(ids) > 1:
        return Exported(WhichTicket(ids, words))
    return Exported(about_ticket(words, ids[0], where))


def _shown(lines: tuple[str, ...], title: str) -> Iterator[tuple[int, str]]:
    """The text's lines; the mark of the title's heading is not a word."""
    heading = next((at for at, line in enumerate(lines) if title and line.lstrip("# ").startswith(title)), -1)
    for at, line in enumerate(lines):
        yield (0, title) if at == heading else (at + 1, line)


def hint_of(names: list[str]) -> str:
    """The type of work that a tracker's type or labels name."""
    return next((found for each in names if (found := work_type(each, {**WIDER, "enhancement": "feature", "story": "feature"}))), "")
