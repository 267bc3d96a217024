"""Ends an agent's work as soon as its model is known to be unavailable: some agents would wait
for hours.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from podium.agents.protocol import Failure, Model

PATIENCE_S = 60.0
"""How long an agent may wait for its model itself; a longer pause is up to the engine."""
_LOOK_S = 1.0

_T = TypeVar("_T")


async def while_model(
    model: Model | None, work: Coroutine[Any, Any, _T]
) -> tuple[_T | None, Failure | None]:
    """The result of the work, or why it was ended: a rejected key, or a lasting limit."""
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
    """Return once the gateway knows that the model will be unavailable for a while."""
    while True:
        await asyncio.sleep(_LOOK_S)
        found = model.trouble()
        if found is not None and (
            found.kind != "rate_limit" or (found.retry_after or 0.0) > PATIENCE_S
        ):
            return found
