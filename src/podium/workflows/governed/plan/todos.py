"""One todo for each phase: created with the plan, marked one at a time, reconciled first on
resume.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from podium.workflows.governed.plan.plan import Plan


@dataclass(frozen=True)
class Todo:
    """One line of the list."""

    phase_id: int
    title: str
    """`Phase N — Title`."""
    done: bool = False

    def __str__(self) -> str:
        return f"[{'x' if self.done else ' '}] {self.title}"


def first_todos(plan: Plan) -> tuple[Todo, ...]:
    return tuple(
        Todo(each.phase_id, each.name)
        for each in sorted(plan.phases, key=lambda each: each.phase_id)
    )


def marked(todos: Sequence[Todo], phase_id: int) -> tuple[Todo, ...]:
    """The list with this phase marked; LookupError if it has none, ValueError if it is already
    marked.
    """
    found = [each for each in todos if each.phase_id == phase_id]
    if not found:
        raise LookupError(f"there is no todo for phase {phase_id}")
    if found[0].done:
        raise ValueError(
            f"{found[0].title} is marked already; each phase is marked once, when it is verified"
        )
    return tuple(replace(each, done=True) if each.phase_id == phase_id else each for each in todos)


def unmarked(todos: Sequence[Todo], phases: Collection[int]) -> tuple[Todo, ...]:
    """Todos of these phases that are not marked yet."""
    return tuple(each for each in todos if each.phase_id in phases and not each.done)


def reconciled(
    todos: Sequence[Todo], plan: Plan, verified: Collection[int]
) -> tuple[tuple[Todo, ...], tuple[str, ...]]:
    """The list that follows from the plan and the verified phases, and every difference in words.

    `verified` are phases whose completion both the journal and their documents show.
    """
    before = {each.phase_id: each for each in todos}
    after = tuple(replace(each, done=each.phase_id in verified) for each in first_todos(plan))
    changes = [
        f"{each.title}: gone from the plan"
        for number, each in sorted(before.items())
        if number not in {every.phase_id for every in after}
    ]
    for each in after:
        old = before.get(each.phase_id)
        if old is None:
            changes.append(f"{each.title}: new" + (", already verified" if each.done else ""))
        elif old.done != each.done:
            changes.append(
                f"{each.title}: "
                f"{'marked, its phase is verified' if each.done else 'unmarked, nothing shows that it is done'}"  # noqa: E501
            )
        elif old.title != each.title:
            changes.append(f"{each.title}: was called {old.title}")
    return after, tuple(changes)
