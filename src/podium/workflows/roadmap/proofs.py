"""What must hold for the loop, and the steps whose effects need the project's policy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from podium.core.effects import Check, FanOut
from podium.core.proofs import Exploration, story
from podium.core.run import DONE
from podium.core.verdict import Judgement
from podium.core.workflow import Invariant, Step, Workflow


def bound(
    steps: Mapping[str, Step],
    decide: Callable[..., Judgement],
    workflow: Callable[[], Workflow],
    *,
    calls: bool,
) -> Mapping[str, Step]:
    """The steps whose effects depend on the policy; `calls` says whether a call ends after a
    number of items.
    """
    select, item = steps["select"], steps["item"]
    choosing, working = select.effect, item.effect
    assert isinstance(choosing, Check)
    assert isinstance(working, FanOut)
    if not calls:
        outcomes = tuple(each for each in select.outcomes if each != "limit")
        select = replace(
            select,
            outcomes=outcomes,
            exits=tuple(each for each in select.exits if each != "select"),
        )
    return {
        "select": replace(select, effect=replace(choosing, decide=decide)),
        "item": replace(item, effect=replace(working, workflow=workflow)),
    }


def invariants() -> tuple[Invariant, ...]:
    return (
        Invariant("one iteration works on exactly one item", _one_item),
        Invariant("the file is read again before every item", _selected),
        Invariant("what passes is committed before the next item", _committed),
        Invariant("the loop is complete only when nothing is left", _nothing_left),
    )


def _one_item(found: Exploration) -> Sequence[str]:
    effect = found.workflow.steps["item"].effect
    assert isinstance(effect, FanOut)
    counts = {len(effect.items(found.states[n])) for n in found.at("item")}
    return [] if counts <= {1} else [f"an iteration with {max(counts)} items"]


def _selected(found: Exploration) -> Sequence[str]:
    around = sorted(
        source for source, target in found.edges if target == "item" and source != "select"
    )
    return [f"{source} leads to an item directly" for source in around]


def _committed(found: Exploration) -> Sequence[str]:
    around = sorted(set(found.edges.get(("item", "select"), ())) - {"blocked"})
    return [f"an item that ended as {outcome} is not committed" for outcome in around]


def _nothing_left(found: Exploration) -> Sequence[str]:
    wrong = [n for n in found.at(DONE) if getattr(found.states[n], "left", 0)]
    return [
        f"complete with {getattr(found.states[n], 'left', 0)} left: {story(found.path(n))}"
        for n in wrong[:3]
    ]
