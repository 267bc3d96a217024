"""Decides which agents of a drive use the gateway, and opens the gateway when the first of them
does.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from podium.agents.gateway.budgets import Purse, Purses
from podium.agents.gateway.passes import Pass
from podium.agents.gateway.providers import Route

if TYPE_CHECKING:
    from podium.agents.gateway.gateway import Gateway


def nobody(_agent: str, _confined: bool) -> Route | None:
    return None


@dataclass
class Desk:
    """Admits the dispatches of one drive."""

    routes: Callable[[str, bool], Route | None] = nobody
    """Takes an agent's name and whether it is confined, returns its route; None if it finds its
    model itself.
    """
    record: Path | None = None
    replay: Path | None = None
    redact: Callable[[str], str] = lambda text: text
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    purses: Purses | None = None
    """What its dispatches are paid from; None until the first of them."""
    _gateway: Gateway | None = None

    @asynccontextmanager
    async def admit(
        self, dispatch: str, route: Route, own: Purse, *, tcp: bool
    ) -> AsyncIterator[Pass]:
        async with self._opened().admit(dispatch, route, own=own, tcp=tcp) as pass_:
            yield pass_

    def _opened(self) -> Gateway:
        if self._gateway is None:
            # takes half a second, and only agents that use a model need it
            from podium.agents.gateway.gateway import Gateway  # noqa: PLC0415

            self._gateway = Gateway(
                self.purses,
                record=self.record,
                replay=self.replay,
                redact=self.redact,
                now=self.now,
                environ=self.environ,
            )
        return self._gateway

    async def close(self) -> None:
        """Called at the end of a drive; the next one starts afresh."""
        gateway, self._gateway, self.purses = self._gateway, None, None
        if gateway is not None:
            await gateway.close()
