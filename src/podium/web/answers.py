"""One handler per address, for visitors who were let in."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)

from podium.state.run_folder import RunFolder, load_request
from podium.web import reading
from podium.web.access import Visitor
from podium.web.actions import Done
from podium.web.feed import Full
from podium.web.files import chunks, duplicate
from podium.web.library import Known, Missing
from podium.web.pages import gate as gate_page
from podium.web.pages import links
from podium.web.pages import run as run_page
from podium.web.pages import runs as runs_page
from podium.web.pages import step as step_page
from podium.web.site import Site, error
from podium.web.stream import Stream

DECISIONS = frozenset({"approve", "reject", "answer"})


async def runs(site: Site, request: Request, visitor: Visitor) -> Response:
    frame, query = site.frame(request, visitor), runs_page.query(request.query_params)
    return HTMLResponse(
        await run_in_threadpool(
            lambda: runs_page.page(frame, site.index.entries(), query, time.time())
        )
    )


async def run(site: Site, request: Request, visitor: Visitor) -> Response:
    frame = site.run_frame(request, visitor)

    def made() -> str:
        known = site.library.run(request.path_params["run"])
        return run_page.page(
            frame,
            known.summary,
            known.events,
            known.workflow,
            time.time(),
            dict(request.query_params),
        )

    return HTMLResponse(await run_in_threadpool(made))


async def step(site: Site, request: Request, visitor: Visitor) -> Response:
    frame, key = site.run_frame(request, visitor), request.path_params["key"]

    def made() -> str:
        known = site.library.run(request.path_params["run"])
        home = step_page.home(known.events, key)
        if home is None:
            raise Missing(f"Run {known.summary.run} has no step {key!r}.")
        site.homes.bring(known.summary.run)
        material, files = reading.material(site.homes.of(home), home, key)
        return step_page.page(frame, known.summary, known.events, key, material, time.time(), files)

    return HTMLResponse(await run_in_threadpool(made))


async def gate(site: Site, request: Request, visitor: Visitor) -> Response:
    return await _gate(site, request, visitor)


async def _gate(
    site: Site, request: Request, visitor: Visitor, refused: Done | None = None
) -> Response:
    frame, key = site.run_frame(request, visitor), request.path_params["key"]
    # Remember which form it was, so that a note reappears where it was written.
    typed = (
        {**request.state.form, "form": request.path_params["how"]} if refused is not None else {}
    )

    def made() -> str:
        known = site.library.run(request.path_params["run"])
        if not gate_page.known(known.events, key):
            raise Missing(f"Run {known.summary.run} has no gate {key!r}.")
        asked = gate_page.subjects(known.events, key)
        documents = site.homes.documents(known.summary.run, sorted(asked))
        site.homes.bring(known.summary.run)
        about = reading.subjects(documents, site.homes.of(known.summary.run), known.events, key)
        problem = refused.say if refused is not None else ""
        told = (
            known.summary,
            known.events,
            known.workflow,
            key,
            about,
            time.time(),
            problem,
            typed,
        )
        offers = reading.offers(
            documents, site.homes.of(known.summary.run), known.summary.run, known.events, key
        )
        return gate_page.page(frame, *told, site.homes.decided(known.summary.run), offers)

    return HTMLResponse(
        await run_in_threadpool(made), refused.status if refused is not None else 200
    )


async def file(site: Site, request: Request, visitor: Visitor) -> Response:
    """A step's file as a download; the browser never displays it itself."""
    path = request.path_params["path"]

    def found() -> int | None:
        known = site.library.run(request.path_params["run"])
        site.homes.bring(known.summary.run)
        place = reading.place(
            site.homes.of(known.summary.run), known.summary.run, known.events, path
        )
        return duplicate(*place) if place is not None else None

    opened = await run_in_threadpool(found)
    if opened is None:
        raise Missing("This run has no such file.")
    name = quote(path.rpartition("/")[2], safe="")
    headers = {"content-disposition": f"attachment; filename*=UTF-8''{name}"}
    return StreamingResponse(
        chunks(opened), headers=headers, media_type="text/plain; charset=utf-8"
    )


async def report(site: Site, request: Request, visitor: Visitor) -> Response:
    from podium.web.pages import report as report_page  # noqa: PLC0415  # large and rarely needed

    def made() -> tuple[Known, str]:
        known = site.library.run(request.path_params["run"])
        asked = load_request(RunFolder(site.homes.of(known.summary.run), known.summary.run))
        return known, report_page.html(known.events, known.summary, known.workflow, asked)

    known, text = await run_in_threadpool(made)
    headers = {"content-disposition": f'attachment; filename="{known.summary.run}.html"'}
    return HTMLResponse(text, headers=headers)


async def list_events(site: Site, request: Request, visitor: Visitor) -> Response:
    return stream(site, site.feeds.runs(_after(request)))


async def run_events(site: Site, request: Request, visitor: Visitor) -> Response:
    run = request.path_params["run"]
    site.library.find(run)
    return stream(site, site.feeds.run(run, _after(request)))


def _after(request: Request) -> str:
    return request.headers.get("last-event-id", "")[:64]


def stream(site: Site, source: AsyncGenerator[bytes, None]) -> Response:
    try:
        site.feeds.admit()
    except Full:
        return Response(
            "Too many pages listen already.\n", 503, {"retry-after": "30"}, "text/plain"
        )
    return Stream(source)


async def decide(site: Site, request: Request, visitor: Visitor) -> Response:
    key, how = request.path_params["key"], request.path_params["how"]
    if how not in DECISIONS:
        raise Missing("There is no such page.")
    ident, given = request.path_params["run"], request.state.form
    done = await run_in_threadpool(site.actions.decide, ident, key, how, given, visitor.who)
    if not done.ok and not _wants_json(request):
        return await _gate(site, request, visitor, done)
    return _done(site, request, visitor, done, links.run(ident))


async def cancel(site: Site, request: Request, visitor: Visitor) -> Response:
    ident = request.path_params["run"]
    done = await run_in_threadpool(site.actions.cancel, ident, request.state.form, visitor.who)
    return _done(site, request, visitor, done, links.run(ident))


async def resume(site: Site, request: Request, visitor: Visitor) -> Response:
    ident = request.path_params["run"]
    done = await run_in_threadpool(site.actions.resume, ident, request.state.form, visitor.who)
    return _done(site, request, visitor, done, links.run(ident))


def _done(site: Site, request: Request, visitor: Visitor, done: Done, where: str) -> Response:
    if _wants_json(request):
        return JSONResponse({"ok": done.ok, "say": done.say, "where": where}, done.status)
    if not done.ok:
        return error(site.frame(request, visitor), done.status, "That was not done", done.say)
    site.notices[visitor.csrf] = done.say
    return RedirectResponse(where, 303)


def _wants_json(request: Request) -> bool:
    return request.headers.get("accept", "").startswith("application/json")
