"""Where an event belongs: the rows of a run, in the workflow's order, found or made for a key.

A cluster has its members below it, a child run has its own steps, one row per visit. A step whose
keys the run numbers itself (`wave/2`, `fix/1/wave/2`) has a row for each visit, with members below
that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from podium.core import keys
from podium.core.effects import Check, Cluster, FanOut, Stage
from podium.core.workflow import Step
from podium.views.board.row import Row, kind_of, parts

Event = Mapping[str, Any]
_ITERATION = re.compile(r"iteration/(\d{1,9})/")


class Rows:
    def __init__(self, steps: Iterable[Step] = ()) -> None:
        self.steps = {step.name: step for step in steps}
        self.root = ""
        """The id of the root run, once known."""
        self.top: dict[str, Row] = {}
        """By step; steps that the workflow does not list come last."""
        for name, step in self.steps.items():
            self.top[name] = Row(step.key_base, kind_of(step.effect), role=_whose(step))
        self._inner = {
            name: each
            for step in self.steps.values()
            if isinstance(step.effect, FanOut)
            for name, each in step.effect.workflow().steps.items()
        }
        self._paths: dict[str, list[Row]] = {}
        self._children: dict[str, Row] = {}
        self._visits: dict[str, str] = {}

    def __iter__(self) -> Iterator[Row]:
        for top in self.top.values():
            yield from top.walk()

    def path(self, key: str) -> list[Row]:
        """The rows of a known key from the top down; empty for an unknown one."""
        return self._paths.get(key, [])

    def place(self, event: Event, at: str) -> list[Row]:
        """The rows of an event's key from the top down; created if missing."""
        key, run = str(event.get("key", "")), str(event.get("run", ""))
        if key not in self._paths:
            step = str(event.get("step") or "") or self._step_of(key)
            if run != self.root and run.startswith(f"{self.root}/"):
                child = self.child(run, at)
                self._paths[key] = [
                    child,
                    *self._inside(
                        child, key.removeprefix(run.partition("/")[2]).lstrip("/") or key, step
                    ),
                ]
            else:
                self._paths[key] = self._outside(key, step)
        return self._paths[key]

    def child(self, run: str, at: str) -> Row:
        """The row of a child run, below the step its parent was at when it started."""
        if run not in self._children:
            key = run.removeprefix(f"{self.root}/")
            parents = [
                each
                for each in self._children
                if run.startswith(f"{each}/") and not run[len(each) + 1 :].isdecimal()
            ]
            if parents:
                home = self._children[max(parents, key=len)]
            else:
                home = self.top.setdefault(at or key, Row(keys.base_of(at or key), "fan_out"))
                home.state = "running"
            self._children[run] = self._child_row(home, key)
        return self._children[run]

    def known_child(self, run: str) -> Row | None:
        return self._children.get(run)

    @staticmethod
    def _child_row(home: Row, key: str) -> Row:
        """`item/US-1/2` is the item US-1 once more: its row starts afresh."""
        plain, _, again = key.rpartition("/")
        inside = plain.removeprefix(f"{home.name}/") != plain
        number = int(again[:9]) if inside and again.isdecimal() else 1
        plain = plain if number > 1 else key
        name = unquote(plain.removeprefix(f"{home.name}/"))
        home.children.pop(plain, None)
        row = home.children[plain] = Row(name, "child", round=number)
        return row

    def _inside(self, child: Row, local: str, step: str) -> list[Row]:
        """In a child run every visit of a step is a row, so that its whole path is visible."""
        known = self._inner.get(step)
        visit, _, member = (
            local.rpartition("/")
            if known and isinstance(known.effect, Cluster)
            else (local, "", "")
        )
        base = known.key_base if known else keys.base_of(step) or local.partition("/")[0]
        number, rest = parts(visit, base)
        row = child.children.setdefault(
            visit, Row(base, kind_of(known.effect) if known else "stage", round=number)
        )
        member = member or (rest if not known else "")
        return (
            [row, row.children.setdefault(member, Row(unquote(member), "member"))]
            if member
            else [row]
        )

    def _outside(self, key: str, step: str) -> list[Row]:
        known = self.steps.get(step)
        if known is None:
            return self._guessed(key, step)
        row = self.top.setdefault(
            step, Row(known.key_base, kind_of(known.effect), role=_whose(known))
        )
        visit, member = key, ""
        if isinstance(known.effect, Cluster):
            visit, _, member = key.rpartition("/")
        path = [row]
        if known.key is not None:
            path.append(row.children.setdefault(visit, Row(spoken(visit), "visit", key=visit)))
        else:
            row.round = max(row.round, parts(visit, known.key_base)[0])
            if self._visits.get(step) != visit:
                # The previous round's members say nothing about this one.
                self._visits[step] = visit
                row.children.clear()
        if member:
            path.append(path[-1].children.setdefault(member, Row(unquote(member), "member")))
        return path

    def judged_by(self, check: Row) -> Row | None:
        """The cluster that a check of the same phase and round judges; None if it judges
        something else.
        """
        names = list(self.top)
        at = next((place for place, name in enumerate(names) if self.top[name] is check), 0)
        if not at or not (step := self.steps.get(names[at])):
            return None
        before, row = self.steps.get(names[at - 1]), self.top[names[at - 1]]
        same = before is not None and before.phase == step.phase and row.round == check.round
        return row if same and row.kind == "cluster" and row.started else None

    def _step_of(self, key: str) -> str:
        """The step of a key whose event does not name it."""
        first = key.partition("/")[0]
        return next((name for name, step in self.steps.items() if step.key_base == first), "")

    def _guessed(self, key: str, step: str) -> list[Row]:
        """A view that joins late, or does not know the workflow, reads what it can from the key
        alone.
        """
        base = keys.base_of(step) or key.partition("/")[0]
        number, member = parts(key, base)
        row = self.top.setdefault(step or base, Row(base))
        row.round = max(row.round, number)
        return [row, row.children.setdefault(member, Row(member, "member"))] if member else [row]


def spoken(visit: str) -> str:
    """What people call a visit: `iteration/0/plan` is the plan, whatever the iteration."""
    found = _ITERATION.match(visit)
    return visit[found.end() :] if found else visit


def iteration_of(key: str) -> int | None:
    """The iteration that a key belongs to; None if it names none."""
    found = _ITERATION.match(key)
    return int(found[1]) if found else None


def judge_of(steps: Mapping[str, Step], cluster: str, visit: str) -> str:
    """The key of the check that judges a round of a cluster: the next step in the same phase; ""
    if there is none.
    """
    names = list(steps)
    at = names.index(cluster) + 1
    step, after = steps[cluster], steps[names[at]] if at < len(names) else None
    if after is None or not isinstance(after.effect, Check) or after.phase != step.phase:
        return ""
    return after.key_base + visit.removeprefix(step.key_base)


def _whose(step: Step) -> str:
    """Who does a step's work; for several agents, the phase that people know their work by."""
    match step.effect:
        case Stage(role=role):
            return role
        case Cluster():
            phase = step.phase.lower().replace("_", "-")
            return "" if phase == step.key_base else phase
        case _:
            return ""
