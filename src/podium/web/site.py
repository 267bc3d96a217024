"""What the answers of the dashboard are made from."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from podium.web.access import Access, Visitor
from podium.web.actions import Actions
from podium.web.cards import Cards
from podium.web.feed import Feeds, driven_by
from podium.web.going import Going
from podium.web.index import Index
from podium.web.library import Library
from podium.web.pages import message
from podium.web.pages.frame import Frame
from podium.wiring import App, Parts

FIELDS = 20
"""Of one form."""


@dataclass
class Site:
    """One project, and who may see it."""

    project: Path
    access: Access
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    entered: Callable[[], None] = lambda: None
    """Called when a link was used: the next browser needs another one."""
    ending: Callable[[], bool] = lambda: False

    def __post_init__(self) -> None:
        self.cards = Cards(self.project)
        self.library = Library(self.project, self.cards, self.app)
        driven = driven_by(self.project)
        self.index = Index(self.cards, self.app, driven)
        self.actions = Actions(self.library, Going(self.project, self.environ), self.app)
        self.feeds = Feeds(self.project, self.index, self.cards, driven, self.ending)
        self.notices: dict[str, str] = {}

    def app(self) -> App:
        """A new one for everybody: what one of them holds no other does."""
        return App(self.project, parts=Parts(self.environ))

    def frame(self, request: Request, visitor: Visitor) -> Frame:
        # A page that a script fetches again is not the one that was waited for.
        said = "" if "x-podium-live" in request.headers else self.notices.pop(visitor.csrf, "")
        return Frame(
            visitor.csrf, visitor.who, self.project.name, str(request.scope.get("podium.nonce", "")),
            self.access.remote, said,
        )  # fmt: skip

    def visitor(self, request: Request) -> Visitor | None:
        named = request.headers.getlist(self.access.header) if self.access.header else []
        return self.access.visitor(request.cookies, named)


async def form(request: Request) -> dict[str, str]:
    """The fields; of one given twice the last."""
    try:
        return dict(parse_qsl((await request.body()).decode(), keep_blank_values=True, max_num_fields=FIELDS))
    except ValueError:
        return {}


def error(frame: Frame | None, status: int, title: str, detail: str) -> Response:
    return HTMLResponse(message.error(frame, status, title, detail), status)
