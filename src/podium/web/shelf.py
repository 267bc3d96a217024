"""Style sheets, scripts and pictures of the pages: a few files of the package, known by name."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from podium.core.digest import digest

TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
    "woff2": "font/woff2",
}


@cache
def shelf() -> dict[str, tuple[bytes, str]]:
    """Bytes and digest by name."""
    found = {}
    for each in files("podium.web").joinpath("static").iterdir():
        if each.is_file() and each.name.rpartition(".")[2] in TYPES:
            data = each.read_bytes()
            found[each.name] = (data, digest(data)[7:23])
    return found


async def static(request: Request) -> Response:
    name = request.path_params["name"]
    found = shelf().get(name)
    if found is None:
        return PlainTextResponse("There is no such file.\n", 404)
    data, mark = found
    headers = {"etag": f'"{mark}"', "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == headers["etag"]:
        return Response(None, 304, headers)
    return Response(data, headers={**headers, "content-type": TYPES[name.rpartition(".")[2]]})
