"""Exported issues: GitHub's JSON, Jira's JSON, XML and CSV, and Markdown. One issue, or an error
that says what was found.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree import ElementTree as ET

from podium.core.errors import Fault, InputError
from podium.formats import issue_html
from podium.formats.issue import Comment, Issue
from podium.formats.issue_adf import list_of, text_of
from podium.formats.issue_adf import markdown as adf
from podium.formats.markdown import scan

LARGEST = 5_000_000
"""Characters of an export: a tracker's largest fields are far smaller."""
_ISSUE = re.compile(r"https?://[^/\s]+/([\w.-]+/[\w.-]+)/(?:issues|pull)/\d+", re.ASCII)


def read_issue(text: str, where: str) -> Issue:
    """The content decides about the format, not the file's name."""
    if len(text) > LARGEST:
        raise InputError(Fault(where, f"has {len(text):,} characters, {LARGEST:,} at most"))
    head = text.lstrip("\ufeff \t\r\n")
    found = _read(head, where)
    if not found.title.strip():
        raise InputError(
            Fault(where, "is an issue without a title", "give it one: it says what is wanted")
        )
    return found


def _read(head: str, where: str) -> Issue:
    if head[:1] in {"{", "["}:
        return _json(head, where)
    if head[:1] == "<" and not where.endswith(".md"):
        return _xml(head, where)
    if re.search(
        r"^[^\n]*\bIssue key\b[^\n]*\bSummary\b|^[^\n]*\bSummary\b[^\n]*\bIssue key\b", head
    ):
        return _csv(head, where)
    return _markdown(head, where)


def _json(text: str, where: str) -> Issue:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise InputError(Fault(where, f"is not JSON: {fault}")) from None
    if isinstance(data, Mapping) and isinstance(data.get("issues"), list):
        data = data["issues"]
    if isinstance(data, list):
        data = _only(data, where)
    if isinstance(data, Mapping) and isinstance(data.get("fields"), Mapping):
        return _jira(data, data["fields"])
    if isinstance(data, Mapping) and isinstance(data.get("title"), str):
        return _github(data)
    raise InputError(
        Fault(
            where,
            "is not an issue of GitHub (number, title, body) or Jira (key, fields)",
            "export one, or write its text to a Markdown file",
        )
    )


def _only(found: Sequence[Any], where: str) -> Any:
    if len(found) != 1:
        raise InputError(Fault(where, f"holds {len(found)} issues", "export the one that is meant"))
    return found[0]


def _github(data: Mapping[str, Any]) -> Issue:
    url = text_of(data.get("url")) or text_of(data.get("html_url"))
    project = _ISSUE.match(url)
    number = data.get("number")
    key = (
        f"{project[1] if project else ''}#{number}"
        if isinstance(number, int) and not isinstance(number, bool)
        else ""
    )
    labels = tuple(
        text_of(each.get("name")) if isinstance(each, Mapping) else text_of(each)
        for each in list_of(data.get("labels"))
    )
    comments = [each for each in list_of(data.get("comments")) if isinstance(each, Mapping)]
    return Issue(
        tracker="github",
        key=key,
        title=text_of(data["title"]),
        body=text_of(data.get("body")),
        labels=tuple(filter(None, labels)),
        url=url,
        comments=tuple(Comment(_author(each), text_of(each.get("body"))) for each in comments),
    )


def _author(comment: Mapping[str, Any]) -> str:
    """Who wrote it, and their role in the project, if GitHub says so."""
    who = comment.get("author") or comment.get("user")
    name = text_of(who.get("login")) if isinstance(who, Mapping) else text_of(who)
    role = text_of(comment.get("authorAssociation") or comment.get("author_association")).lower()
    return f"{name} ({role})" if name and role else name


def _jira(data: Mapping[str, Any], fields: Mapping[str, Any]) -> Issue:
    kind, kept = fields.get("issuetype"), fields.get("comment")
    comments = list_of(kept.get("comments")) if isinstance(kept, Mapping) else ()
    return Issue(
        tracker="jira",
        key=text_of(data.get("key")),
        title=text_of(fields.get("summary")),
        body=adf(fields.get("description")),
        kind=text_of(kind.get("name")) if isinstance(kind, Mapping) else "",
        labels=tuple(each for each in list_of(fields.get("labels")) if isinstance(each, str)),
        comments=tuple(
            Comment(_person(each.get("author")), adf(each.get("body")))
            for each in comments
            if isinstance(each, Mapping)
        ),
    )


def _person(value: Any) -> str:
    return (
        text_of(value.get("displayName")) or text_of(value.get("name"))
        if isinstance(value, Mapping)
        else ""
    )


def _xml(text: str, where: str) -> Issue:
    """Jira's "Export XML": an RSS channel. A document type could define entities; real exports
    have none.
    """
    if re.search(r"<!(?:DOCTYPE|ENTITY)", text, re.IGNORECASE):
        raise InputError(Fault(where, "declares a document type, which no export of Jira does"))
    try:
        # without a document type there is nothing to expand
        root = ET.fromstring(text)  # noqa: S314
    except (ET.ParseError, ValueError, RecursionError) as fault:
        raise InputError(Fault(where, f"is not XML: {fault}")) from None
    item = _only(
        root.findall("./channel/item")
        or root.findall("./item")
        or ([root] if root.tag == "item" else []),
        where,
    )
    title = item.findtext("summary") or re.sub(r"^\[[^\]]*\]\s*", "", item.findtext("title") or "")
    return Issue(
        tracker="jira",
        key=(item.findtext("key") or "").strip(),
        title=title,
        body=issue_html.text(item.findtext("description") or ""),
        kind=item.findtext("type") or "",
        labels=tuple(each.text or "" for each in item.findall("./labels/label")),
        url=(item.findtext("link") or "").strip(),
        comments=tuple(
            Comment(each.get("author", ""), issue_html.text(each.text or ""))
            for each in item.findall("./comments/comment")
        ),
    )


def _csv(text: str, where: str) -> Issue:
    """Jira's "Export CSV": a column's name is repeated if a field has several values."""
    try:
        rows = [row for row in csv.reader(text.splitlines(keepends=True), strict=True) if any(row)]
    except csv.Error as fault:
        raise InputError(Fault(where, f"is not CSV: {fault}")) from None
    head, row = rows[0], _only(rows[1:], where)
    found: dict[str, list[str]] = {}
    for name, value in zip(head, row, strict=False):
        if value:
            found.setdefault(name.strip(), []).append(value)

    def first(name: str) -> str:
        return next(iter(found.get(name, ())), "")

    # A comment is "date;author;text".
    comments = [each.split(";", 2) for each in found.get("Comment", ())]
    return Issue(
        tracker="jira",
        key=first("Issue key"),
        title=first("Summary"),
        body=first("Description"),
        kind=first("Issue Type"),
        labels=tuple(found.get("Labels", ())),
        comments=tuple(
            Comment(each[1], each[2]) if len(each) == 3 else Comment("", each[-1])
            for each in comments
        ),
    )


def _markdown(text: str, where: str) -> Issue:
    outline = scan(text)
    if not any(map(str.isalnum, text)):
        raise InputError(Fault(where, "is empty"))
    heading = next((each for each in outline.headings if each.title.strip()), None)
    if heading is None:
        first, _, rest = text.strip().partition("\n")
        return Issue("file", "", first.strip(), rest.strip())
    body = "\n".join([*outline.lines[: heading.line], *outline.lines[heading.end :]]).strip()
    return Issue("file", "", heading.title, body)
