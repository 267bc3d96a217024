"""An agent's work, ended as soon as its model is known not to be had: some agents wait as long as they are told to."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from podium.agents.protocol import Failure, Model

PATIENCE_S = 60.0
"""An agent may wait for its model itself for so long; a longer pause is the engine's to make."""
_LOOK_S = 1.0

_T = TypeVar("_T")


async def while_model(model: Model | None, work: Coroutine[Any, Any, _T]) -> tuple[_T | None, Failure | None]:
    """What the work came to, or why it was ended: a key that is not taken, a limit that lasts."""
    if model is None:
        return await work, None
    working, watching = asyncio.ensure_future(work), asyncio.ensure_future(lost(model))
    both: set[asyncio.Future[Any]] = {working, watching}
    try:
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result(), None
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
        return None, watching.result()
    finally:
        for each in both:
            each.cancel()
        await asyncio.gather(*both, return_exceptions=True)


async def lost(model: Model) -> Failure:
    """Returns when the gateway has learnt that the model is not to be had for a while."""
    while True:
        await asyncio.sleep(_LOOK_S)
        found = model.trouble()
        if found is not None and (found.kind != "rate_limit" or (found.retry_after or 0.0) > PATIENCE_S):
            return found
