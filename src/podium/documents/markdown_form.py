"""A record in Markdown: read, written, changed in place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from podium.documents import markdown_edit, writer
from podium.documents.groups import inner
from podium.documents.issues import Issue, Path
from podium.documents.markdown import scan
from podium.documents.reader import Reader
from podium.documents.record import Table
from podium.documents.values import Value


def read(text: str, root: Value) -> tuple[Any, Callable[[Path], int], Sequence[Issue]]:
    """The data of a text, the line of each path in it, and where it says two things."""
    reader = Reader(scan(text))
    return reader.document(_table(root)), reader.line_of, reader.contradictions


def render(root: Value, data: Any) -> str:
    return writer.render(_table(root), data)


def update(text: str, root: Value, wanted: Any) -> str:
    return markdown_edit.update(text, _table(root), read(text, root)[0], wanted)


def _table(root: Value) -> Table:
    table = inner(root)
    assert isinstance(table, Table), "only a record has a form in Markdown"
    return table
