"""Very many agents on screens of every size: nothing is cut off without a word, and what matters
stays in sight.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.views import crowds
from tests.views.conftest import HOSTILE

from podium.views import figures, safe
from podium.views.board.board import Board
from podium.views.board.forecast import items_left
from podium.views.folding import Entry, fitted, tally
from podium.views.frame import frame
from podium.views.look import Look, plain

SIZES = [(80, 24), (200, 60), (40, 10), (120, 30)]
CROWDS = {"wave": crowds.wave, "items": crowds.items, "group": crowds.group}


def drawn(board: Board, width: int, height: int) -> list[str]:
    now = figures.moment(board.updated)
    return plain(frame(board, Look(width, height, now, moving=True)))


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("agents", [1, 30, 200])
@pytest.mark.parametrize("kind", CROWDS)
def test_every_size_shows_whole_lines_that_fit_and_counts_the_agents_it_leaves_out(
    kind, agents, size
):
    lines = drawn(CROWDS[kind](agents), *size)
    assert len(lines) < size[1]
    assert all(safe.cells(line) <= size[0] for line in lines)
    # The wave has one more of its own, and a row for itself.
    rows = [
        line
        for line in lines
        if re.match(r" {2,4}[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] ", line) and not re.search(r"wave/1|group A", line)
    ]
    left = sum(int(found) for found in re.findall(r"(\d+) (?:more )?running", "\n".join(lines)))
    assert len(rows) + left == agents + (kind == "wave")
    assert rows
    assert not lines[-1].startswith(" ◆")


@pytest.mark.parametrize("agents", [30, 200])
def test_what_fails_keeps_its_share_beside_what_runs(agents):
    lines = drawn(crowds.wave(agents, done=40, failed=60), 80, 24)
    assert 3 <= sum("✗" in line for line in lines) <= 6
    assert sum("implementer" in line for line in lines) >= 14
    (said,) = [line for line in lines if line.startswith("  …")]
    assert re.fullmatch(r"  … \d+ more running, \d+ failed, \d+ done, 1 to come", said)


def test_failures_alone_have_all_the_room():
    lines = drawn(crowds.wave(1, failed=60), 80, 24)
    assert sum("✗" in line for line in lines) >= 14


@pytest.mark.parametrize(
    ("took", "left", "running", "seconds"),
    [
        ([], 9, [1.0], None),
        ([10.0], 3, [4.0], 26.0),
        ([10.0], 31, [4.0, 2.0, 12.0] * 10, 8.0 + 10 / 30),
        ([10.0], 0, [], 0.0),
    ],
)
def test_items_side_by_side_take_no_longer_than_one_after_the_other_would(
    took, left, running, seconds
):
    assert items_left(took, left, running) == (None if seconds is None else pytest.approx(seconds))


def test_an_agent_in_one_line_still_says_what_it_does():
    lines = drawn(crowds.items(30), 80, 24)
    assert any(re.search(r"US-3 .*implement: writes src/shop/part_3.py", line) for line in lines)


@pytest.mark.parametrize("waiting", [1, 3, 30])
@pytest.mark.parametrize("size", [(80, 24), (200, 60), (60, 16)], ids=str)
def test_many_gates_leave_half_of_the_screen_to_the_run(waiting, size):
    lines = drawn(crowds.items(30, waiting=waiting), *size)
    assert len(lines) < size[1]
    first = next(at for at, line in enumerate(lines) if line.startswith(" ◆"))
    assert len(lines) - first <= size[1] // 2
    named = sum(line.startswith((" ◆ item/", " ◆ Your turn: item/")) for line in lines)
    more = re.search(r" ◆ (\d+) more decisions? waits?: podium status T001-k3f9", "\n".join(lines))
    assert named + (int(more[1]) if more else 0) == waiting
    assert any("podium answer T001-k3f9" in line for line in lines)
    assert any("implement" in line for line in lines)


def test_names_titles_and_last_words_of_agents_move_nothing():
    board = crowds.items(30, title=HOSTILE)
    for number in range(1, 31):
        board.activity(
            f"item/US-{number}/implement/1", HOSTILE, {"text": f"{HOSTILE}漢字{'字' * 300}"}
        )
    for width, height in SIZES:
        lines = drawn(board, width, height)
        assert all(line.isprintable() and safe.cells(line) <= width for line in lines)
        assert len(lines) < height


def test_wide_letters_are_counted_as_two():
    board = crowds.items(3, title="漢字の題名がとても長い場合の表示")
    for line in drawn(board, 80, 24):
        assert safe.cells(line) <= 80
    assert safe.cells("漢字") == 4


@pytest.mark.parametrize("height", range(8, 60, 3))
def test_the_height_changes_by_no_more_than_the_screen_while_agents_come_and_go(height):
    for agents in (1, 7, 30, 12, 200, 3):
        assert len(drawn(crowds.wave(agents, done=agents), 80, height)) < height


ENTRIES = st.builds(
    lambda word, count, lines, head: Entry(
        tuple([(f"{word}{number}", "plain")] for number in range(lines)),
        {"done": "done", "to come": "coming"}.get(word, "open"),
        count,
        now=word in {"running", "waiting"},
        word=word,
        head=head,
    ),
    st.sampled_from(["waiting", "running", "failed", "stale", "done", "to come"]),
    st.integers(1, 3),
    st.integers(1, 3),
    st.booleans(),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(ENTRIES, min_size=1, max_size=30), st.integers(2, 25))
def test_whatever_there_is_fits_and_is_counted_whole(entries, room):
    lines = plain(fitted(entries, room))
    assert len(lines) <= room
    shown = sum(each.count for each in entries)
    hidden = sum(int(found) for line in lines if "…" in line for found in re.findall(r"\d+", line))
    kept = [line for line in lines if "…" not in line and line.endswith("0")]
    assert hidden + len(kept) <= shown
    assert tally(entries)
    if len(kept) < len(entries):
        assert hidden
