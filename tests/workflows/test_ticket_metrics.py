from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.workflows.ticket.progress.metrics import (
    GroupWork,
    Metrics,
    confidence,
    first_change,
    measure,
    percent,
    progress_line,
    remaining,
)

NOW = datetime(2026, 4, 20, 10, 30, tzinfo=UTC)
START = "2026-04-20T10:00:00Z"
DONE = GroupWork(tasks=4, rounds=2, accepted=4, minutes=10)


@pytest.mark.parametrize(
    ("accepted", "total", "before", "over", "shown"),
    [
        (0, 0, 0, False, 0),
        (0, 4, 0, False, 0),
        (1, 4, 0, False, 23),
        (4, 4, 0, False, 95),
        (1, 4, 50, False, 50),
        (1, 4, 100, False, 95),
        (9, 4, 0, False, 95),
        (1, 4, 0, True, 100),
    ],
)
def test_percent_is_95_parts_of_the_accepted_tasks(
    accepted: int, total: int, before: int, over: bool, shown: int
):
    assert percent(accepted, total, before=before, iteration_accepted=over) == shown


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=8))
def test_percent_never_falls_and_never_passes_95_before_acceptance(story: list[tuple[int, int]]):
    last = 0
    for accepted, total in story:
        now = percent(accepted, total, before=last)
        assert last <= now <= 95
        last = now


@pytest.mark.parametrize(
    ("groups", "minutes"),
    [
        ((GroupWork(4, 2),), None),
        ((DONE, GroupWork(4, 2)), 10),  # as wide as the first: as long as the first
        ((DONE, GroupWork(2, 2)), 10),  # two rounds of five minutes
        ((DONE, GroupWork(2, 1)), 5),
        ((DONE, GroupWork(4, 2, accepted=3)), 3),
        ((DONE,), 0),
        (
            (DONE, GroupWork(1, 1, 1, 1), GroupWork(1, 1, 1, 100), GroupWork(1, 1)),
            5,
        ),  # the median of 5, 1 and 100
        ((GroupWork(1, 1, 1, 0.1), GroupWork(1, 1)), 1),  # never 0 while something is open
    ],
)
def test_the_time_left_follows_from_finished_groups(
    groups: tuple[GroupWork, ...], minutes: int | None
):
    assert remaining(groups) == minutes


@pytest.mark.parametrize(
    ("groups", "word"), [(0, "low"), (1, "low"), (2, "medium"), (4, "medium"), (5, "high")]
)
def test_confidence_grows_with_finished_groups(groups: int, word: str):
    assert confidence(groups) == word


def test_the_first_change_of_code_is_the_earliest_and_stays():
    assert (
        first_change(None, [None, "2026-04-20T10:09:00Z", "2026-04-20T12:05:00+02:00"])
        == "2026-04-20T12:05:00+02:00"
    )
    assert first_change("2026-04-20T11:00:00Z", [START]) == "2026-04-20T11:00:00Z"
    assert first_change(None, [None, "soon"]) is None


def test_all_members_are_computed_from_plain_facts():
    found = measure(
        (DONE, GroupWork(2, 1, accepted=1)),
        created_at=START,
        now=NOW,
        code_changes=["2026-04-20T10:12:30Z"],
    )
    assert found == Metrics(
        tasks_total=6,
        tasks_completed=5,
        groups_total=2,
        groups_completed=1,
        percent_complete=79,
        elapsed_minutes_estimate=30,
        remaining_minutes_estimate=3,
        eta_confidence="low",
        first_code_change_at="2026-04-20T10:12:30Z",
        lead_time_to_first_code_change_minutes=12.5,
        latest_group_cycle_minutes_estimate=10,
        latest_iteration_cycle_minutes_estimate=None,
    )
    again = measure(
        (GroupWork(3, 1),),
        created_at=START,
        now=NOW,
        before=found,
        same_iteration=False,
        iteration_minutes=7.26,
    )
    assert (again.percent_complete, again.latest_iteration_cycle_minutes_estimate) == (0, 7.3)
    assert again.first_code_change_at == found.first_code_change_at
    assert (
        measure((DONE,), created_at=START, now=NOW, iteration_accepted=True).percent_complete == 100
    )


def test_the_line_for_people():
    assert progress_line(
        Metrics(percent_complete=47, tasks_completed=2, tasks_total=4, remaining_minutes_estimate=3)
    ) == ("Progress: 47% | Completed: 2/4 tasks | ETA: ~3 min remaining")
    assert progress_line(Metrics()) == "Progress: 0% | Completed: 0/0 tasks | ETA: ~? min remaining"
