"""One admitted dispatch: its token, what it may still do, what it did, and what stopped it."""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from podium.agents.gateway.budgets import Purses
from podium.agents.gateway.counting import Count, Counted
from podium.agents.gateway.providers import Route
from podium.agents.gateway.shapes.figures import Figures
from podium.agents.protocol import Failure, Model

MOST = 32
"""Requests of one dispatch handled at the same time; an agent that floods the gateway only
delays itself.
"""
AT_ONCE = 1
"""Calls of one dispatch that may run at once under a cap: each waits until the one before is
counted.
"""


@dataclass(frozen=True)
class Limit:
    """The provider said: not now."""

    status: int
    retry_after: float | None
    """Seconds, if the provider said so."""
    detail: str = ""


@dataclass
class Pass:
    """Valid until the dispatch ends."""

    dispatch: str
    route: Route
    purses: Purses
    """The purses of its step, of the run and of the day."""
    token: str = field(default_factory=lambda: f"podium-{secrets.token_urlsafe(24)}", repr=False)
    socket: Path | None = None
    port: int = 0
    """On 127.0.0.1, if the agent may use it; 0 if not."""
    ended: bool = False
    limit: Limit | None = None
    """From the last answer; the next good answer clears it."""
    unauthorised: str = ""
    """What the provider said when it rejected the real key."""
    denied: str = ""
    """The last model it asked for that is not allowed."""
    stopped: str = ""
    """Why the budget lets no further call through; empty while it does."""
    exhausted: asyncio.Event = field(default_factory=asyncio.Event, repr=False)
    """Set by the first call that the budget refuses."""

    def __post_init__(self) -> None:
        self._count = Count(self.route.prices)
        self.door = asyncio.Semaphore(MOST)
        self.room = asyncio.Semaphore(AT_ONCE if self.capped else MOST)

    @property
    def used(self) -> Counted:
        """Usage so far; final once the dispatch has ended."""
        return self._count.now

    @property
    def capped(self) -> bool:
        return bool(self.purses.cap)

    def base_url(self, port: int = 0) -> str:
        """The base address for the agent. `port`: the port in the agent's own network, if it has
        one.
        """
        return f"http://127.0.0.1:{port or self.port}{self.route.about.mount}"

    def model(self, port: int = 0) -> Model:
        """What a transport needs to know. `port` as above."""
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
            withheld=tuple(
                dict.fromkeys(filter(None, (self.route.key_env, about.key_env, about.token_env)))
            ),
            trouble=self.failure,
        )

    def failure(self) -> Failure | None:
        """The failure to report if the model is the reason why the agent ended."""
        if self.unauthorised:
            return Failure(
                "not_dispatchable",
                f"the provider rejected the key in {self.route.key_env}: {self.unauthorised}",
                barred=True,
            )
        if self.limit is not None:
            return Failure(
                "rate_limit",
                f"the provider answered {self.limit.status}: {self.limit.detail}",
                self.limit.retry_after,
            )
        return None

    # -- kept up to date by the proxy

    def over(self) -> str:
        """Why no further call may be made. Also remembers that a call was refused for it."""
        reason = self.purses.empty()
        if reason:
            self.stopped = self.stopped or reason
            self.exhausted.set()
        return reason

    def refused(self) -> None:
        self._count.refuse()

    def free(self) -> None:
        self._count.free()

    def called(
        self, model: str, figures: Figures, *, ended: bool, sent: int, received: int, known: bool
    ) -> None:
        one = self._count.add(
            model, figures, ended=ended, sent=sent, received=received, known=known
        )
        self.purses.add(one.tokens, one.cost_usd)
