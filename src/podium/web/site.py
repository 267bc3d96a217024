"""What the dashboard's answers are made from."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from podium.web.access import Access, Visitor
from podium.web.actions import Actions
from podium.web.cards import Cards
from podium.web.feed import Feeds
from podium.web.going import Going
from podium.web.homes import Homes
from podium.web.index import Index
from podium.web.library import Library
from podium.web.pages import message
from podium.web.pages.frame import Frame
from podium.wiring import App, Parts

if TYPE_CHECKING:
    from podium.fleet.outlook import Outlook

FIELDS = 20
"""The most fields of one form."""


@dataclass
class Site:
    """One project, and who may see it."""

    project: Path
    access: Access
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    entered: Callable[[], None] = lambda: None
    """Called when a link was used: the next browser needs another one."""
    ending: Callable[[], bool] = lambda: False
    fleet: Outlook | None = None
    """Runs on other machines, if there are any."""

    def __post_init__(self) -> None:
        self.homes = Homes(self.project, self.app, self.fleet)
        self.cards = Cards(self.project, self.homes.more)
        self.library = Library(self.homes, self.cards)
        self.index = Index(self.cards, self.homes.looking, self.homes.driven, self.homes.far)
        self.actions = Actions(self.library, Going(self.project, self.environ), self.homes)
        self.feeds = Feeds(self.homes, self.index, self.cards, self.ending)
        self.notices: dict[str, str] = {}

    def app(self) -> App:
        """A new facade for each caller, so that they share no open run."""
        return (
            self.fleet.facade()
            if self.fleet is not None
            else App(self.project, parts=Parts(self.environ))
        )

    def frame(self, request: Request, visitor: Visitor) -> Frame:
        # Only a page that a person opened shows the notice, not one that a script reloads.
        said = "" if "x-podium-live" in request.headers else self.notices.pop(visitor.csrf, "")
        return Frame(
            visitor.csrf,
            visitor.who,
            self.project.name,
            str(request.scope.get("podium.nonce", "")),
            self.access.remote,
            said,
            fleet=self.fleet is not None,
            stale=self.fleet.stale() if self.fleet is not None else "",
        )

    def run_frame(self, request: Request, visitor: Visitor) -> Frame:
        """The frame of a page about one run."""
        return replace(self.frame(request, visitor), far=self.homes.far(request.path_params["run"]))

    def visitor(self, request: Request) -> Visitor | None:
        named = request.headers.getlist(self.access.header) if self.access.header else []
        return self.access.visitor(request.cookies, named)


async def form(request: Request) -> dict[str, str]:
    """The fields; if one is given twice, the last counts."""
    try:
        return dict(
            parse_qsl(
                (await request.body()).decode(), keep_blank_values=True, max_num_fields=FIELDS
            )
        )
    except ValueError:
        return {}


def error(frame: Frame | None, status: int, title: str, detail: str) -> Response:
    return HTMLResponse(message.error(frame, status, title, detail), status)
