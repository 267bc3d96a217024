"""Figures are counted from turns, processes and the queue; every number has one meaning."""

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.fleet.figures.counts import BUCKETS, Census, Process, Queued, Turn, figures, quantile

NOW = 10_000.0
WORKER = Process("w1", "host", 1, ("gpu",), 2, "1.0", NOW - 3600, NOW)


def turn(run: str = "R1", **facts: object) -> Turn:
    found: dict[str, object] = {
        "worker": "w1",
        "workflow": "harness",
        "ready": NOW - 100,
        "opened": NOW - 90,
        "closed": NOW - 30,
        **facts,
    }
    return Turn(run, **found)  # type: ignore[arg-type]


def census(
    *turns: Turn, processes: tuple[Process, ...] = (WORKER,), queue: tuple[Queued, ...] = ()
) -> Census:
    return Census(NOW, 1000.0, processes, turns, queue, {"active": 1})


@pytest.mark.parametrize(
    ("values", "share", "found"),
    [
        ([], 0.5, None),
        ([7.0], 0.95, 7.0),
        ([1, 2, 3, 4], 0.5, 2),
        ([1, 2, 3, 4], 0.95, 4),
        (list(range(1, 101)), 0.95, 95),
    ],
)
def test_a_quantile_is_a_value_that_was_seen(
    values: list[float], share: float, found: float | None
) -> None:
    assert quantile(values, share) == found


def test_a_fleet_without_anything_has_unknown_waits_and_no_utilisation() -> None:
    found = figures(Census(NOW, 1000.0))
    assert (found.total.wait_p50_s, found.utilisation, found.places, found.alive) == (
        None,
        None,
        0,
        0,
    )
    assert found.curves.queue == (0,) * BUCKETS


def test_utilisation_is_busy_time_over_places_while_a_worker_lived() -> None:
    found = figures(
        census(turn(opened=NOW - 500, closed=NOW - 250), turn("R2", opened=NOW - 250, closed=None))
    )
    assert found.utilisation == pytest.approx(500 / 2000)
    assert found.workers[0].utilisation == found.utilisation
    late = dataclasses.replace(WORKER, started=NOW - 500)
    assert figures(
        census(turn(opened=NOW - 500, closed=None), processes=(late,))
    ).utilisation == pytest.approx(0.5)


def test_what_lies_before_the_window_is_cut_off() -> None:
    found = figures(census(turn(ready=NOW - 5000, opened=NOW - 4000, closed=NOW - 500)))
    assert found.utilisation == pytest.approx(500 / 2000)
    assert found.total.wait_p50_s is None  # it waited before the window
    assert found.total.turns == 1


def test_a_lost_worker_has_no_places_and_is_called_lost() -> None:
    silent = dataclasses.replace(WORKER, seen=NOW - 400, silent=True)
    found = figures(
        census(turn(closed=NOW - 400, opened=NOW - 600, result="lost"), processes=(silent,))
    )
    assert (found.places, found.alive, found.workers[0].process.state) == (0, 0, "lost")
    assert found.workers[0].utilisation == pytest.approx(200 / (2 * 600))
    assert (found.total.lost, found.total.failed) == (1, 0)
    assert sum(found.curves.trouble) == 1


def test_a_worker_that_was_started_anew_is_one_line_with_the_facts_of_the_living_process() -> None:
    before = dataclasses.replace(WORKER, pid=7, concurrency=1, stopped=NOW - 500, started=NOW - 900)
    after = dataclasses.replace(WORKER, pid=8, started=NOW - 400)
    found = figures(census(turn(opened=NOW - 900, closed=NOW - 500), processes=(after, before)))
    assert [each.process.pid for each in found.workers] == [8]
    assert found.workers[0].utilisation == pytest.approx(400 / (400 + 800))


def test_counts_are_kept_apart_by_workflow_and_by_worker() -> None:
    other = dataclasses.replace(WORKER, name="w2")
    found = figures(
        census(
            turn("R1", status="complete", steps=5, result="finished"),
            turn("R2", worker="w2", workflow="ticket", status="blocked", steps=2, result="parked"),
            turn("R3", worker="w2", workflow="ticket", result="refused", ready=NOW - 96),
            processes=(WORKER, other),
            queue=(Queued("R4", "ticket", NOW - 40), Queued("R5", "roadmap", NOW - 60)),
        )
    )
    assert [
        (each.name, each.queued, each.turns, each.steps, each.ended, each.blocked, each.failed)
        for each in found.workflows
    ] == [
        ("harness", 0, 1, 5, 1, 0, 0),
        ("roadmap", 1, 0, 0, 0, 0, 0),
        ("ticket", 1, 2, 2, 0, 1, 1),
    ]
    assert [(each.tally.name, each.tally.turns, each.tally.failed) for each in found.workers] == [
        ("w1", 1, 0),
        ("w2", 2, 1),
    ]
    assert (found.total.queued, found.total.oldest_s) == (2, 60)
    assert (found.total.wait_p50_s, found.total.wait_p95_s) == (10, 10)
    assert [each.run for each in found.queue] == ["R5", "R4"]


def test_curves_say_what_stood_at_the_end_of_each_part() -> None:
    found = figures(
        census(
            turn(ready=NOW - 500, opened=NOW - 250, closed=None),
            queue=(Queued("R2", "harness", NOW - 100),),
        )
    ).curves
    half = BUCKETS // 2
    assert found.queue[half - 2] == 0
    assert found.queue[half] == 1
    assert found.queue[-1] == 1  # the first is driven, the second waits
    assert (found.busy[half], found.busy[-1], found.places[0], found.places[-1]) == (0, 1, 2, 2)
    assert [each for each in found.wait_p95_s if each is not None] == [250]


spans = st.tuples(st.floats(0, 20_000), st.floats(0, 3000), st.none() | st.floats(0, 3000)).map(
    lambda each: turn(
        ready=each[0],
        opened=each[0] + each[1],
        closed=None if each[2] is None else each[0] + each[1] + each[2],
    )
)


@settings(max_examples=60, deadline=None)
@given(st.lists(spans, max_size=12))
def test_no_turn_makes_a_share_beyond_one_or_a_curve_below_zero(turns: list[Turn]) -> None:
    found = figures(census(*[each for each in turns if each.opened <= NOW]))
    assert 0 <= (found.utilisation or 0) <= 1
    assert min((*found.curves.queue, *found.curves.busy)) >= 0
    assert sum(found.curves.ended) <= found.total.turns
