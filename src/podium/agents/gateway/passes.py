"""One dispatch that was let in: its token, what it may still do, what it did, and what kept it from more."""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import field
from pathlib import Path

from podium.agents.gateway.budgets import Purses
from podium.agents.gateway.counting import Count, Counted
from podium.agents.gateway.providers import Route
from podium.agents.gateway.shapes.figures import Figures
from podium.agents.protocol import Failure, Model
from podium.core.dataclass import dataclass

MOST = 32
"""Requests of one dispatch that are looked at together; an agent that floods the gateway waits for itself."""
AT_ONCE = 1
"""Calls of one dispatch under way at the same time where there is a cap: the next one waits until what this one used is
known, so that no more than one is made beyond it."""


@dataclass(frozen=True)
class Limit:
    """The provider said: not now."""

    status: int
    retry_after: float | None
    """Seconds, where it told."""
    detail: str = ""


@dataclass
class Pass:
    """Good until the dispatch ends."""

    dispatch: str
    route: Route
    purses: Purses
    """Of its step, of the run and of the day."""
    token: str = field(default_factory=lambda: f"podium-{secrets.token_urlsafe(24)}", repr=False)
    socket: Path | None = None
    port: int = 0
    """On 127.0.0.1, where the agent may use it; 0 = it may not."""
    ended: bool = False
    limit: Limit | None = None
    """Of the last answer; the next good one clears it."""
    unauthorised: str = ""
    """What the provider said when it did not take the real key."""
    denied: str = ""
    """The last model that is not on the list and was asked for all the same."""
    stopped: str = ""
    """Why the budget let no further call through; empty while it does."""
    exhausted: asyncio.Event = field(default_factory=asyncio.Event, repr=False)
    """Set with the first call that the budget refused."""

    def __post_init__(self) -> None:
        self._count = Count(self.route.prices)
        self.door = asyncio.Semaphore(MOST)
        self.room = asyncio.Semaphore(AT_ONCE if self.capped else MOST)

    @property
    def used(self) -> Counted:
        """So far; final once the dispatch has ended."""
        return self._count.now

    @property
    def capped(self) -> bool:
        return bool(self.purses.cap)

    def base_url(self, port: int = 0) -> str:
        """What the agent is configured with; `port`: as it sees the socket inside a network of its own."""
        return f"http://127.0.0.1:{port or self.port}{self.route.about.mount}"

    def model(self, port: int = 0) -> Model:
        """What a transport is told; `port` as above."""
        about = self.route.about
        base = self.base_url(port)
        return Model(
            provider=self.route.provider,
            base_url=base,
            token=self.token,
            socket=self.socket,
            models=self.route.models,
            environment={
                **dict.fromkeys(about.base_names, base),
                **dict.fromkeys(about.key_names, self.token),
            },
            withheld=tuple(dict.fromkeys(filter(None, (self.route.key_env, about.key_env)))),
            trouble=self.failure,
        )

    def failure(self) -> Failure | None:
        """What the agent's end should be called, where its model is the cause."""
        if self.unauthorised:
            return Failure("not_dispatchable", f"the provider does not take the key in {self.route.key_env}: {self.unauthorised}")
        if self.limit is not None:
            return Failure("rate_limit", f"the provider answered {self.limit.status}: {self.limit.detail}", self.limit.retry_after)
        return None

    # -- kept by the proxy

    def over(self) -> str:
        """Why no further call may be made; also remembers that one was refused for it."""
        reason = self.purses.empty()
        if reason:
            self.stopped = self.stopped or reason
            self.exhausted.set()
        return reason

    def refused(self) -> None:
        self._count.refuse()

    def free(self) -> None:
        self._count.free()

    def called(self, model: str, figures: Figures, *, ended: bool, sent: int, received: int, known: bool) -> None:
        one = self._count.add(model, figures, ended=ended, sent=sent, received=received, known=known)
        self.purses.add(one.tokens, one.cost_usd)
