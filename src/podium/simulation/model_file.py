"""A model as a file: TOML that people edit; every fault is reported with its line and the
nearest name.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from podium.core.effects import FanOut, Gate, Stage
from podium.core.errors import Fault, InputError
from podium.core.nearest import nearest
from podium.core.workflow import Workflow
from podium.formats import toml_text
from podium.simulation.model import FAILURES, AgentModel, Model, Spread, StepModel

Way = tuple[str, ...]
_HEAD = re.compile(r"\s*\[+(?P<name>[^\]]+)\]+")
_KEY = re.compile(r"\s*(?P<name>[^=#\[]+?)\s*=")
_PART = re.compile(r'"([^"]*)"|([^.\s"]+)')

SPREADS = ("seconds", "tokens", "cost_usd", "reset_s")
AGENT = (*SPREADS, "failures")
STEP = ("outcomes", "after", "sets", "words", "seconds")


@dataclass
class Known:
    """The names that a model of one workflow may use."""

    steps: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Outcomes by `step` or `workflow/step`."""
    roles: set[str] = field(default_factory=set)
    workflows: set[str] = field(default_factory=set)
    outcomes: set[str] = field(default_factory=set)


def known_of(workflow: Workflow) -> Known:
    """The names in the workflow and in those of its child runs."""
    found = Known(roles=set(workflow.roles()))
    todo, seen = [workflow], set()
    while todo:
        each = todo.pop()
        name = each.name or type(each).__name__
        if name in seen:
            continue
        seen.add(name)
        found.workflows.add(name)
        for step in each.steps.values():
            offered = step.effect.choices if isinstance(step.effect, Gate) else ()
            outcomes = tuple(dict.fromkeys((*offered, *step.outcomes)))
            found.steps[f"{name}/{step.name}"] = outcomes
            found.steps[step.name] = tuple(
                dict.fromkeys((*found.steps.get(step.name, ()), *outcomes))
            )
            found.outcomes.update(outcomes)
            if isinstance(step.effect, Stage):
                found.roles.add(step.effect.role)
            if isinstance(step.effect, FanOut):
                todo.append(step.effect.workflow())
    return found


def parse(
    text: str, where: str, known: Known, base: Model | None = None, *, strict: bool = True
) -> Model:
    """The model on top of another; InputError with every fault.

    Not strict: names unknown to the workflow are ignored.
    """
    data = toml_text.parse(text, where)
    reading = _Reading(text, where, known, strict)
    model = reading.model(data, base or Model())
    if reading.faults:
        raise InputError(reading.faults)
    return model


@dataclass
class _Reading:
    text: str
    where: str
    known: Known
    strict: bool
    faults: list[Fault] = field(default_factory=list)

    def model(self, data: Mapping[str, Any], base: Model) -> Model:
        self._names((), data, ("agent", "role", "person", "check", "step", "begin"))
        agent = self._agent(("agent",), data.get("agent", {}), base.agent)
        roles = dict(base.roles)
        for name, each in self._tables(("role",), data.get("role", {}), self.known.roles):
            roles[name] = self._agent(("role", name), each, roles.get(name, agent))
        steps = dict(base.steps)
        for name, each in self._tables(("step",), data.get("step", {}), self.known.steps):
            steps[name] = self._step(
                ("step", name), each, steps.get(name, StepModel()), self.known.steps.get(name, ())
            )
        begin = dict(base.begin)
        for name, each in self._tables(("begin",), data.get("begin", {}), self.known.workflows):
            begin[name] = {**begin.get(name, {}), **self._weighed(("begin", name), each)}
        person, check = base.person, base.check
        for name in ("person", "check"):
            table = self._table((name,), data.get(name, {}))
            self._names((name,), table, ("seconds",))
            if "seconds" in table:
                spread = self._spread((name, "seconds"), table["seconds"])
                person, check = (spread, check) if name == "person" else (person, spread)
        return Model(agent, roles, steps, person, check, begin)

    def _agent(self, way: Way, table: Any, base: AgentModel) -> AgentModel:
        found = self._table(way, table)
        self._names(way, found, AGENT)
        spreads = {
            name: self._spread((*way, name), found[name]) for name in SPREADS if name in found
        }
        base = AgentModel(**{**vars(base), **spreads})
        if "failures" in found:
            shares = self._weights((*way, "failures"), found["failures"], FAILURES)
            if sum(shares.values()) > 1:
                self._fault(
                    (*way, "failures"),
                    f"adds up to {sum(shares.values()):g}",
                    "shares of all dispatches: at most 1",
                )
            base = replace(base, failures={**base.failures, **shares})
        return base

    def _step(self, way: Way, table: Any, base: StepModel, outcomes: Collection[str]) -> StepModel:
        found = self._table(way, table)
        self._names(way, found, STEP)
        if "outcomes" in found:
            base = replace(
                base, outcomes=self._weights((*way, "outcomes"), found["outcomes"], outcomes)
            )
        if "seconds" in found:
            base = replace(base, seconds=self._spread((*way, "seconds"), found["seconds"]))
        if "after" in found:
            after = {
                name: self._weights((*way, "after", name), each, outcomes)
                for name, each in self._tables((*way, "after"), found["after"], self.known.outcomes)
            }
            base = replace(base, after={**base.after, **after})
        if "sets" in found:
            base = replace(base, sets={**base.sets, **self._weighed((*way, "sets"), found["sets"])})
        if "words" in found:
            base = replace(base, words=self._weights((*way, "words"), found["words"], None))
        return base

    def _weighed(self, way: Way, table: Any) -> dict[str, Mapping[str, float]]:
        return {
            name: self._weights((*way, name), each, None)
            for name, each in self._table(way, table).items()
        }

    def _weights(self, way: Way, table: Any, known: Collection[str] | None) -> dict[str, float]:
        found = self._table(way, table)
        if known is not None:
            self._names(way, found, known)
        good: dict[str, float] = {}
        for name, value in found.items():
            if (
                isinstance(value, bool)
                or not isinstance(value, int | float)
                or not 0 <= value <= sys.float_info.max
            ):
                self._fault((*way, name), f"is {value!r}", "a number of 0 or more")
            elif known is None or name in known:
                good[name] = float(value)
        if found and good and not any(good.values()) and way[-1] != "failures":
            self._fault(way, "contains nothing but 0", "one of them must be possible")
        return good

    def _spread(self, way: Way, value: Any) -> Spread:
        """A plain number, or a median with a p90."""
        plain = isinstance(value, int | float) and not isinstance(value, bool)
        table = {"median": value} if plain else self._table(way, value)
        self._names(way, table, ("median", "p90"))
        median, p90 = table.get("median"), table.get("p90", table.get("median"))
        numbers = [
            each
            for each in (median, p90)
            if isinstance(each, int | float) and not isinstance(each, bool)
        ]
        if len(numbers) != 2 or not 0 <= numbers[0] <= numbers[1] <= sys.float_info.max:
            self._fault(
                way,
                f"is {value!r}",
                "a number of 0 or more, or { median = 60, p90 = 300 } with p90 not below it",
            )
            return Spread(0, 0)
        return Spread(float(numbers[0]), float(numbers[1]))

    def _tables(self, way: Way, table: Any, known: Collection[str]) -> Iterable[tuple[str, Any]]:
        found = self._table(way, table)
        self._names(way, found, known)
        return [(name, each) for name, each in found.items() if name in known]

    def _table(self, way: Way, value: Any) -> Mapping[str, Any]:
        if isinstance(value, Mapping):
            return value
        self._fault(way, f"is {value!r}", "a table")
        return {}

    def _names(self, way: Way, table: Mapping[str, Any], known: Collection[str]) -> None:
        if not self.strict:
            return
        for name in table:
            if name not in known:
                near = nearest(name, known, 0.5)
                mend = (
                    f"did you mean {near}?"
                    if near
                    else f"known here: {', '.join(sorted(known)) or 'nothing'}"
                )
                self._fault((*way, name), "is not known", mend)

    def _fault(self, way: Way, what: str, mend: str) -> None:
        line = line_of(self.text, way)
        self.faults.append(
            Fault(f"{self.where}:{line}" if line else self.where, f"{'.'.join(way)} {what}", mend)
        )


def line_of(text: str, way: Way) -> int:
    """The line that names most of the path to a value; 0 if none does."""
    best, line, head = 0, 0, Way()
    for number, each in enumerate(text.splitlines(), 1):
        if found := _HEAD.match(each):
            head = _split(found["name"])
            here = head
        elif found := _KEY.match(each):
            here = (*head, *_split(found["name"]))
        else:
            continue
        shared = min(len(here), len(way))
        if here[:shared] == way[:shared] and shared > best:
            best, line = shared, number
    return line


def _split(name: str) -> Way:
    return tuple(quoted or plain for quoted, plain in _PART.findall(name))
