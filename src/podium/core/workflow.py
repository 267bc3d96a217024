"""What a workflow is: named steps, each an effect and a pure route from outcome to next step."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, get_args

from podium.core import keys
from podium.core.dataclass import dataclass
from podium.core.effects import Effect
from podium.core.errors import Fault
from podium.core.history import History
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
    key: Callable[[Any], str] | None = None
    """Run to this step's key, where the run itself numbers what is done; unique for each visit but of a FanOut."""
    onward: bool = False
    """Whether entering it again goes on with the work, so that what was done before still stands."""
    seals: bool = False
    """Whether nobody looks any more, once it is done, if what was done before it still stands."""
    rare: bool = False
    """Whether people who watch need not know of it before it happens: it is shown once it has begun, and not counted."""

    @property
    def key_base(self) -> str:
        return self.base or keys.base_of(self.name)


def step(
    effect: Effect,
    *,
    phase: str = "",
    base: str = "",
    loops: bool = False,
    key: Callable[[Any], str] | None = None,
    onward: bool = False,
    seals: bool = False,
    rare: bool = False,
) -> Callable[[Route], Step]:
    """Pair an effect with the method that routes its outcome.

    The method's signature is the contract: the Literal on `outcome` lists what may
    happen, the Literal it returns lists where the run may go next.
    """

    def bind(route: Route) -> Step:
        return Step(
            name=route.__name__,
            effect=effect,
            route=route,
            outcomes=_words(route, "outcome"),
            exits=_words(route, "return"),
            phase=phase,
            base=base,
            loops=loops,
            key=key,
            onward=onward,
            seals=seals,
            rare=rare,
        )

    return bind


def _words(route: Route, name: str) -> tuple[str, ...]:
    """The words of one `Literal`. `get_type_hints` reads the whole signature and takes five times as long, for every step."""
    said = route.__annotations__[name]
    found = eval(said, vars(sys.modules[route.__module__])) if isinstance(said, str) else said  # noqa: S307 - its own source
    return get_args(found)


@dataclass(frozen=True)
class Projection:
    """A file that shows the run to people: rendered by the program, and read back when a person edits it."""

    path: str
    render: Callable[[str | None, str], str]
    """(text on disk or None, template text) to the text as it should be; keeps people's own words."""
    template: str = ""
    """Path of the template of the first writing."""
    check: Callable[[str], tuple[str, ...]] = lambda _: ()
    """Faults of what was written and read back."""
    shared: bool = False
    """Whether it is people's own document that the program only keeps up to date; it is never laid aside."""
    needed: bool = True
    """Whether nothing may be dispatched while it is missing; else it is simply made again."""
    grows: bool = False
    """Whether it is only ever added to, by a run and its children alike."""
    read_back: Callable[[str, Run], tuple[Run, tuple[str, ...]]] | None = None
    """(edited text, run) to the run as the person wants it and the changes in words; InputError if unreadable."""


@dataclass(frozen=True)
class About:
    """What a dispatch is told about the run it belongs to."""

    task: str
    facts: Mapping[str, str]
    notes: tuple[str, ...] = ()


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
    lasting: ClassVar[frozenset[str] | None] = None
    """Members of a run that stay as they are when it is set back; the others are then what they were at that step.
    None: all stay, and `rewound` sees to what must not."""
    rounds: ClassVar[frozenset[str]] = frozenset()
    """Members that count rounds: set back to an earlier one of them, a run has what they were then."""

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

    def imagined(self, run: Run, outcome: str) -> Sequence[Mapping[str, Any]]:
        """What the step's result may set besides its outcome, each tried by the explorer; none: it cannot happen here."""
        return ({},)

    def given(self, run: Run) -> Sequence[str]:
        """Files that a run which begins like this finds in the project: what it goes on from."""
        return ()

    def template_fault(self, role: str, template: str, member: str, value: Any) -> str:
        """Why the template of a role's output does not take a member that a scenario gives it; "" where it does, or is not known."""
        return ""

    def unblocked(self, run: Run) -> None:
        """A person sent a blocked run on: give loops that were used up their budget again."""

    def renewed(self, run: Run, policy: Mapping[str, Any]) -> Sequence[str]:
        """A person goes on with the run and gives these policy values; what of the run itself they changed, in words.

        What they bound in one call is counted anew.
        """
        return ()

    def rewound(self, run: Run) -> None:
        """The pointer was set back to `run.step`: what follows it has not happened any more."""

    def reconciled(self, run: Run, read: Callable[[str], str | None]) -> Sequence[str]:
        """Set the run right by its documents (path to text), first of all when it is found again; the changes in words."""
        return ()

    def adopted(self, run: Run, text: str, sound: Callable[[str], tuple[str, str]]) -> tuple[Run, tuple[str, ...]]:
        """A new run as a state document says that has no journal here, and all that was taken over, in words.

        `sound`: a step's name to what is wrong with the files it is to have made, and else to their digest.
        """
        return run, ()

    def dependents(self, run: Run, child: str, read: Callable[[str], str | None]) -> Sequence[str]:
        """Keys of child runs that stand on what this one made, over any number of others: they are set back with it."""
        return ()

    def restored(self, run: Run) -> None:
        """The run is again what it was when `run.step` began (see `lasting`); what lies outside of it is not."""

    def faults(self, before: Run, after: Run) -> Sequence[Fault]:
        """What a person's edit of the state says that cannot be, each with the name of its member in place of a file."""
        return ()

    def obstacle(self, run: Run, below: Callable[[str], Sequence[str]]) -> str:
        """Why a run may not be taken up again; `below` lists the files under a folder of the project."""
        return ""

    def artifacts(self, run: Run) -> Mapping[str, str]:
        """Names of this run's files to their paths in the project."""
        return {}

    def projections(self, run: Run, history: History, today: str) -> Sequence[Projection]:
        """The documents that show this run."""
        return ()

    def about(self, run: Run, history: History, today: str) -> About:
        """What the step the run stands at is told."""
        return About(task="", facts={})

    def roles(self) -> Mapping[str, str]:
        """Every role to the project path of its definition; empty where only built-ins exist."""
        return {}

    def protected(self, run: Run) -> Sequence[str]:
        """Paths and folders (`folder/**`) of the project that nobody but people and the program changes."""
        return ()

    def own(self, run: Run) -> Sequence[str]:
        """Paths and folders (`folder/**`) that only the program writes: never a person's change."""
        return ()

    def home(self, run: Run) -> str:
        """The branch that the checkout must be on from here on; empty where it may be on any."""
        return ""

    def parting(self, run: Run) -> Sequence[str]:
        """What is done in the person's checkout when the run is cancelled: what was put aside is given back."""
        return ()

    def closing(self, run: Run) -> str:
        """The last words of a call that drove this run, for people and scripts; empty where there are none."""
        return ""

    def between_calls(self, run: Run) -> str:
        """Why the last call ended where a bound of its own was reached; a new call goes on from there. Empty otherwise."""
        return ""

    def documents_missing(self, what: str) -> str:
        """Why the run stops when these projections are gone or cannot be written."""
        return f"a document of the run is missing ({what})"


def check_exits(name: str, steps: Mapping[str, Step]) -> None:
    for each in steps.values():
        if unknown := sorted(set(each.exits) - set(steps) - {DONE}):
            raise TypeError(f"{name}.{each.name} leads to unknown step {unknown[0]!r}")
