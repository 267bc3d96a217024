"""What a workflow is: named steps, each an effect and a pure route from outcome to next step."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, get_args

from podium.core import keys
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
    """(workflow, run, outcome) to the next step's name; may change the run's counters or raise
    Blocked.
    """
    outcomes: tuple[str, ...]
    """The possible outcomes; any other blocks the run here with its reason."""
    exits: tuple[str, ...]
    """Where the run may go."""
    phase: str = ""
    """The name of the phase that people know it by."""
    base: str = ""
    """The first part of its keys; empty: its name."""
    loops: bool = False
    """Whether it belongs to a loop, so that its keys always show the round."""
    key: Callable[[Any], str] | None = None
    """Run to this step's key, if the run itself numbers the work; unique for each visit, except
    of a FanOut.
    """
    onward: bool = False
    """Whether entering it again continues its work, so that what was done before still stands."""
    seals: bool = False
    """Whether, once it is done, nobody checks any more that what came before it still stands."""
    rare: bool = False
    """Whether watchers need not know of it in advance: it is shown only once it has begun, and
    not counted.
    """

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
    """The words of one `Literal`. `get_type_hints` would evaluate the whole signature and take
    five times as long per step.
    """
    said = route.__annotations__[name]
    # its own source
    found = eval(said, vars(sys.modules[route.__module__])) if isinstance(said, str) else said  # noqa: S307
    return get_args(found)


@dataclass(frozen=True)
class Projection:
    """A file that shows the run to people: rendered by the program, and read back if a person
    edits it.
    """

    path: str
    render: Callable[[str | None, str], str]
    """(text on disk or None, template text) to the text as it should be; keeps what people
    wrote.
    """
    template: str = ""
    """Path of the template for the first version."""
    check: Callable[[str], tuple[str, ...]] = lambda _: ()
    """Faults of what was written and read back."""
    shared: bool = False
    """Whether it is people's own document that the program only keeps up to date; it is never
    set aside.
    """
    needed: bool = True
    """Whether nothing may be dispatched while it is missing; if not, it is simply made again."""
    grows: bool = False
    """Whether a run and its children only ever add to it."""
    read_back: Callable[[str, Run], tuple[Run, tuple[str, ...]]] | None = None
    """(edited text, run) to the run as the person wants it and the changes in words; InputError
    if unreadable.
    """


@dataclass(frozen=True)
class About:
    """What a dispatch is told about the run it belongs to."""

    task: str
    facts: Mapping[str, str]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Invariant:
    """A claim about every explored run; `broken` gets the exploration and says what breaks the
    claim, as texts or as violations with the way that shows it.
    """

    name: str
    broken: Callable[[Any], Sequence[Any]]


class Workflow:
    """Steps by name, where to start, and the run record they move."""

    name: ClassVar[str] = ""
    start: str
    run_type: type[Run] = Run
    steps: Mapping[str, Step] = {}
    invariants: tuple[Invariant, ...] = ()
    lasting: ClassVar[frozenset[str] | None] = None
    """Members that keep their values when a run is set back; the others get the values they had at
    that step.
    None: all keep their values, and `rewound` resets what must not.
    """
    rounds: ClassVar[frozenset[str]] = frozenset()
    """Members that count rounds: a run that is set back to an earlier round gets the values they
    had then.
    """

    def __init_subclass__(cls) -> None:
        own = {name: each for name, each in vars(cls).items() if isinstance(each, Step)}
        if own:
            cls.steps = {**cls.steps, **own}
            check_exits(cls.__name__, cls.steps)

    def first(self, **members: Any) -> Run:
        """A run at the start, with its first visit counted."""
        return self.run_type(step=self.start, visits={self.start: 1}, **members)

    def variants(self) -> Sequence[Run]:
        """Every kind of run that the explorer starts from."""
        return (self.first(),)

    def imagined(self, run: Run, outcome: str) -> Sequence[Mapping[str, Any]]:
        """What the step's result may set besides its outcome; the explorer tries each. Empty:
        the outcome cannot happen here.
        """
        return ({},)

    def given(self, run: Run) -> Sequence[str]:
        """Files that a run which begins like this needs in the project, because it continues
        from them.
        """
        return ()

    def template_fault(self, role: str, template: str, member: str, value: Any) -> str:
        """Why the template of a role's output does not take a member that a scenario gives it;
        "" where it does, or is not known.
        """
        return ""

    def unblocked(self, run: Run) -> None:
        """A person sent a blocked run on: give used-up loops fresh limits."""

    def renewed(self, run: Run, policy: Mapping[str, Any]) -> Sequence[str]:
        """A person continues the run with these policy values; what they change in the run itself,
        in words.

        Limits that they set for one call are counted anew.
        """
        return ()

    def rewound(self, run: Run) -> None:
        """The pointer was set back to `run.step`: undo what came after it."""

    def reconciled(self, run: Run, read: Callable[[str], str | None]) -> Sequence[str]:
        """Correct the run from its documents (`read`: path to text), for example when it is
        resumed; the changes in words.
        """
        return ()

    def adopted(
        self, run: Run, text: str, sound: Callable[[str], tuple[str, str]]
    ) -> tuple[Run, tuple[str, ...]]:
        """A new run as described by a state document that has no journal here, and what was taken
        over, in words.

        `sound`: a step's name to (what is wrong with the files it should have made, otherwise their
        digest).
        """
        return run, ()

    def dependents(self, run: Run, child: str, read: Callable[[str], str | None]) -> Sequence[str]:
        """Keys of child runs that depend on what this one made, directly or not: they are set
        back with it.
        """
        return ()

    def restored(self, run: Run) -> None:
        """The run is again what it was when `run.step` began (see `lasting`); adjust what that
        does not cover.
        """

    def faults(self, before: Run, after: Run) -> Sequence[Fault]:
        """What is impossible in a person's edit of the state; each fault names a member instead
        of a file.
        """
        return ()

    def obstacle(self, run: Run, below: Callable[[str], Sequence[str]]) -> str:
        """Why a run may not be resumed; `below` lists the files under a folder of the project."""
        return ""

    def proven_by(self, run: Run) -> Sequence[str]:
        """Names of the configured commands that this workflow rests on as proof, in order."""
        return ("build", "test", "lint")

    def declares_proof(self) -> str:
        """Where somebody declared that a step is proven by commands; "" if nobody did."""
        return ""

    def artifacts(self, run: Run) -> Mapping[str, str]:
        """Names of this run's files to their paths in the project."""
        return {}

    def projections(self, run: Run, history: History, today: str) -> Sequence[Projection]:
        """The documents that show this run."""
        return ()

    def about(self, run: Run, history: History, today: str) -> About:
        """What the current step is told."""
        return About(task="", facts={})

    def roles(self) -> Mapping[str, str]:
        """Every role to the project path of its definition; empty if only built-ins exist."""
        return {}

    def protected(self, run: Run) -> Sequence[str]:
        """Paths and folders (`folder/**`) of the project that only people and the program may
        change.
        """
        return ()

    def own(self, run: Run) -> Sequence[str]:
        """Paths and folders (`folder/**`) that only the program writes; changes there are never
        a person's.
        """
        return ()

    def home(self, run: Run) -> str:
        """The branch that must be checked out from here on; empty: any."""
        return ""

    def parting(self, run: Run) -> Sequence[str]:
        """What to do in the person's checkout when the run is cancelled: give back what was put
        aside.
        """
        return ()

    def closing(self, run: Run) -> str:
        """The last line that a call prints about this run, for people and scripts; may be empty."""
        return ""

    def between_calls(self, run: Run) -> str:
        """Why the last call ended, if it reached a limit for one call; a new call continues from
        there. Empty otherwise.
        """
        return ""

    def documents_missing(self, what: str) -> str:
        """Why the run stops if these projections are missing or cannot be written."""
        return f"a document of the run is missing ({what})"


def check_exits(name: str, steps: Mapping[str, Step]) -> None:
    for each in steps.values():
        if unknown := sorted(set(each.exits) - set(steps) - {DONE}):
            raise TypeError(f"{name}.{each.name} leads to unknown step {unknown[0]!r}")
