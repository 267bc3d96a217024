"""The next move of the groups: a table over statuses, strategies and the two flags of the fast
path.
"""

from __future__ import annotations

import pytest

from podium.workflows.ticket.tasks.moves import next_move
from podium.workflows.ticket.tasks.task import Entry, Task, Tasks


def graph(*groups: tuple[str, list[tuple[str, int]]], shared: bool = False) -> Tasks:
    tasks, order, letters = [], [], {}
    for letter, (strategy, rows) in zip("ABC", groups, strict=False):
        ids = tuple(f"{letter}{n}" for n in range(len(rows)))
        tasks += [
            Task(
                id=ident,
                status=status,
                attempt=attempt,
                parallel_group=letter,
                files_to_modify=("same.py" if shared else f"{ident}.py",),
            )
            for ident, (status, attempt) in zip(ids, rows, strict=True)
        ]
        order.append(Entry(letter, strategy, ids))
        letters[letter] = ids
    return Tasks(tasks=tuple(tasks), groups=letters, order=tuple(order))


P, V, R, A = ("PENDING", 0), ("SYNTAX_VALID", 1), ("REJECTED", 1), ("ACCEPTED", 1)


@pytest.mark.parametrize(
    ("groups", "outcome", "ids"),
    [
        ([("parallel", [P, P])], "develop", ("A0", "A1")),
        ([("parallel", [V, R])], "develop", ("A1",)),
        ([("parallel", [V, V])], "validate", ("A0", "A1")),
        ([("parallel", [A, V])], "validate", ("A1",)),
        ([("parallel", [A, ("REJECTED", 5)])], "exhausted", ("A1",)),
        ([("sequential", [P, P])], "develop", ("A0",)),
        ([("sequential", [("DONE", 1), P])], "review_task", ("A0",)),
        ([("sequential", [A, R])], "develop", ("A1",)),
        ([("parallel", [A]), ("sequential", [P])], "develop", ("B0",)),
        ([("parallel", [R]), ("parallel", [P])], "develop", ("A0",)),
        ([("parallel", [A]), ("parallel", [A])], "finished", ()),
    ],
)
def test_the_statuses_decide(
    groups: list[tuple[str, list[tuple[str, int]]]], outcome: str, ids: tuple[str, ...]
) -> None:
    found = next_move(graph(*groups), trivial=False, green=True, limit=5)
    assert (found.outcome, found.ids) == (outcome, ids)


def test_tasks_that_share_a_file_come_one_after_the_other_with_a_warning() -> None:
    found = next_move(graph(("parallel", [P, P]), shared=True), trivial=False, green=False, limit=5)
    assert found.ids == ("A0",)
    assert "A0 and A1 can both touch same.py" in found.warnings[0]


@pytest.mark.parametrize(
    ("trivial", "green", "outcome"),
    [
        (True, True, "trivial"),
        (True, False, "finished"),
        (False, True, "finished"),
        (False, False, "finished"),
    ],
)
def test_the_reviewer_is_left_out_only_for_a_trivial_graph_that_was_seen_to_pass(
    trivial: bool, green: bool, outcome: str
) -> None:
    assert (
        next_move(graph(("parallel", [A])), trivial=trivial, green=green, limit=5).outcome
        == outcome
    )


def test_a_trivial_task_is_validated_in_a_sequential_group_too() -> None:
    found = next_move(graph(("sequential", [("DONE", 1)])), trivial=True, green=False, limit=5)
    assert (found.outcome, found.ids) == ("validate", ("A0",))
