"""Budgets that bite before a call, not after a dispatch: of one dispatch, and of the whole run with its children."""

from __future__ import annotations

from dataclasses import dataclass

from podium.agents.gateway.counting import Counted


@dataclass(frozen=True)
class Cap:
    """None is no cap."""

    tokens: int | None = None
    cost_usd: float | None = None

    def __bool__(self) -> bool:
        return self.tokens is not None or self.cost_usd is not None


@dataclass
class Purse:
    """What may be used, and what was; unknown is never zero."""

    cap: Cap = Cap()
    tokens: float | None = 0
    cost_usd: float | None = 0.0
    whose: str = "the run"

    def spend(self, one: Counted) -> None:
        self.add(one.tokens, one.cost_usd)

    def add(self, tokens: float | None, cost_usd: float | None) -> None:
        self.tokens = None if tokens is None or self.tokens is None else self.tokens + tokens
        self.cost_usd = None if cost_usd is None or self.cost_usd is None else self.cost_usd + cost_usd

    def empty(self) -> str:
        """Why no further call may be made, in words; empty where one may."""
        for axis, used, cap in (
            ("tokens", self.tokens, self.cap.tokens),
            ("cost_usd", self.cost_usd, self.cap.cost_usd),
        ):
            if cap is None:
                continue
            if used is None:
                return f"budget: {self.whose} has a cap of {cap:g} {axis}, but what was used is unknown"
            if used >= cap:
                return f"budget: {self.whose} has used {used:g} of {cap:g} {axis}"
        return ""
