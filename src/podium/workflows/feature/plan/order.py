"""Whether the waves of a plan respect its dependencies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from podium.core import waves
from podium.core.errors import Fault


def faults(
    depends: Mapping[str, Sequence[str]], at: Mapping[str, int], where: str
) -> tuple[str, ...]:
    """Every cycle, and every dependency that is not in an earlier wave; `at` is the wave of each
    task.
    """
    found = list(cycles(depends))
    in_cycle = {
        (one, other)
        for ring in found
        for one, other in zip(ring, (*ring[1:], ring[0]), strict=True)
    }
    told = [_told_cycle(ring, where) for ring in found]
    for name, deps in depends.items():
        for dep in deps:
            if name not in at or dep not in at or (name, dep) in in_cycle or at[dep] < at[name]:
                continue
            place = "its own wave" if at[dep] == at[name] else f"wave {at[dep]}, which is later"
            what = f"{name} in wave {at[name]} depends on {dep} in {place}"
            told.append(str(Fault(where, what, "a task waits only for tasks of earlier waves")))
    return tuple(told)


def cycles(depends: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, ...]]:
    """Rings of tasks in which each waits for the next; no task is in two rings."""
    left = {name: [dep for dep in deps if dep in depends] for name, deps in depends.items()}
    while isinstance(found := waves.waves(left), waves.Cycle):
        yield found.ids
        gone = set(found.ids)
        left = {
            name: [dep for dep in deps if dep not in gone]
            for name, deps in left.items()
            if name not in gone
        }


def _told_cycle(ring: Sequence[str], where: str) -> str:
    mend = "it waits for itself" if len(ring) == 1 else "take one of these dependencies out"
    return str(Fault(where, f"circular dependency detected between {', '.join(ring)}", mend))
