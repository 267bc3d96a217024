"""Handlers for the fleet as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from podium.core.digest import digest
from podium.core.errors import PodiumError
from podium.web import answers
from podium.web.access import Visitor
from podium.web.library import Missing
from podium.web.pages import fleet as fleet_page
from podium.web.site import Site

if TYPE_CHECKING:
    from podium.fleet.outlook import Outlook

STEP_S = 10.0
"""How often a page of the fleet is refreshed even if nothing happened: waits grow."""


async def page(site: Site, request: Request, visitor: Visitor) -> Response:
    fleet, chosen = _fleet(site), fleet_page.window(request.query_params)
    frame = site.frame(request, visitor)
    now = await run_in_threadpool(fleet.figures, fleet_page.WINDOWS[chosen])
    return HTMLResponse(await run_in_threadpool(fleet_page.page, frame, now, chosen))


async def events(site: Site, request: Request, visitor: Visitor) -> Response:
    fleet = _fleet(site)

    def mark() -> str:
        try:
            now = fleet.figures(fleet_page.WINDOWS[fleet_page.USUAL])
        except PodiumError:
            return ""  # the page says so when it is loaded again
        facts = (
            now.total,
            [(each.process.name, each.process.state, each.tally) for each in now.workers],
            int(now.at / STEP_S),
        )
        return digest(repr(facts))[7:23]

    return answers.stream(site, site.feeds.fleet(mark))


async def metrics(site: Site, request: Request, visitor: Visitor) -> Response:
    """For visitors who were let in; a scraper should use `podium fleet metrics --serve`."""
    from podium.fleet.figures.openmetrics import TYPE  # noqa: PLC0415

    fleet = _fleet(site)
    text = await run_in_threadpool(
        fleet.metrics, fleet_page.WINDOWS[fleet_page.window(request.query_params)]
    )
    return Response(text, headers={"content-type": TYPE})


def _fleet(site: Site) -> Outlook:
    if site.fleet is None:
        raise Missing("No fleet is set up for this project: [fleet] database would name it.")
    return site.fleet
