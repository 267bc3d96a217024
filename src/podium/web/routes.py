"""Every address of the dashboard, and what applies to all of them: who asks, and whether the
form is ours.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from podium.core.errors import PodiumError
from podium.web import answers, entering, fleet_answers
from podium.web.access import Visitor, same
from podium.web.guard import Guard
from podium.web.library import Missing
from podium.web.shelf import static
from podium.web.site import Site, error, form

Answer = Awaitable[Response]
Handler = Callable[[Site, Request, Visitor], Answer]


def application(site: Site, hosts: list[str], schemes: tuple[str, ...] = ("http",)) -> Guard:
    reads: list[tuple[str, Handler]] = [
        ("/", answers.runs),
        ("/events", answers.list_events),
        ("/fleet", fleet_answers.page),
        ("/fleet/events", fleet_answers.events),
        ("/metrics", fleet_answers.metrics),
        ("/runs/{run}", answers.run),
        ("/runs/{run}/events", answers.run_events),
        ("/runs/{run}/report.html", answers.report),
        ("/runs/{run}/steps/{key:path}", answers.step),
        ("/runs/{run}/gates/{key:path}", answers.gate),
        ("/runs/{run}/files/{path:path}", answers.file),
    ]
    posts: list[tuple[str, Handler]] = [
        ("/runs/{run}/gates/{key:path}/{how:str}", answers.decide),
        ("/runs/{run}/cancel", answers.cancel),
        ("/runs/{run}/resume", answers.resume),
        ("/logout", entering.sign_out),
    ]
    routes = [
        Route("/login", entering.sign_in_page(site), methods=["GET"]),
        Route("/login", entering.sign_in(site), methods=["POST"]),
        Route("/static/{name}", static, methods=["GET"]),
        *(Route(path, _read(site, handler), methods=["GET"]) for path, handler in reads),
        *(Route(path, _post(site, handler), methods=["POST"]) for path, handler in posts),
    ]
    return Guard(
        Starlette(routes=routes, exception_handlers={404: _nothing, 405: _nothing}), hosts, schemes
    )


def _read(site: Site, handler: Handler) -> Callable[[Request], Answer]:
    async def endpoint(request: Request) -> Response:
        if "token" in request.query_params:
            return entering.exchange(site, request)
        visitor = site.visitor(request)
        if visitor is None:
            return entering.stranger(site, request)
        return await _answered(site, request, visitor, handler)

    return endpoint


def _post(site: Site, handler: Handler) -> Callable[[Request], Answer]:
    async def endpoint(request: Request) -> Response:
        visitor = site.visitor(request)
        if visitor is None:
            return entering.stranger(site, request)
        request.state.form = await form(request)
        if not same(request.state.form.get("csrf", ""), visitor.csrf):
            return error(
                None,
                403,
                "Refused",
                (
                    "This form was not sent from this dashboard, or its page is too old. Load the "
                    "page again."
                ),
            )
        return await _answered(site, request, visitor, handler)

    return endpoint


async def _answered(site: Site, request: Request, visitor: Visitor, handler: Handler) -> Response:
    try:
        return await handler(site, request, visitor)
    except Missing as missing:
        return error(site.frame(request, visitor), 404, "Not here", str(missing))
    except PodiumError as fault:
        return error(site.frame(request, visitor), 409, "That cannot be shown", str(fault))


async def _nothing(request: Request, fault: Exception) -> Response:
    status = int(getattr(fault, "status_code", 404))
    return error(None, status, "Not here", "There is no such page.")
