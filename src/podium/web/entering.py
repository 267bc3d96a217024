"""The way in and out: the link, the password, and what strangers are told."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from podium.web.access import TooOften, Visitor
from podium.web.pages import message
from podium.web.site import Site, error, form


def exchange(site: Site, request: Request) -> Response:
    """Exchange the token for a cookie; the next address no longer contains it."""
    cookie = site.access.exchange(request.query_params["token"])
    if cookie is None:
        if site.visitor(request) is not None:
            return RedirectResponse("/", 303)
        said = (
            "This link has already been used, or it belongs to another server. The terminal in "
            "which `podium ui` runs shows the current one."
        )
        return error(None, 403, "This link does not work", said)
    site.entered()
    return _with_cookie(site, cookie, request)


def _with_cookie(site: Site, cookie: str, request: Request) -> Response:
    response = RedirectResponse("/", 303)
    secure = request.url.scheme == "https"
    response.set_cookie(
        site.access.cookie, cookie, httponly=True, samesite="strict", path="/", secure=secure
    )
    return response


def stranger(site: Site, request: Request) -> Response:
    if site.access.by_password:
        return (
            RedirectResponse("/login", 303)
            if request.method == "GET" and _page(request)
            else error(None, 401, "Sign in", "You are signed out.")
        )
    if site.access.header:
        return error(
            None, 403, "No name given", f"The proxy did not say who you are ({site.access.header})."
        )
    said = (
        "Open the last link that `podium ui` printed in its terminal. Each link lets one browser "
        "in; then a new one is printed."
    )
    if request.headers.get("sec-fetch-site") == "cross-site":
        said += (
            " You came from another site, so your browser did not send the cookie. If this "
            "browser was let in before, reload the page."
        )
    return error(None, 401, "Open the link first", said)


def _page(request: Request) -> bool:
    return (
        "text/html" in request.headers.get("accept", "") and "x-podium-live" not in request.headers
    )


def sign_in_page(site: Site) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        if not site.access.by_password:
            return RedirectResponse("/", 303)
        return HTMLResponse(message.sign_in(site.project.name, remote=True))

    return endpoint


def sign_in(site: Site) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        given = await form(request)
        try:
            cookie = site.access.sign_in(given.get("name", ""), given.get("password", ""))
        except TooOften:
            said = "Too many wrong passwords. Wait half a minute."
            return HTMLResponse(message.sign_in(site.project.name, remote=True, problem=said), 429)
        if cookie is None:
            said = "The password is wrong, or the name cannot be written in the journal."
            return HTMLResponse(message.sign_in(site.project.name, remote=True, problem=said), 403)
        return _with_cookie(site, cookie, request)

    return endpoint


async def sign_out(site: Site, request: Request, visitor: Visitor) -> Response:
    site.access.leave(visitor.cookie)
    response = RedirectResponse("/login", 303)
    response.delete_cookie(site.access.cookie, httponly=True, samesite="strict", path="/")
    return response
