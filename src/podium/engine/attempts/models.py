"""The model of one dispatch: reached through the gateway if its agent has a route, counted
there, cut off by its budget.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from podium.agents.confine.confinement import Confinement
from podium.agents.gateway.budgets import Cap, Purse, Purses
from podium.agents.gateway.counting import Counted
from podium.agents.gateway.desk import Desk
from podium.agents.gateway.passes import Pass
from podium.agents.gateway.providers import Route
from podium.agents.protocol import Agent, Answer, Failure, Model
from podium.core.budget import DAY, STEP
from podium.engine import budget
from podium.engine.session import Session

PORT = 8787
"""The model's port on 127.0.0.1 in a room whose network has nothing else."""
LEAVE_S = 10.0
"""How long an agent may take to end after its budget allowed no further call."""
_EXPLAINED = frozenset({"crash", "empty", "garbage", "timeout"})
"""Failures of an agent that its model may have caused."""


@dataclass(frozen=True)
class Admitted:
    """One dispatch at the gateway, or one that does not use it."""

    pass_: Pass | None = None
    port: int = 0
    """As the agent sees it."""

    @property
    def socket(self) -> Path | None:
        return self.pass_.socket if self.pass_ else None

    @property
    def model(self) -> Model | None:
        return self.pass_.model(self.port) if self.pass_ else None

    @property
    def counted(self) -> Counted | None:
        """What passed through; None if nothing did, and then the agent's own report counts."""
        used = self.pass_.used if self.pass_ else None
        return used if used and (used.calls or used.refused) else None

    @property
    def stopped(self) -> str:
        return self.pass_.stopped if self.pass_ else ""


def admitted(
    session: Session, key: str, agent: Agent, confinement: Confinement | None
) -> AbstractAsyncContextManager[Admitted]:
    """One dispatch's access to its model, open until the end of the block."""
    desk = session.services.gateway
    if desk is None:
        return nullcontext(Admitted())
    if desk.purses is None:
        # The day's usage as this drive begins, plus its own: if midnight passes meanwhile, the next
        # drive starts a new day.
        run, day = (
            _purse(session, "", "the run", budget.used),
            _purse(session, DAY, "the day", budget.used_today),
        )
        desk.purses = Purses((run, day))
    network = confinement.network_of(model=True) if confinement is not None else "open"
    program = getattr(agent, "actor", "program") == "program"
    route = (
        desk.routes(agent.name, confinement is not None) if program and network != "none" else None
    )
    if route is None:
        return nullcontext(Admitted())
    # In a network of its own the room connects one port to the socket; otherwise the agent reaches
    # our port directly.
    apart = confinement is not None and confinement.level.holds_network and network == "model"
    step = session.history.steps.get(key)
    own = _purse(session, STEP, "the step", partial(budget.used_by_step, record=step))
    return _pass(desk, session.marker(key), route, own, apart=apart)


@asynccontextmanager
async def _pass(
    desk: Desk, marker: str, route: Route, own: Purse, *, apart: bool
) -> AsyncIterator[Admitted]:
    async with desk.admit(marker, route, own, tcp=not apart) as pass_:
        yield Admitted(pass_, PORT if apart else pass_.port)


def _purse(
    session: Session, scope: str, whose: str, used: Callable[[Session], budget.Spent]
) -> Purse:
    """The cap of this scope, and what has been used according to the journals."""
    caps = session.services.caps.of(scope)
    cap = Cap(caps.get(f"{scope}tokens"), caps.get(f"{scope}cost_usd"))
    if not cap:
        return Purse(cap)
    found = used(session)
    return Purse(cap, found[f"{scope}tokens"], found[f"{scope}cost_usd"], whose)


async def bounded(performing: Coroutine[Any, Any, Answer], admitted: Admitted) -> Answer:
    """The agent's answer; an agent that continues after its budget has ended is ended as well."""
    pass_ = admitted.pass_
    if pass_ is None:
        return await performing
    work = asyncio.ensure_future(performing)
    empty = asyncio.ensure_future(pass_.exhausted.wait())
    try:
        await asyncio.wait((work, empty), return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            await asyncio.wait((work,), timeout=LEAVE_S)
        if work.done():
            return explained(work.result(), pass_)
        return Answer(failure=Failure("crash", f"ended with its budget: {pass_.stopped}"))
    finally:
        for each in (work, empty):
            each.cancel()
        await asyncio.gather(work, empty, return_exceptions=True)


def explained(answer: Answer, pass_: Pass) -> Answer:
    """The same answer; if it failed and the model's provider said why, that is the cause."""
    cause = pass_.failure() or _denied(pass_)
    if cause is None or answer.failure is None or answer.failure.kind not in _EXPLAINED:
        return answer
    return replace(answer, failure=cause)


def _denied(pass_: Pass) -> Failure | None:
    """An agent that may use other models continues with those; one that never got an answer
    could not begin.
    """
    if not pass_.denied or pass_.used.models:
        return None
    allowed = ", ".join(pass_.route.models)
    return Failure(
        "not_dispatchable", f"it asks for the model {pass_.denied!r}, and `models` allows {allowed}"
    )


def settle(session: Session, answer: Answer, admitted: Admitted) -> None:
    """What a dispatch used without the gateway counts in the run's budget as the agent reports
    it.
    """
    desk = session.services.gateway
    if desk is None or desk.purses is None or admitted.pass_ is not None:
        return
    said = answer.usage
    tokens = (
        None
        if said.tokens_in is None or said.tokens_out is None
        else said.tokens_in + said.tokens_out
    )
    desk.purses.add(tokens, said.cost_usd)


def usage(answer: Answer, counted: Counted | None, seconds: float) -> dict[str, Any]:
    """For the journal: what was counted, and next to it what the agent claims; only the claim if
    nothing was counted.
    """
    claimed = vars(answer.usage)
    took = {"seconds": round(seconds, 3)}
    if counted is None:
        return {**claimed, **took}
    guessed = counted.guessed_in + counted.guessed_out
    return {
        "tokens_in": None if counted.tokens_in is None else counted.tokens_in + counted.guessed_in,
        "tokens_out": None
        if counted.tokens_out is None
        else counted.tokens_out + counted.guessed_out,
        # Without a price there is only the agent's claim; with a cap on cost the gateway refuses
        # such calls.
        "cost_usd": claimed["cost_usd"] if counted.cost_usd is None else counted.cost_usd,
        **took,
        "calls": counted.calls,
        "models": list(counted.models),
        **({"guessed": guessed} if guessed else {}),
        **({"refused": counted.refused} if counted.refused else {}),
        "claimed": claimed,
    }
