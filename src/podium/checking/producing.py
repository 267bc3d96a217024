"""Whether every file that an agent must read was made before, by one producer, on every path.

A file counts as made once an agent that writes it is done, or once the program itself has read it
in a check, because that check decides what happens if it is missing. Files that nobody in the
workflow writes come from the project, and are looked for when a run begins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from podium.checking.asking import Dealings, Writing
from podium.core.explore import UNDECLARED
from podium.core.globs import matches
from podium.core.proofs import Exploration, Path, Violation, moves
from podium.core.reach import shortest


def artifacts(
    found: Exploration, dealt: Sequence[Dealings]
) -> tuple[dict[str, list[str]], list[Violation]]:
    """Every file that agents write, with its writers, and what is wrong with who writes what and
    when.
    """
    written: dict[str, dict[str, Writing]] = {}
    for each in dealt:
        for one in each.writes:
            written.setdefault(one.path, {}).setdefault(one.agent, one)
    told = {path: sorted(agents) for path, agents in sorted(written.items())}
    broken = [*_several(written), *_side_by_side(found, dealt)]
    if found.complete:
        broken += _unmade(found, dealt, written)
    return told, broken


def _several(written: dict[str, dict[str, Writing]]) -> Iterator[Violation]:
    for path, agents in sorted(written.items()):
        makers = {
            each.role: each
            for each in agents.values()
            if each.obliged and not each.revises and not each.many
        }
        if len(makers) > 1:
            names = " and ".join(sorted(each.agent for each in makers.values()))
            yield Violation(
                "two producers",
                f"{path} must be written by {names}: one of them undoes the other's work",
            )


def _side_by_side(found: Exploration, dealt: Sequence[Dealings]) -> Iterator[Violation]:
    told: set[tuple[str, str]] = set()
    for number, each in enumerate(dealt):
        paths = [one.path for one in each.writes if not one.many]
        for path in sorted({path for path in paths if paths.count(path) > 1}):
            step = found.states[number].step
            if (step, path) not in told:
                told.add((step, path))
                text = f"several agents of {step} write {path} at the same time"
                yield Violation("two producers", text, found.path(number), step)


def _unmade(
    found: Exploration, dealt: Sequence[Dealings], written: dict[str, dict[str, Writing]]
) -> Iterator[Violation]:
    globs = [path for path, agents in written.items() if any(each.many for each in agents.values())]
    wanted = sorted({path for each in dealt for _, path in each.needs})
    known = {
        path: 1 << place
        for place, path in enumerate(
            path for path in wanted if path in written or matches(path, globs)
        )
    }
    if not known:
        return
    made = [_made(each, known) for each in dealt]
    there = _always_there(found, made, known)
    told: set[tuple[str, str]] = set()
    for number, each in enumerate(dealt):
        for agent, path in each.needs:
            bit = known.get(path, 0)
            if bit and not there[number] & bit and (agent, path) not in told:
                told.add((agent, path))
                text = f"{agent} must read {path}, and on this way nobody has written it"
                yield Violation(
                    "read before it is made",
                    text,
                    _without(found, made, bit, number),
                    found.states[number].step,
                )


def _made(each: Dealings, known: dict[str, int]) -> int:
    bits = 0
    for one in each.writes:
        if one.many:
            bits |= sum(bit for path, bit in known.items() if matches(path, [one.path]))
        else:
            bits |= known.get(one.path, 0)
    for path in each.looks:
        bits |= known.get(path, 0)
    return bits


def _always_there(found: Exploration, made: Sequence[int], known: dict[str, int]) -> list[int]:
    """For each state, the files that were made on every path to it, as bits."""
    every = (1 << len(known)) - 1
    there = [every] * len(found.states)
    leaving: list[list[tuple[int, bool]]] = [[] for _ in found.states]
    for each in found.transitions:
        leaving[each.source].append((each.target, _counts(found, each.outcome, each.target)))
    for start in found.starts:
        there[start] = _given(found, start, known)
    todo = list(range(len(found.states)))
    while todo:
        at = todo.pop()
        for target, counts in leaving[at]:
            now = there[target] & (there[at] | (made[at] if counts else 0))
            if now != there[target]:
                there[target] = now
                todo.append(target)
    return there


def _given(found: Exploration, start: int, known: dict[str, int]) -> int:
    run = found.states[start]
    return sum(bit for path, bit in known.items() if path in set(found.workflow.given(run)))


def _counts(found: Exploration, outcome: str, target: int) -> bool:
    """Whether the step's output exists after this transition: not if its agent failed or the run
    stopped.
    """
    return outcome != UNDECLARED and moves(found.states[target])


def _without(found: Exploration, made: Sequence[int], bit: int, goal: int) -> Path:
    """The shortest path to the state on which the file is not made."""
    ways: list[list[tuple[int, int]]] = [[] for _ in found.states]
    for number, each in enumerate(found.transitions):
        if not (made[each.source] & bit and _counts(found, each.outcome, each.target)):
            ways[each.source].append((number, each.target))
    origins = shortest(found.starts, ways)
    told: list[tuple[str, str]] = []
    at = goal
    while (arc := origins.get(at)) is not None:
        each = found.transitions[arc]
        told.append((found.states[each.source].step, each.outcome))
        at = each.source
    return tuple(reversed(told))
