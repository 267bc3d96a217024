"""Items, clusters and waves on the board: what a person sees while many agents work."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from tests.views import teams

from podium.core import events
from podium.core.effects import FanOut
from podium.views import figures, safe
from podium.views.board.board import Board
from podium.views.board.forecast import item_word, items_over, time_left
from podium.views.closing import closing, sums
from podium.views.frame import frame
from podium.views.look import Look, plain
from podium.views.plain import plain_observer
from podium.views.standing import where
from podium.workflows.governed.workflow import Governed


def drawn(steps, told, width=80, height=0):
    board = Board(steps, "roadmap.json", told)
    return plain(frame(board, Look(width=width, height=height, now=figures.moment(told[-1]["ts"]))))


def test_an_item_shows_its_title_its_attempt_and_the_way_it_went():
    lines = drawn(teams.LOOP, teams.second_attempt())
    at = next(index for index, line in enumerate(lines) if "US-2" in line)
    assert lines[at].split() == ["●", "US-2", "Story", "US-2", "attempt", "2", "of", "3", "4.4s"]
    assert lines[at + 1] == "      ✓ implement  ✗ testing  ● implement"
    assert lines[at + 2] == "  ○ 1 more item to come"


def test_a_finished_item_is_one_line_with_its_commit():
    (line,) = [each for each in drawn(teams.LOOP, teams.second_attempt()) if "US-1" in each]
    assert line.startswith("  ✓ US-1  Story US-1")
    assert line.endswith("commit 0000001")


def test_progress_counts_items_and_the_time_left_is_that_of_an_item():
    told = teams.second_attempt()
    board = Board(teams.LOOP, events=told)
    now = figures.moment(told[-1]["ts"])
    assert items_over(board) == (1, 3)
    took = board.rows["item"].children["item/US-1"].seconds()
    # One more whole item, and what is left of the present one.
    assert time_left(board, now) == pytest.approx(took + max(0.0, took - 4.4), abs=0.01)
    assert "1 of 3 items" in drawn(teams.LOOP, told)[-1]


def test_blocked_items_are_not_counted_twice():
    story = teams.LoopStory(3)
    child = story.begin("US-1")
    story.implement(child, "US-1", 1)
    story.block(child, "US-1", 1)
    assert items_over(Board(teams.LOOP, events=story.told)) == (0, 3)
    story.begin("US-2")
    story.told.append({**story.told[-1], "state": {**story.told[-1]["state"], "left": 2}})
    board = Board(teams.LOOP, events=story.told)
    assert items_over(board) == (0, 3)
    lines = plain(frame(board, Look()))
    at = next(index for index, line in enumerate(lines) if "✗ US-1" in line)
    assert lines[at].endswith("blocked")
    assert lines[at + 1] == "      attempt 1: 1 test fails"


@pytest.mark.parametrize("height", [0, 24, 12])
def test_of_a_hundred_items_only_the_last_the_open_and_the_failed_are_shown(height):
    story = teams.LoopStory(120)
    for number in range(1, 4):
        story.whole(f"US-{number}")
    child = story.begin("US-4")
    story.implement(child, "US-4", 1)
    story.block(child, "US-4", 1)
    for number in range(5, 101):
        story.whole(f"US-{number}")
    story.implement(story.begin("US-101"), "US-101", 1)
    lines = drawn(teams.LOOP, story.told, height=height)
    assert any("… 9" in line and "done" in line for line in lines)
    assert any("● US-101" in line for line in lines)
    assert any("✗ US-4 " in line for line in lines)
    assert len(lines) <= 23
    assert not height or len(lines) < height
    assert all(safe.cells(line) <= 80 for line in lines)


def test_status_says_where_the_child_is():
    board = Board(teams.LOOP, events=teams.second_attempt())
    assert where(board) == "item US-2: implement, attempt 2 of 3; 1 of 3 items done"
    assert where(board, brief=True) == "item US-2: implement"


def test_what_there_is_a_child_run_for_is_called_as_its_workflow_calls_it():
    steps = [
        replace(each, effect=replace(each.effect, noun="phase"))
        if isinstance(each.effect, FanOut)
        else each
        for each in teams.LOOP
    ]
    assert where(Board(steps, events=teams.second_attempt())).endswith("; 1 of 3 phases done")
    assert item_word(Board(Governed.steps.values())) == "phase"
    assert item_word(Board()) == "item"


def test_an_item_done_anew_is_the_same_item_in_its_second_round():
    told = teams.second_attempt()
    again = [{**told[-1], "run": f"{teams.RUN}/item/US-1/2", "key": "item/US-1/2/implement/1"}]
    rows = Board(teams.LOOP, events=[*told, *again]).rows["item"].children
    assert {key: (row.name, row.round, row.state) for key, row in rows.items()} == {
        "item/US-2": ("US-2", 1, "running"),
        "item/US-1": ("US-1", 2, "running"),
    }


def test_the_closing_words_sum_up_items_attempts_and_commits():
    story = teams.LoopStory(1)
    child = story.begin("US-1")
    story.implement(child, "US-1", 1)
    story.fail(child, "US-1", 1)
    story.implement(child, "US-1", 2)
    story.finish(child, "US-1", 2)
    story.end()
    lines = plain(closing(Board(teams.LOOP, events=story.told), 200))
    assert " made  1 of 1 item done, 1 more attempt, 1 commit" in lines


def test_members_of_a_cluster_are_rows_below_it_and_a_new_round_begins_without_the_old_ones():
    t = teams.to_second_review()
    t.end("design/2", "ok", "DONE", 4.0)
    t.tell(events.run_advanced(teams.LineRun(step="design"), teams.LineRun(step="ct"), "ok"))
    t.begin("ct/2/ct-strategy", "ct", "ct-strategy")
    row = Board(teams.LINE, events=t.events).rows["ct"]
    assert (row.round, row.state, list(row.children)) == (2, "running", ["ct-strategy"])


def test_what_the_check_made_of_a_cluster_stands_on_the_clusters_row():
    lines = drawn(teams.LINE, teams.to_second_review().events)
    (line,) = [each for each in lines if " ct " in each]
    assert line.split()[:2] == ["✗", "ct"]
    assert "NEEDS_REVISION: ct-security DONE" in line
    assert not any("ct-verdict" in each for each in lines)
    (design,) = [each for each in lines if "design  " in each and "●" in each]
    assert "round 2" in design


def test_a_wave_shows_its_tasks_and_the_waves_to_come():
    lines = drawn(teams.LINE, teams.to_waves().events)
    at = next(index for index, line in enumerate(lines) if "● wave/1" in line)
    assert lines[at].endswith("1 of 2 done")
    assert lines[at + 1].split()[:3] == ["✓", "01-a", "implementer"]
    assert lines[at + 2].split()[:3] == ["●", "02-b", "implementer"]
    assert lines[at + 3] == "  ○ wave 2: 03-c"


def test_waves_of_a_plan_that_mends_have_rows_of_their_own():
    lines = drawn(teams.LINE, teams.to_fix().events)
    names = [line.split()[1] for line in lines if line.strip()[:1] in "✓✗●" and "wave" in line]
    assert names == ["wave/1", "wave/2", "fix/1/wave/1"]
    conflict = next(line for line in lines if "03-c" in line)
    assert "conflict: src/app.py changed in another task" in conflict


def test_of_a_wave_of_twelve_the_finished_tasks_give_way():
    t = teams.to_waves()
    for number in range(3, 13):
        t.begin(f"wave/1/{number:02}-x", "wave", "implementer")
    for number in range(3, 11):
        t.end(f"wave/1/{number:02}-x", "ok", "DONE", 1.0)
    lines = drawn(teams.LINE, t.events)
    assert "    … 4 done" in lines
    assert sum("implementer" in line for line in lines) == 8
    assert any("9 of 12 done" in line for line in lines)


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("height", [8, 10, 24])
def test_no_frame_is_higher_or_wider_than_its_terminal(width, height):
    for steps, told in ((teams.LOOP, teams.second_attempt()), (teams.LINE, teams.to_fix().events)):
        lines = drawn(steps, told, width, height)
        assert len(lines) < height
        assert all(safe.cells(line) <= width for line in lines)
        assert any("●" in line for line in lines)


def test_plain_lines_tell_attempts_and_leave_out_the_phases_of_items():
    out = io.StringIO()
    told = teams.second_attempt()
    phase = {**told[-1], "type": "phase.entered", "phase": "Testing"}
    between = {**told[0], "type": "phase.entered", "phase": "Select"}
    with plain_observer("", teams.LOOP, out) as view:
        for event in [*told, phase, between]:
            view.event(event)
    said = out.getvalue()
    assert "item/US-2 attempt 2 of 3" in said
    assert "phase" not in said
    assert "select/1 started" not in said
    assert "commit/1 ok (committed) 0000001" in said


def test_sums_name_tasks_waves_and_rounds():
    found = sums(Board(teams.LINE, events=teams.to_fix().events))
    assert found == ["4 tasks in 3 waves", "1 failed", "design review 2 rounds"]
