from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.core.waves import conflicts
from podium.workflows.ticket.tasks.groups import (
    Exhausted,
    GroupDone,
    GroupMove,
    Review,
    RunTasks,
    Validate,
    decide,
    next_entry,
    schedule,
    started,
    work_of,
    worked,
)
from podium.workflows.ticket.tasks.task import STATUSES, Entry, Task, Tasks


def graph(
    *rows: tuple[str, int], strategy: str = "parallel", files: tuple[tuple[str, ...], ...] = ()
) -> Tasks:
    tasks = tuple(
        Task(
            id=f"T{n}",
            parallel_group="A",
            status=status,
            attempt=attempt,
            files_to_modify=files[n] if files else (f"{n}.py",),
        )
        for n, (status, attempt) in enumerate(rows)
    )
    ids = tuple(each.id for each in tasks)
    return Tasks(tasks=tasks, groups={"A": ids}, order=(Entry("A", strategy, ids),))


def move(*rows: tuple[str, int], strategy: str = "parallel") -> GroupMove:
    found = graph(*rows, strategy=strategy)
    return decide(found, found.order[0])


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([("PENDING", 0), ("PENDING", 0)], RunTasks(("T0", "T1"))),
        ([("SYNTAX_VALID", 1), ("SYNTAX_ERROR", 1)], RunTasks(("T1",))),
        ([("SYNTAX_VALID", 1), ("ERROR", 4)], RunTasks(("T1",))),
        ([("ACCEPTED", 1), ("REJECTED", 2)], RunTasks(("T1",))),
        ([("ACCEPTED", 0), ("PENDING", 0)], RunTasks(("T1",))),
        ([("SYNTAX_VALID", 1), ("SYNTAX_VALID", 2)], Validate(("T0", "T1"))),
        ([("ACCEPTED", 1), ("DONE", 2)], Validate(("T1",))),
        ([("ACCEPTED", 1), ("REJECTED", 5)], Exhausted(("T1",), 5)),
        ([("REJECTED", 1), ("ERROR", 6)], Exhausted(("T1",), 5)),
        ([("ACCEPTED", 5), ("ACCEPTED", 1)], GroupDone()),
    ],
)
def test_the_statuses_of_a_parallel_group_say_what_comes_next(rows: list, expected: GroupMove):
    assert move(*rows) == expected


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([("PENDING", 0), ("PENDING", 0)], RunTasks(("T0",))),
        ([("DONE", 1), ("PENDING", 0)], Review(("T0",))),
        ([("SYNTAX_VALID", 1), ("PENDING", 0)], RunTasks(("T0",))),
        ([("SYNTAX_VALID", 5), ("PENDING", 0)], Exhausted(("T0",), 5)),
        ([("REJECTED", 1), ("PENDING", 0)], RunTasks(("T0",))),
        ([("ACCEPTED", 1), ("PENDING", 0)], RunTasks(("T1",))),
        ([("REJECTED", 5), ("PENDING", 0)], Exhausted(("T0",), 5)),
        ([("ACCEPTED", 1), ("ACCEPTED", 1)], GroupDone()),
    ],
)
def test_a_sequential_group_goes_task_by_task_through_the_reviewer(rows: list, expected: GroupMove):
    assert move(*rows, strategy="sequential") == expected


ROWS = st.lists(st.tuples(st.sampled_from(STATUSES), st.integers(0, 6)), min_size=1, max_size=4)


@settings(max_examples=150, deadline=None)
@given(ROWS, st.sampled_from(["parallel", "sequential"]))
def test_only_open_tasks_with_attempts_left_ever_run(rows: list[tuple[str, int]], strategy: str):
    found = graph(*rows, strategy=strategy)
    match decide(found, found.order[0]):
        case RunTasks(ids):
            assert ids
            for each in map(found.task, ids):
                assert each.status not in {
                    "ACCEPTED",
                    "DONE",
                    "SYNTAX_VALID" if strategy == "parallel" else "",
                }
                assert each.status == "PENDING" or each.attempt < 5
        case GroupDone():
            assert {status for status, _ in rows} == {"ACCEPTED"}
        case Validate(ids):
            assert all(found.task(each).status in {"DONE", "SYNTAX_VALID"} for each in ids)
        case Review(ids):
            assert all(found.task(each).status == "DONE" for each in ids)
        case Exhausted(ids):
            assert all(found.task(each).attempt >= 5 for each in ids)


def test_eight_independent_tasks_fill_the_batches():
    found = graph(*[("PENDING", 0)] * 8)
    plan = schedule(found, found.order[0], found.order[0].tasks, 3)
    assert [len(each) for each in plan.batches] == [3, 3, 2]
    assert plan.warnings == ()


@pytest.mark.parametrize(
    ("files", "batches"),
    [
        ((("a.py",), ("b.py",), ("a.py", "c.py")), (("T0", "T1"), ("T2",))),
        ((("src/",), ("src/x/b.py",), ("docs/a.md",)), (("T0", "T2"), ("T1",))),
        ((("src/*.py",), ("src/a.py",), ("src/a.ts",)), (("T0", "T2"), ("T1",))),
        (((), ("b.py",), ("c.py",)), (("T0",), ("T1", "T2"))),
        ((("A.py",), ("a.py",), ("b.py",)), (("T0", "T2"), ("T1",))),
    ],
)
def test_tasks_that_can_share_a_file_never_run_together_whatever_the_plan_claims(
    files: tuple, batches: tuple
):
    found = graph(*[("PENDING", 0)] * 3, files=files)
    plan = schedule(found, found.order[0], ("T0", "T1", "T2"), 8)
    assert plan.batches == batches
    assert plan.warnings


def test_what_runs_side_by_side_stands_in_the_order_of_its_ids_whatever_the_order_of_the_plan():
    ids = ("TASK-10", "TASK-9", "TASK-2")
    tasks = tuple(
        Task(id=each, parallel_group="A", status="PENDING", files_to_modify=(f"{each}.py",))
        for each in ids
    )
    found = Tasks(tasks=tasks, groups={"A": ids}, order=(Entry("A", "parallel", ids),))
    assert schedule(found, found.order[0], ids, 8).batches == (("TASK-2", "TASK-9", "TASK-10"),)


def test_the_warning_names_the_tasks_and_the_file():
    found = graph(*[("PENDING", 0)] * 2, files=(("x.py", "src/"), ("src/a.py",)))
    assert schedule(found, found.order[0], ("T0", "T1"), 2).warnings == (
        "group A: T0 and T1 can both touch src/ (src/a.py); they run one after the other",
    )


def test_test_files_count_too():
    tasks = tuple(
        Task(id=f"T{n}", files_to_modify=(f"{n}.py",), test_files=("tests/all.py",))
        for n in range(2)
    )
    entry = Entry("A", "parallel", ("T0", "T1"))
    assert schedule(Tasks(tasks=tasks, order=(entry,)), entry, entry.tasks, 2).batches == (
        ("T0",),
        ("T1",),
    )


PATHS = st.lists(
    st.sampled_from(["a", "b", "src/a", "src/", "src/*", "**/a", "c"]), max_size=2
).map(tuple)


@settings(max_examples=100, deadline=None)
@given(st.lists(PATHS, min_size=1, max_size=6).map(tuple), st.integers(1, 4), st.data())
def test_every_chosen_task_runs_once_and_no_batch_has_a_conflict(
    files: tuple, parallel: int, data: st.DataObject
):
    found = graph(*[("PENDING", 0)] * len(files), files=files)
    entry = found.order[0]
    chosen = data.draw(st.lists(st.sampled_from(entry.tasks), unique=True))
    batches = schedule(found, entry, chosen, parallel).batches
    assert sorted(each for batch in batches for each in batch) == sorted(chosen)
    for batch in batches:
        assert len(batch) <= parallel
        for one, other in combinations(batch, 2):
            assert not conflicts({each: found.task(each).paths or ("**",) for each in (one, other)})


def test_sequential_groups_run_one_by_one_in_their_order():
    found = graph(*[("PENDING", 0)] * 3, strategy="sequential")
    assert schedule(found, found.order[0], ("T2", "T0"), 4).batches == (("T0",), ("T2",))


def test_the_next_group_is_the_first_with_an_open_task():
    tasks = tuple(
        Task(id=each, status=status)
        for each, status in (("T1", "ACCEPTED"), ("T2", "DONE"), ("T3", "PENDING"))
    )
    order = (
        Entry("A", "parallel", ("T1",)),
        Entry("B", "parallel", ("T2",)),
        Entry("C", "parallel", ("T3",)),
    )
    found = Tasks(tasks=tasks, order=order)
    assert next_entry(found) == order[1]
    done = Tasks(tasks=tasks[:1], order=order[:1])
    assert next_entry(done) is None


def test_an_attempt_is_counted_when_it_begins():
    assert started(Task(id="T1", attempt=2), "now") == {"attempt": 3, "started_at": "now"}


def test_the_first_change_of_code_is_written_once():
    assert worked("SYNTAX_VALID", True, "now", Task(id="T1")) == {
        "status": "SYNTAX_VALID",
        "first_code_change_at": "now",
    }
    assert worked("ERROR", False, "now", Task(id="T1")) == {"status": "ERROR"}
    assert worked("DONE", True, "now", Task(id="T1", first_code_change_at="before")) == {
        "status": "DONE"
    }


def test_the_metrics_see_how_wide_a_group_runs():
    found = graph(("ACCEPTED", 1), ("ACCEPTED", 1), ("PENDING", 0))
    open_group = work_of(found, 2, {})[0]
    assert (open_group.tasks, open_group.rounds, open_group.accepted, open_group.minutes) == (
        3,
        2,
        2,
        None,
    )
    assert work_of(graph(("ACCEPTED", 1)), 2, {"A": 2.5})[0].minutes == 2.5
