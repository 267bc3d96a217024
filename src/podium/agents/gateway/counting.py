"""What one dispatch used, call by call: what the provider said, what was estimated, what is
unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from podium.agents.gateway.shapes.answers import guessed
from podium.agents.gateway.shapes.figures import Figures

MILLION = 1_000_000


@dataclass(frozen=True)
class Price:
    """US dollars per million tokens."""

    input: float
    output: float
    cached_input: float | None = None
    """For cached input; None means the same as input."""

    def of(self, figures: Figures) -> float | None:
        if figures.tokens_in is None or figures.tokens_out is None:
            return None
        cached = min(figures.cached, figures.tokens_in)
        cheap = self.input if self.cached_input is None else self.cached_input
        fresh = (figures.tokens_in - cached) * self.input
        return (fresh + cached * cheap + figures.tokens_out * self.output) / MILLION


def price_of(model: str, prices: Mapping[str, Price]) -> Price | None:
    """The price by exact name, or by the longest pattern that matches."""
    if model in prices:
        return prices[model]
    fits = [each for each in prices if fnmatchcase(model, each)]
    return prices[max(fits, key=lambda each: (len(each), each))] if fits else None


@dataclass(frozen=True)
class Counted:
    """Usage of one dispatch as the gateway saw it."""

    calls: int = 0
    """Answered by the provider, whatever the answer was."""
    refused: int = 0
    """Not passed on at all."""
    tokens_in: int | None = 0
    """As reported by the provider; None as soon as one answer cannot be read."""
    tokens_out: int | None = 0
    guessed_in: int = 0
    """In addition, estimated by length, for answers that ended before they reported their usage."""
    guessed_out: int = 0
    cost_usd: float | None = 0.0
    """Includes the estimates; None if a model has no price."""
    models: tuple[str, ...] = ()

    @property
    def tokens(self) -> int | None:
        """All tokens together, estimates included."""
        if self.tokens_in is None or self.tokens_out is None:
            return None
        return self.tokens_in + self.tokens_out + self.guessed_in + self.guessed_out


@dataclass
class Count:
    """Adds up calls."""

    prices: Mapping[str, Price] = field(default_factory=dict)
    now: Counted = Counted()

    def refuse(self) -> None:
        self.now = replace(self.now, refused=self.now.refused + 1)

    def free(self) -> None:
        """A call that generates nothing and costs nothing."""
        self.now = replace(self.now, calls=self.now.calls + 1)

    def add(
        self, model: str, figures: Figures, *, ended: bool, sent: int, received: int, known: bool
    ) -> Counted:
        """Count one answered call and return its own usage. `known`: whether we can read the
        figures of its format.
        """
        figures, guess_in, guess_out = _completed(
            figures, ended=ended, sent=sent, received=received, known=known
        )
        price = price_of(model, self.prices)
        whole = _plus(figures, guess_in, guess_out)
        one = Counted(
            calls=1,
            tokens_in=figures.tokens_in,
            tokens_out=figures.tokens_out,
            guessed_in=guess_in,
            guessed_out=guess_out,
            cost_usd=price.of(whole) if price else None,
            models=(model,) if model else (),
        )
        self.now = together(self.now, one)
        return one


def together(first: Counted, second: Counted) -> Counted:
    return Counted(
        calls=first.calls + second.calls,
        refused=first.refused + second.refused,
        tokens_in=_sum(first.tokens_in, second.tokens_in),
        tokens_out=_sum(first.tokens_out, second.tokens_out),
        guessed_in=first.guessed_in + second.guessed_in,
        guessed_out=first.guessed_out + second.guessed_out,
        cost_usd=None
        if first.cost_usd is None or second.cost_usd is None
        else first.cost_usd + second.cost_usd,
        models=tuple(dict.fromkeys((*first.models, *second.models))),
    )


def _completed(
    figures: Figures, *, ended: bool, sent: int, received: int, known: bool
) -> tuple[Figures, int, int]:
    """Fill in missing figures, so that an agent that hangs up early does not get its answer for
    free.
    """
    if not known or (ended and None not in {figures.tokens_in, figures.tokens_out}):
        return figures, 0, 0
    guess_in = guessed(sent) if figures.tokens_in is None else 0
    guess_out = (
        0
        if ended and figures.tokens_out is not None
        else max(0, guessed(received) - (figures.tokens_out or 0))
    )
    return (
        Figures(figures.tokens_in or 0, figures.tokens_out or 0, figures.cached),
        guess_in,
        guess_out,
    )


def _plus(figures: Figures, guess_in: int, guess_out: int) -> Figures:
    if figures.tokens_in is None or figures.tokens_out is None:
        return figures
    return Figures(figures.tokens_in + guess_in, figures.tokens_out + guess_out, figures.cached)


def _sum(first: int | None, second: int | None) -> int | None:
    return None if first is None or second is None else first + second
