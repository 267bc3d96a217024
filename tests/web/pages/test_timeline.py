"""The timeline: legible whatever a run's size."""

from __future__ import annotations

from typing import Any

from tests.views.conftest import Harness
from tests.web.pages.crowds import Crowd, long_run, wide_run

from podium.views.board.board import Board
from podium.web.pages.timeline import ROWS, timeline


def test_every_piece_of_work_has_one_row_for_all_its_rounds(whole: list[dict[str, Any]]) -> None:
    found = timeline(whole, None, Board(Harness.steps.values(), events=whole))
    assert found is not None
    rows = {lane.name: lane for lane in found.lanes}
    assert list(rows) == [
        "specification",
        "design",
        "implementation-planning",
        "decisions",
        "build",
        "qa",
    ]
    assert [bar.tone for bar in rows["build"].bars] == ["bad", "good", "good"]
    assert [bar.key for bar in rows["decisions"].bars] == ["approve-build", "approve-completion"]
    assert "try 2" in rows["build"].bars[1].title


def test_a_wait_of_a_quarter_of_an_hour_does_not_hide_the_work(whole: list[dict[str, Any]]) -> None:
    found = timeline(whole)
    assert found is not None
    assert "15m 00s" in [each.words for each in found.folds] or found.folds
    assert all(bar.width >= 10 for lane in found.lanes for bar in lane.bars if bar.sort == "work")


def test_two_thousand_steps_are_few_enough_to_draw() -> None:
    found = timeline(long_run(2_000), None, Board(Crowd.steps.values()))
    assert found is not None
    assert len(found.lanes) == 1
    assert sum(bar.count for bar in found.lanes[0].bars) == 2_000
    assert len(found.lanes[0].bars) < 600


def test_thirty_agents_at_once_have_a_row_each() -> None:
    told = wide_run(30)
    found = timeline(told, None, Board(Crowd.steps.values(), events=told))
    assert found is not None
    assert len(found.lanes) == 30
    assert "at most 30 at once" in found.words


def test_more_pieces_of_work_than_rows_share_them() -> None:
    told = wide_run(ROWS * 2, rounds=1)
    found = timeline(told, None, Board(Crowd.steps.values(), events=told))
    assert found is not None
    assert len(found.lanes) <= ROWS
    assert found.lanes[0].name == "swarm"
    assert (
        sum(bar.count for lane in found.lanes for bar in lane.bars)
        + sum(lane.hidden for lane in found.lanes)
        == ROWS * 2
    )


def test_bars_of_one_row_never_lie_on_each_other() -> None:
    found = timeline(wide_run(20))
    assert found is not None
    for lane in found.lanes:
        ends = 0.0
        for bar in lane.bars:
            assert bar.x >= ends - 2.01
            ends = bar.x + bar.width


def test_a_run_that_did_nothing_yet_has_none() -> None:
    assert timeline([]) is None
    assert timeline(long_run(0)) is None
