"""What a workflow is: named steps, each an effect and a pure route from outcome to next step."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, get_args, get_type_hints

from podium.core.effects import Effect
from podium.core.run import DONE, Run

Route = Callable[[Any, Any, Any], str]


@dataclass(frozen=True)
class Step:
    """One named place a run can stand at."""

    name: str
    effect: Effect
    route: Route
    """(workflow, run, outcome) to the next step's name; may change the run's counters or raise Blocked."""
    outcomes: tuple[str, ...]
    """What may happen; anything else blocks the run here with its reason."""
    exits: tuple[str, ...]
    """Where the run may go."""
    phase: str = ""
    """The phase people know this step by."""
    base: str = ""
    """The first part of its keys; the name where empty."""
    loops: bool = False
    """Whether it belongs to a loop, so that its keys always show the round."""

    @property
    def key_base(self) -> str:
        return self.base or self.name.replace("_", "-")


def step(
    effect: Effect, *, phase: str = "", base: str = "", loops: bool = False
) -> Callable[[Route], Step]:
    """Pair an effect with the method that routes its outcome.

    The method's signature is the contract: the Literal on `outcome` lists what may
    happen, the Literal it returns lists where the run may go next.
    """

    def bind(route: Route) -> Step:
        hints = get_type_hints(route, vars(sys.modules[route.__module__]))
        return Step(
            name=route.__name__,
            effect=effect,
            route=route,
            outcomes=get_args(hints["outcome"]),
            exits=get_args(hints["return"]),
            phase=phase,
            base=base,
            loops=loops,
        )

    return bind


@dataclass(frozen=True)
class Document:
    """A file that shows the run to people, rendered by the program and read back from it."""

    path: str
    template: str = ""


@dataclass(frozen=True)
class Invariant:
    """A claim about every explored run; `holds` gets the exploration and names what breaks it."""

    name: str
    broken: Callable[[Any], Sequence[str]]


class Workflow:
    """Steps by name, where to start, and the run record they move."""

    name: ClassVar[str] = ""
    start: str
    run_type: type[Run] = Run
    steps: Mapping[str, Step] = {}
    invariants: tuple[Invariant, ...] = ()

    def __init_subclass__(cls) -> None:
        own = {name: each for name, each in vars(cls).items() if isinstance(each, Step)}
        if own:
            cls.steps = {**cls.steps, **own}
            check_exits(cls.__name__, cls.steps)

    def first(self, **members: Any) -> Run:
        """A run at the start, its first visit counted."""
        return self.run_type(step=self.start, visits={self.start: 1}, **members)

    def variants(self) -> Sequence[Run]:
        """Every kind of run the explorer starts from."""
        return (self.first(),)

    def unblocked(self, run: Run) -> None:
        """A person sent a blocked run on: give loops that were used up their budget again."""


def check_exits(name: str, steps: Mapping[str, Step]) -> None:
    for each in steps.values():
        if unknown := sorted(set(each.exits) - set(steps) - {DONE}):
            raise TypeError(f"{name}.{each.name} leads to unknown step {unknown[0]!r}")


@dataclass(frozen=True)
class Definition:
    """A workflow as users know it: how to make it, and what its documents and roles are."""

    name: str
    summary: str
    make: Callable[..., Workflow] = field(repr=False)
