"""Rules about the order of steps: closed sentences, proven for every way a run can take."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podium.api.steps import DECIDED, AgentStep, CheckStep, Declared, GateStep
from podium.core.nearest import nearest
from podium.core.proofs import Exploration, Path, Violation
from podium.core.run import DONE, Run, Status
from podium.core.workflow import Invariant
from podium.documents import Document

CODE = "code"
"""Stands for all code among the things that a step saw."""
FORMS: Mapping[str, str] = {
    "A only after B": "B has ended before A begins; A may be `done`",
    "A only after B WORD or C WORD": (
        "the last outcome of B is WORD, and nothing that B saw has changed since; one of several"
    ),
    "never A after B WORD": "A does not begin while the last outcome of B is WORD",
    "A at most N times": "A begins no more often, by whatever way",
    "every A is followed by B": "after A, no run is done before B has begun",
    "no path skips A": "no run is done without A",
    "at most N agents at once": "no parallel step starts more",
    "A and B never by the same role": "no role does both",
}
Steps = Mapping[str, Declared]
State = tuple[int, ...]


@dataclass(frozen=True)
class Sight:
    """What the outcome of one step is about: the documents and the code that it saw."""

    step: str
    word: str
    saw: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Monitor:
    """Watches one way through a workflow. Its state is a few small numbers, so that a state of the
    workflow beside a state of the monitor can be visited once.
    """

    initial: State
    begin: Callable[[State, str], State | None]
    """A step begins (or `done`): the state afterwards, None if the rule is broken here."""
    end: Callable[[State, str, str], State]
    """A step ends with an outcome."""


@dataclass(frozen=True)
class Rule:
    """One rule in words, such as `Rule("done only after accept approves")`.

    `podium check` proves it for every way a run can take, or shows the shortest that breaks it;
    `podium run` starts nothing that breaks one.
    """

    text: str

    def __post_init__(self) -> None:
        _parse(self.text)

    def invariant(self, steps: Steps) -> Invariant:
        """The claim over an exploration; TypeError if the rule names what the workflow lacks."""
        kind, words = _parse(self.text)
        if kind in _STATIC:
            wrong = _STATIC[kind](steps, words)
            return Invariant(self.text, lambda _: [wrong] if wrong else [])
        monitor = _MONITORS[kind](steps, words)
        return Invariant(self.text, lambda found: list(self._broken(monitor, found)))

    def _broken(self, monitor: Monitor, walked: Exploration) -> Iterator[Violation]:
        path = _shortest_break(monitor, walked)
        if path is not None:
            way, at = path
            here = "the run is done here" if at == DONE else f"{at} begins here"
            yield Violation(self.text, f"{here}, against the rule", way, at)


# -- walking


def _shortest_break(monitor: Monitor, walked: Exploration) -> tuple[Path, str] | None:
    """The shortest way that breaks the rule, and the step that should not have begun there."""
    leaving: list[list[tuple[str, int]]] = [[] for _ in walked.states]
    for transition in walked.transitions:
        leaving[transition.source].append((transition.outcome, transition.target))
    origins: dict[tuple[int, State], tuple[tuple[int, State], str] | None] = {}
    queue = deque[tuple[int, State]]()

    def way_to(place: tuple[int, State], *last: tuple[str, str]) -> Path:
        told = list(last)
        while (origin := origins[place]) is not None:
            place, outcome = origin
            told.insert(0, (walked.states[place[0]].step, outcome))
        return tuple(told)

    for start in walked.starts:
        step = walked.states[start].step
        begun = monitor.begin(monitor.initial, step)
        if begun is None:
            return (), step
        origins[(start, begun)] = None
        queue.append((start, begun))
    while queue:
        place = number, watched = queue.popleft()
        step = walked.states[number].step
        for outcome, target in leaving[number]:
            entered = _entered(walked.states[target])
            ended = monitor.end(watched, step, DECIDED.get(outcome, outcome))
            begun = monitor.begin(ended, entered) if entered else ended
            if begun is None:
                return way_to(place, (step, outcome)), entered
            if (target, begun) not in origins:
                origins[(target, begun)] = (place, outcome)
                queue.append((target, begun))
    return None


def _entered(run: Run) -> str:
    """The step that begins in this state; "" if the run stopped."""
    if run.status is Status.COMPLETE:
        return DONE
    return run.step if run.status is Status.ACTIVE else ""


# -- forms

_NAME = r"[a-z_][a-z0-9_]*"
_PATTERNS: Mapping[str, re.Pattern[str]] = {
    kind: re.compile(pattern)
    for kind, pattern in {
        "skips": rf"no path skips ({_NAME})",
        "never": rf"never ({_NAME}) after ({_NAME}) (\S+)",
        "followed": rf"every ({_NAME}) is followed by ({_NAME})",
        "at once": r"at most (\d+) agents? at once",
        "at most": rf"({_NAME}) at most (\d+) times?(?: in all)?",
        "apart": rf"({_NAME}) and ({_NAME}) never by the same role",
        "only after": rf"({_NAME}) only after (.+)",
    }.items()
}


def _parse(text: str) -> tuple[str, tuple[str, ...]]:
    for kind, pattern in _PATTERNS.items():
        if match := pattern.fullmatch(" ".join(text.split())):
            return kind, match.groups()
    raise TypeError(f"rule {text!r} has none of the known forms: {'; '.join(FORMS)}")


def _step(steps: Steps, name: str, *, done: bool = False) -> str:
    """The name, if it is one of a step; `done` is one only at the beginning of a rule."""
    if name in steps or (done and name == DONE):
        return name
    near = nearest(name, steps)
    known = f"did you mean {near}?" if near else f"steps are: {', '.join(steps)}"
    raise TypeError(f"a rule names the step {name!r}; {known}")


def _sight(steps: Steps, words: str) -> Sight:
    name, _, word = words.partition(" ")
    declared = steps[_step(steps, name)]
    if not word:
        return Sight(name, "")
    singular = [word, word.removesuffix("s"), word.removesuffix("es")]
    known = [outcome for outcome in singular if outcome in declared.outcomes]
    if not known:
        can = ", ".join(declared.outcomes)
        raise TypeError(f"a rule names {word!r} of the step {name}, which can end with: {can}")
    return Sight(name, known[0], _saw(declared.spec))


def _saw(spec: Any) -> frozenset[str]:
    """What an outcome is about. What a step writes itself does not count."""
    match spec:
        case GateStep(shows=shows):
            return frozenset(item.path if isinstance(item, Document) else CODE for item in shows)
        case AgentStep(reads=reads):
            return frozenset(item.path for item in reads) or frozenset({CODE})
        case CheckStep():
            return frozenset({CODE})
        case _:
            return frozenset().union(*(_saw(member) for member in spec.members.values()))


def _changed(spec: Any) -> frozenset[str]:
    """What a step can change by running."""
    match spec:
        case AgentStep(writes=writes, code=code):
            return frozenset([*(item.path for item in writes), *([CODE] * (code == "write"))])
        case GateStep() | CheckStep():
            return frozenset()
        case _:
            return frozenset().union(*(_changed(member) for member in spec.members.values()))


def _agents(spec: Any) -> list[AgentStep]:
    if isinstance(spec, AgentStep):
        return [spec]
    return list(getattr(spec, "members", {}).values())


# -- monitors


def _only_after(steps: Steps, words: Sequence[str]) -> Monitor:
    late = _step(steps, words[0], done=True)
    sights = [_sight(steps, part.strip()) for part in words[1].split(" or ")]

    def end(state: State, step: str, outcome: str) -> State:
        changes = _changed(steps[step].spec)

        def holds(held: int, sight: Sight) -> int:
            if sight.step == step:
                return int(not sight.word or outcome == sight.word)
            return int(held and not (sight.word and changes & sight.saw))

        return tuple(holds(held, sight) for held, sight in zip(state, sights, strict=True))

    return Monitor(
        (0,) * len(sights),
        lambda state, step: None if step == late and not any(state) else state,
        end,
    )


def _never(steps: Steps, words: Sequence[str]) -> Monitor:
    late, sight = _step(steps, words[0], done=True), _sight(steps, f"{words[1]} {words[2]}")
    return Monitor(
        (0,),
        lambda state, step: None if step == late and state[0] else state,
        lambda state, step, outcome: (int(outcome == sight.word),) if step == sight.step else state,
    )


def _at_most(steps: Steps, words: Sequence[str]) -> Monitor:
    counted, most = _step(steps, words[0]), int(words[1])

    def begin(state: State, step: str) -> State | None:
        if step != counted:
            return state
        return (state[0] + 1,) if state[0] < most else None

    return Monitor((0,), begin, lambda state, _step, _outcome: state)


def _followed(steps: Steps, words: Sequence[str]) -> Monitor:
    first, then = _step(steps, words[0]), _step(steps, words[1])

    def begin(state: State, step: str) -> State | None:
        if step == DONE:
            return None if state[0] else state
        return (1,) if step == first else (0,) if step == then else state

    return Monitor((0,), begin, lambda state, _step, _outcome: state)


def _skips(steps: Steps, words: Sequence[str]) -> Monitor:
    return _only_after(steps, (DONE, words[0]))


def _at_once(steps: Steps, words: Sequence[str]) -> str:
    most = int(words[0])
    for name, declared in steps.items():
        together = min(len(_agents(declared.spec)), getattr(declared.spec, "at_once", 1))
        if together > most:
            return f"{name} runs {together} agents at once"
    return ""


def _apart(steps: Steps, words: Sequence[str]) -> str:
    one, other = (
        {agent.role for agent in _agents(steps[_step(steps, name)].spec)} for name in words
    )
    return f"both are done by {min(one & other)}" if one & other else ""


_MONITORS: Mapping[str, Callable[[Steps, Sequence[str]], Monitor]] = {
    "only after": _only_after,
    "never": _never,
    "at most": _at_most,
    "followed": _followed,
    "skips": _skips,
}
_STATIC: Mapping[str, Callable[[Steps, Sequence[str]], str]] = {
    "at once": _at_once,
    "apart": _apart,
}
