"""Several runs one below the other."""

from __future__ import annotations

import re

import pytest
from tests.views import crowds

from podium.views import figures, safe
from podium.views.board.board import Board
from podium.views.look import Look, plain
from podium.views.terminal.several import stacked


def boards(number: int) -> list[Board]:
    made = [(crowds.wave, 30), (crowds.items, 4), (crowds.group, 5)]
    found = []
    for place in range(number):
        make, agents = made[place % 3]
        board = make(agents)
        board.run = f"R{place + 1}"
        found.append(board)
    return found


def drawn(found: list[Board], width: int, height: int) -> list[str]:
    return plain(stacked(found, Look(width, height, figures.moment(found[0].updated), moving=True)))


@pytest.mark.parametrize("size", [(80, 24), (200, 60), (60, 12)], ids=str)
@pytest.mark.parametrize("number", [1, 2, 3, 7, 40])
def test_every_run_has_a_headline_or_is_counted(number, size):
    lines = drawn(boards(number), *size)
    assert len(lines) < size[1]
    assert all(safe.cells(line) <= size[0] for line in lines)
    heads = sum(bool(re.match(r" (feature|roadmap|ticket)  ", line)) for line in lines)
    more = re.search(r"… (\d+) more runs?$", "\n".join(lines), re.MULTILINE)
    assert heads + (int(more[1]) if more else 0) == number


def test_where_there_is_room_every_run_has_rows_and_a_meter():
    lines = drawn(boards(3), 100, 40)
    assert (
        sum("tasks" in line or "items" in line or "steps" in line for line in lines if "─" in line)
        >= 3
    )
    for word in ("wave/1", "US-1", "TASK-1"):
        assert any(word in line for line in lines)


def test_a_run_that_rests_gives_way_to_one_that_goes_on():
    found = boards(3)
    for board in found[:2]:
        board.status = "complete"
    lines = drawn(found, 80, 16)
    assert sum("TASK-" in line for line in lines) == 5
    assert not any("wave/1" in line for line in lines)


def test_without_a_height_nothing_is_left_out():
    lines = plain(stacked(boards(2), Look(100)))
    assert sum("implementer" in line for line in lines) >= 30


def test_what_waits_stands_below_all_runs():
    found = boards(2)
    waiting = crowds.items(3, waiting=2)
    waiting.run = "R9"
    lines = drawn([waiting, *found], 100, 40)
    first = next(place for place, line in enumerate(lines) if line.startswith(" ◆"))
    assert not any(re.match(r" (feature|roadmap|ticket)  ", line) for line in lines[first:])
    assert any("podium answer R9 --gate item/US-4/ask" in line for line in lines)
