"""The end of a connection to one of our servers, as its client's leaving is told."""

from __future__ import annotations

from starlette.types import Receive


async def gone(receive: Receive) -> None:
    """Returns when the client has left."""
    while (await receive())["type"] != "http.disconnect":
        pass
