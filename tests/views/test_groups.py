"""Groups of tasks: what is folded from a run's state, and the table people see of it."""

from __future__ import annotations

import re
from copy import deepcopy
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.views import teams, tickets
from tests.views.conftest import HOSTILE

from podium.core import events
from podium.core.run import Status
from podium.views import safe
from podium.views.board.board import Board
from podium.views.board.forecast import steps_over
from podium.views.board.groups import Work, broken
from podium.views.closing import closing, sums
from podium.views.frame import frame
from podium.views.groups.words import progress_words, tasks_named
from podium.views.look import Look, plain
from podium.views.standing import where


def drawn(story, width=80, height=0, *, acts=()):
    board = Board(tickets.STEPS, "X-1 add words", story.told)
    for act in acts:
        board.activity(*act)
    return plain(frame(board, Look(width=width, height=height, now=story.now)))


def row(lines, name):
    """The words of the line that begins with this name, after its icon."""
    (found,) = [
        line.split()
        for line in lines
        if line.startswith("  ")
        and line.strip()[:1] in "○●✓✗◆·"
        and f"{line.strip()[2:]} ".startswith(f"{name} ")
    ]
    return found


# -- the fold


def test_groups_have_their_tasks_with_status_and_attempt():
    now = Board(tickets.STEPS, events=tickets.at_second_attempt().told).work.now
    assert [(each.name, each.strategy, each.accepted) for each in now.groups] == [
        ("A", "parallel", 0),
        ("B", "sequential", 0),
    ]
    assert [(each.id, each.status, each.attempt, each.number) for each in now.tasks] == [
        ("TASK-1", "REJECTED", 2, 2),
        ("TASK-2", "REJECTED", 2, 2),
        ("TASK-3", "REJECTED", 2, 2),
        ("TASK-4", "PENDING", 0, 0),
    ]


def test_every_rejection_is_kept_with_who_said_so_and_the_evidence():
    story = tickets.TicketStory()
    story.group_a()
    story.develop("TASK-4")
    story.written("TASK-4", verdict="DONE")
    story.developed("DONE")
    story.review("TASK-4", accepts=False)
    story.group_b()
    work = Board(tickets.STEPS, events=story.told).work
    told = {
        task.id: [(each.number, each.by, each.evidence[0]) for each in task.rejections]
        for task in work.now.tasks
    }
    assert told["TASK-1"] == [(1, "validate", f"{tickets.SAID} (`/usr/bin/make test`)")]
    assert told["TASK-4"] == [(1, "review_task", "the Reviewer: criterion 2 is NOT MET")]
    assert all(task.accepted for task in work.now.tasks)


def test_a_group_lasts_from_its_first_move_to_its_acceptance():
    work = Board(tickets.STEPS, events=tickets.whole().told).work
    first, second = work.now.groups
    assert first.began < first.ended <= second.began < second.ended


def test_what_is_accepted_is_counted_when_the_file_says_so():
    story = tickets.TicketStory()
    story.group_a()
    board = Board(tickets.STEPS, events=story.told)
    assert board.work.now.groups[0].accepted == 0
    assert board.work.metrics["tasks_completed"] == 0
    story.develop("TASK-4")
    board = Board(tickets.STEPS, events=story.told)
    assert board.work.now.groups[0].accepted == board.work.metrics["tasks_completed"] == 3


def test_a_run_that_is_set_back_forgets_the_iterations_after():
    story = tickets.at_second_iteration()
    work = Board(tickets.STEPS, events=story.told).work
    assert list(work.iterations) == [0, 1]
    work.follow({"iteration": 0, "order": [], "tasks": {}}, "2026-02-01T00:00:00Z")
    assert list(work.iterations) == [0]


def test_a_person_who_takes_a_task_out_and_adds_one_is_followed():
    story = tickets.TicketStory()
    story.plan()
    story.run.order[0]["tasks"] = ["TASK-1", "TASK-9"]
    story.go(
        "next_group",
        tasks={"TASK-1": ["ACCEPTED", 0], "TASK-9": ["PENDING", 0], "TASK-4": ["PENDING", 0]},
    )
    now = Board(tickets.STEPS, events=story.told).work.now
    assert [(each.id, each.status) for each in now.groups[0].tasks] == [
        ("TASK-1", "ACCEPTED"),
        ("TASK-9", "PENDING"),
    ]


def test_runs_without_groups_have_none(steps, whole):
    for board in (
        Board(steps, events=whole),
        Board(teams.LOOP, events=teams.second_attempt()),
        Board(teams.LINE, events=teams.to_fix().events),
    ):
        assert board.work.now is None
        assert progress_words(board.work) == ""


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
MEMBERS = (
    "iteration",
    "order",
    "tasks",
    "tries",
    "group",
    "batch",
    "results",
    "metrics",
    "max_attempts",
    "max_iterations",
    "evidence",
    "branch",
)


@settings(max_examples=150, deadline=None)
@given(
    st.fixed_dictionaries(
        {
            "iteration": st.integers(0, 3) | JSON,
            "order": st.lists(JSON, max_size=3) | JSON,
            "tasks": JSON,
        },
        optional=dict.fromkeys(MEMBERS[3:], JSON),
    )
)
def test_a_state_of_any_shape_is_forgiven(state):
    story = tickets.at_second_attempt()
    told = [
        *story.told,
        {
            "type": "run.advanced",
            "run": story.told[0]["run"],
            "from": "validate",
            "to": "next_group",
            "ts": story.told[-1]["ts"],
            "state": {**story.told[-1].get("state", {}), "step": "develop", **state},
        },
    ]
    board = Board(tickets.STEPS, events=told)
    for width in (40, 80):
        for line in plain(frame(board, Look(width=width, now=story.now))):
            assert safe.cells(line) <= width
            assert line.isprintable()
    where(board)
    closing(board, 80)


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"sets": None},
        {"sets": {"iterations": [None, 3]}},
        {"sets": {"results": {"X": 1}}, "evidence": [None, {"command": 3}]},
    ],
)
def test_a_check_of_any_shape_is_forgiven(event):
    story = tickets.at_second_attempt()
    work = Board(tickets.STEPS, events=story.told).work
    work.checked(event)
    Work().checked(event)


def test_what_failed_is_said_and_what_failed_before_or_was_waived_is_not():
    assert broken({"evidence": [tickets.BROKEN]}) == tickets.SAID
    assert broken({"evidence": [{**tickets.BROKEN, "state": "failed_before"}]}) == ""
    assert broken({"evidence": [{**tickets.BROKEN, "state": "not_run", "waived": "ada"}]}) == ""


# -- the table


def test_the_group_at_hand_shows_a_line_for_each_task_with_its_attempt_and_what_its_agent_does():
    story = tickets.at_second_attempt()
    lines = drawn(story, acts=[(story.key("TASK-2"), "write", {"path": "tests/test_lines.py"})])
    assert row(lines, "group A")[:4] == ["●", "group", "A", "parallel"]
    assert row(lines, "group A")[5:8] == ["0", "of", "3"]
    assert row(lines, "TASK-1")[:-1] == [
        "✓",
        "TASK-1",
        "attempt",
        "2",
        "of",
        "5",
        "syntax",
        "valid",
    ]
    assert (
        " ".join(row(lines, "TASK-2"))
        == "● TASK-2 attempt 2 of 5 at work 3.0s writes tests/test_lines.py"
    )
    assert row(lines, "TASK-3") == ["○", "TASK-3", "attempt", "2", "of", "5", "pending"]
    assert not any(
        "develop" in line or "validate" in line or "review-task" in line for line in lines
    )


def test_what_the_last_build_and_test_said_stands_below_its_group_once():
    lines = drawn(tickets.at_second_attempt(), 120)
    at = next(place for place, line in enumerate(lines) if "group A" in line)
    assert lines[at + 1] == f"    ✗ {tickets.SAID}"
    assert sum("test_lines" in line for line in lines) == 1


def test_a_finished_group_is_one_line_and_a_group_to_come_is_listed():
    story = tickets.TicketStory()
    story.group_a()
    before = drawn(story)
    assert row(before, "group B")[-1] == "TASK-4"
    assert row(before, "group B")[0] == "○"
    story.develop("TASK-4")
    lines = drawn(story)
    assert " ".join(row(lines, "group A")).endswith("3 of 3 24s 3 more attempts")
    assert not any("TASK-1" in line for line in lines)
    assert row(lines, "TASK-4")[:4] == ["●", "TASK-4", "at", "work"]


def test_a_task_that_was_rejected_alone_says_why_on_its_own():
    story = tickets.TicketStory()
    story.plan()
    story.develop("TASK-1", "TASK-2", "TASK-3")
    story.written("TASK-1", "TASK-2", "TASK-3")
    story.developed(
        TASK_2={
            "status": "REJECTED",
            "evidence": ["TASK-2 changed files that it does not list: a.py"],
            "changed": [],
        }
    )
    lines = drawn(story)
    at = next(place for place, line in enumerate(lines) if "✗ TASK-2" in line)
    assert "rejected" in lines[at]
    assert lines[at + 1] == "      TASK-2 changed files that it does not list: a.py"
    story.develop("TASK-2")
    assert "again: TASK-2 changed files" in next(
        line for line in drawn(story, 120) if "● TASK-2" in line
    )


def test_a_review_of_a_task_and_the_build_of_a_group_are_seen_while_they_run():
    story = tickets.TicketStory()
    story.plan()
    story.develop("TASK-1", "TASK-2", "TASK-3")
    story.written("TASK-1", "TASK-2", "TASK-3")
    story.developed()
    story.move("validate", *story.run.batch)
    story.t.tell(events.step_started("validate/1", "validate", "command", "", 1, {}))
    story.t.now += timedelta(seconds=7)
    assert " ".join(row(drawn(story), "group A")).endswith("build and test 7.0s")
    other = tickets.TicketStory()
    other.group_a()
    other.develop("TASK-4")
    other.written("TASK-4", verdict="DONE")
    other.developed("DONE")
    other.move("review_task", "TASK-4")
    other.t.begin(other.key("TASK-4", "review"), "review_task", "reviewer")
    assert row(drawn(other), "TASK-4")[:4] == ["●", "TASK-4", "in", "review"]


def test_a_task_that_used_up_its_attempts_stays_in_sight_when_the_run_is_blocked():
    story = tickets.TicketStory()
    story.plan()
    for _ in range(5):
        story.develop("TASK-1", "TASK-2", "TASK-3")
        story.written("TASK-1", "TASK-2", "TASK-3")
        story.developed()
        story.validate(passes=False)
    story.run.status, story.run.reason = Status.BLOCKED, "TASK-1, TASK-2, TASK-3 failed 5 attempts"
    story.t.tell(events.run_blocked(story.run, story.run.reason, "next-group/11"))
    lines = drawn(story)
    assert row(lines, "group A")[0] == "✗"
    assert row(lines, "TASK-3")[:-1] == ["✗", "TASK-3", "attempt", "5", "of", "5", "rejected"]
    assert sum("failed 5 attempts" in line for line in lines) == 1


def test_before_there_is_a_plan_the_tasks_are_one_line():
    lines = drawn(tickets.TicketStory())
    assert "  ○ tasks    not planned yet" in lines
    assert row(lines, "plan") == ["○", "plan"]


def test_the_planners_are_named_by_their_roles_and_their_step_as_people_say_it():
    story = tickets.TicketStory()
    for name in ("planner", "initializer"):
        story.t.begin(f"iteration/0/plan/{name}", "plan", name)
    lines = drawn(story)
    assert row(lines, "planner")[:2] == ["●", "planner"]
    assert row(lines, "initializer")[:2] == ["●", "initializer"]
    for name in ("planner", "initializer"):
        story.t.end(f"iteration/0/plan/{name}", "ok", "DONE", 1.0)
    story.go("settle")
    assert row(drawn(story), "plan")[:4] == ["✓", "plan", "planner,", "initializer"]
    assert not any("iteration/" in line for line in drawn(story))


def test_the_second_iteration_says_so_and_why_the_first_was_rejected():
    story = tickets.at_second_iteration()
    wide, narrow = drawn(story, 100), drawn(story, 40)
    assert (
        "  ↻ iteration 2 of 5  iteration 1 was rejected: the longest word is not the first" in wide
    )
    assert "  ↻ iteration 2 of 5" in narrow
    assert sum("the longest word" in line for line in wide) == 1
    # Nothing of the first iteration stands in its place.
    assert row(wide, "plan") == ["○", "plan"]
    assert row(wide, "review") == ["○", "review", "reviewer"]
    story.group_a()
    assert row(drawn(story, 100), "plan")[0] == "✓"


@pytest.mark.parametrize(("width", "height"), [(80, 24), (80, 12), (40, 24), (40, 8), (120, 50)])
def test_thirty_tasks_at_once_fit_and_those_at_work_stay_in_sight(width, height):
    story = tickets.TicketStory()
    names = [f"TASK-{number}" for number in range(1, 31)]
    story.plan([("A", "parallel", names), ("B", "sequential", ["TASK-31"])])
    story.develop(*names, begun=names[:12])
    story.written(*names[:9])
    lines = drawn(story, width, height)
    assert len(lines) < height
    assert all(safe.cells(line) <= width for line in lines)
    assert any("● group A" in line and "0 of 30" in line for line in lines)
    if height > 8:
        assert [line.split()[1] for line in lines if "● TASK" in line] == [
            "TASK-10",
            "TASK-11",
            "TASK-12",
        ]


def test_of_many_tasks_those_left_out_are_counted():
    story = tickets.TicketStory()
    names = [f"TASK-{number}" for number in range(1, 31)]
    story.plan([("A", "parallel", names)])
    story.develop(*names, begun=names[:12])
    story.written(*names[:9])
    lines = drawn(story)
    shown = [line.split()[1] for line in lines if re.search(r" TASK-\d+ ", line)]
    done, later = (
        int(re.search(pattern, "\n".join(lines))[1])
        for pattern in (r"… (\d+) done", r"○ (\d+) more tasks")
    )
    assert done + later + len(shown) == 30


def test_hostile_names_and_words_stay_text():
    story = tickets.TicketStory()
    story.plan([(HOSTILE, HOSTILE, [HOSTILE, "TASK-2"])])
    story.run.tries = {HOSTILE: 1}
    story.go(
        "develop",
        group=HOSTILE,
        batch=[HOSTILE],
        results={HOSTILE: {"status": HOSTILE, "evidence": [HOSTILE]}},
    )
    story.check(
        "validate",
        "validate",
        "command",
        "revise",
        HOSTILE,
        reason=HOSTILE,
        sets={"results": {HOSTILE: {}}},
        evidence=[{**tickets.BROKEN, "name": HOSTILE, "failing": [HOSTILE], "why": HOSTILE}],
    )
    story.check(
        "verdict",
        "judge",
        "command",
        "revise",
        HOSTILE,
        reason=HOSTILE,
        sets={"iterations": [{"number": 0, "status": HOSTILE}]},
    )
    story.go("plan", iteration=1)
    story.plan([(HOSTILE, HOSTILE, [HOSTILE])])
    for width in (40, 80):
        lines = drawn(story, width)
        assert all(line.isprintable() and safe.cells(line) <= width for line in lines)


# -- how far it is


def test_the_meter_counts_tasks_by_the_numbers_of_progress_yaml():
    story = tickets.TicketStory()
    story.group_a()
    story.develop("TASK-4")
    metrics = story.run.metrics
    assert (
        metrics["percent_complete"],
        metrics["tasks_completed"],
        metrics["remaining_minutes_estimate"],
    ) == (71, 3, 2)
    assert "   71%   3 of 4 tasks   about 2m left   " in drawn(story)[-1]
    assert "about 2m left (low confidence)" in drawn(story, 120)[-1]
    bar = len(re.findall("[━─]", drawn(story, 120)[-1]))
    board = Board(tickets.STEPS, events=story.told)
    full = next(
        text for text, tone in frame(board, Look(width=120, now=story.now))[-1] if tone == "good"
    )
    assert len(full) == round(bar * 0.71)


@pytest.mark.parametrize(
    ("minutes", "said"),
    [
        (None, ""),
        (0, "nearly done"),
        (1, "about 1m left"),
        (59, "about 59m left"),
        (125, "about 2h 05m left"),
    ],
)
def test_the_time_left_is_in_whole_minutes_and_unknown_where_nobody_knows(minutes, said):
    story = tickets.TicketStory()
    story.plan()
    story.go("next_group", metrics={**story.run.metrics, "remaining_minutes_estimate": minutes})
    last = drawn(story)[-1]
    assert said in last
    assert bool(said) or ("left" not in last and "nearly" not in last)


def test_a_complete_run_is_at_a_hundred_percent_and_says_what_it_came_to():
    story = tickets.whole()
    assert "100%   4 of 4 tasks" in drawn(story)[-1]
    assert sums(Board(tickets.STEPS, events=story.told)) == [
        "4 tasks in 2 groups",
        "3 more attempts",
        "1 iteration",
        "1 commit",
    ]
    again = tickets.at_second_iteration()
    assert sums(Board(tickets.STEPS, events=again.told)) == ["3 more attempts", "2 iterations"]


def test_where_it_stands_is_the_group_and_its_tasks():
    story = tickets.at_second_attempt()
    board = Board(tickets.STEPS, events=story.told)
    assert where(board) == "group A: TASK-1, TASK-2, TASK-3; 0 of 4 tasks accepted"
    assert where(board, brief=True) == "group A: TASK-1, TASK-2, TASK-3"
    later = tickets.at_second_iteration()
    assert where(Board(tickets.STEPS, events=later.told)) == "plan; iteration 2 of 5"


def test_a_task_and_a_group_are_found_by_their_names():
    work = Board(tickets.STEPS, events=tickets.at_second_attempt().told).work
    assert tasks_named(work, "TASK-2").title == "TASK-2 · group A · rejected · attempt 2 of 5"
    assert tasks_named(work, "A").tasks == ("TASK-1", "TASK-2", "TASK-3")
    assert tasks_named(work, "TASK-9") is None


# -- rare steps


def test_a_rare_step_is_drawn_once_it_has_begun_and_never_counted():
    story = tickets.TicketStory()
    board = Board(tickets.STEPS, events=story.told)
    names = [name for name, each in board.steps.items() if each.rare]
    assert names == ["which_ticket", "interpret", "split_tasks", "ask_dirty", "ask_branch"]
    assert not any("ask-dirty" in line or "split" in line for line in drawn(story))
    whole = steps_over(board)[1]
    asked = deepcopy(story)
    asked.go("ask_dirty")
    asked.t.tell(
        events.gate_opened(
            "ask-dirty", "ask_dirty", "question", "What shall happen?", ["stash", "abort"], {}
        )
    )
    assert row(drawn(asked), "ask-dirty")[:2] == ["◆", "ask-dirty"]
    assert steps_over(Board(tickets.STEPS, events=asked.told))[1] == whole
