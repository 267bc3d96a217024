"""Budgets that apply before each call, not after a dispatch: of a step, of the run with its
child runs, of a day.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Cap:
    """A limit on each axis; None means no limit."""

    tokens: float | None = None
    cost_usd: float | None = None

    def __bool__(self) -> bool:
        return self.tokens is not None or self.cost_usd is not None


@dataclass
class Purse:
    """How much may be used, and how much has been; unknown is never zero."""

    cap: Cap = Cap()
    tokens: float | None = 0
    cost_usd: float | None = 0.0
    whose: str = "the run"

    def add(self, tokens: float | None, cost_usd: float | None) -> None:
        self.tokens = None if tokens is None or self.tokens is None else self.tokens + tokens
        self.cost_usd = (
            None if cost_usd is None or self.cost_usd is None else self.cost_usd + cost_usd
        )

    def empty(self) -> str:
        """Why no further call may be made; empty if one may."""
        for axis, used, cap in (
            ("tokens", self.tokens, self.cap.tokens),
            ("cost_usd", self.cost_usd, self.cap.cost_usd),
        ):
            if cap is None:
                continue
            if used is None:
                return (
                    f"budget: {self.whose} has a cap of {cap:g} {axis}, but what was used is "
                    "unknown"
                )
            if used >= cap:
                return f"budget: {self.whose} has used {used:g} of {cap:g} {axis}"
        return ""


@dataclass(frozen=True)
class Purses:
    """Several purses that each call is paid from. The first one that is empty stops the call."""

    parts: tuple[Purse, ...] = ()

    def add(self, tokens: float | None, cost_usd: float | None) -> None:
        for each in self.parts:
            each.add(tokens, cost_usd)

    @property
    def cap(self) -> Cap:
        """The lowest cap on each axis."""
        caps = [each.cap for each in self.parts]
        tokens, cost = (
            [each for each in some if each is not None]
            for some in ((each.tokens for each in caps), (each.cost_usd for each in caps))
        )
        return Cap(min(tokens, default=None), min(cost, default=None))

    def empty(self) -> str:
        return next(filter(None, (each.empty() for each in self.parts)), "")
