"""What a person wants to know, folded from events."""

from __future__ import annotations

from tests.views.conftest import Teller

from podium.core import events
from podium.views import figures
from podium.views.board.board import Board
from podium.views.board.forecast import steps_over, time_left


def states(board):
    return {name: row.state for name, row in board.rows.items()}


def test_a_new_board_shows_every_step_of_the_workflow_in_its_order(steps):
    board = Board(steps)
    assert list(board.rows) == [step.name for step in steps]
    assert set(states(board).values()) == {"pending"}
    assert board.elapsed() is None


def test_at_a_gate_the_board_names_the_question_and_the_command(steps, at_gate):
    board = Board(steps, events=at_gate)
    assert board.status == "waiting"
    assert states(board)["approve_build"] == "waiting"
    (gate,) = board.gates.values()
    assert (gate.prompt, gate.choices) == ("Build this plan?", ("approved",))
    assert board.commands(gate)[0] == "podium approve T001-k3f9 --go"
    assert steps_over(board) == (3, 7)


def test_a_failed_review_stays_visible_while_the_build_goes_its_second_round(
    steps, at_second_build
):
    board = Board(steps, events=at_second_build)
    assert states(board) == {
        "specification": "done",
        "design": "done",
        "implementation_planning": "done",
        "approve_build": "done",
        "build": "running",
        "qa": "failed",
        "approve_completion": "pending",
    }
    assert board.rows["build"].effort() == "round 2"
    assert board.rows["qa"].verdict == "Issues Found"
    assert [row.key for row in board.running()] == ["build/2"]


def test_retries_are_counted_within_their_round(steps, at_second_build):
    until_retry = at_second_build[
        : [e["type"] for e in at_second_build].index("retry.scheduled") + 1
    ]
    row = Board(steps, events=until_retry).rows["build"]
    assert row.effort() == "try 2/4"
    assert row.last == "crash; tries again in 2.0s"


def test_the_time_a_run_rests_is_not_time_at_work(steps, at_gate, whole):
    board = Board(steps, events=at_gate)
    assert board.elapsed() == board.elapsed(now=figures.moment("2026-02-05T00:00:00Z"))
    # 900 seconds passed between the question and the answer.
    wall = figures.between(whole[0]["ts"], whole[-1]["ts"])
    done = Board(steps, events=whole)
    assert 899 < wall - done.elapsed() < 902


def test_a_step_whose_question_was_answered_is_not_done_before_it_goes_on(steps):
    t = Teller()
    t.begin("specification", "specification", "po-spec")
    t.tell(
        events.gate_opened(
            "specification/parked-1",
            "specification",
            "question",
            "Yours to do.",
            ["done"],
            {},
            words=True,
        )
    )
    t.tell(events.gate_decided("specification/parked-1", "done", "Ada", "", {}))
    board = Board(steps, events=t.events)
    row = board.rows["specification"]
    assert (row.state, row.last, row.role) == ("pending", "answered by Ada: done", "po-spec")
    assert steps_over(board)[0] == 0


def test_a_completed_run_has_nothing_open(steps, whole):
    board = Board(steps, events=whole)
    assert (board.status, board.outcome, board.gates) == ("complete", "complete", {})
    assert set(states(board).values()) == {"done"}
    assert steps_over(board) == (7, 7)


def test_a_cancelled_run_asks_nobody_any_more(steps, at_gate):
    cancelled = {
        "type": "run.cancelled",
        "run": at_gate[0]["run"],
        "reason": "void",
        "ts": at_gate[-1]["ts"],
    }
    board = Board(steps, events=[*at_gate, cancelled])
    assert (board.status, board.gates) == ("cancelled", {})
    assert states(board)["approve_build"] == "skipped"


def test_what_a_cancelled_run_did_not_do_is_neither_counted_nor_called_needless(steps, at_gate):
    cancelled = {
        "type": "run.cancelled",
        "run": at_gate[0]["run"],
        "reason": "void",
        "ts": at_gate[-1]["ts"],
    }
    board = Board(steps, events=[*at_gate, cancelled])
    assert steps_over(board) == (3, 7)
    assert [board.rows[name].last for name in ("approve_build", "build")] == [
        "cancelled",
        "not reached",
    ]


def test_usage_is_unknown_as_soon_as_one_dispatch_did_not_say(steps, at_second_build, whole):
    assert Board(steps).spent.short() == "tokens unknown · cost unknown"
    assert Board(steps, events=at_second_build).spent.total("tokens_in") == 6000
    spent = Board(steps, events=whole).spent
    assert spent.total("tokens_in") is None
    assert spent.words("tokens_in") == "at least 7.2k"


def test_what_is_left_is_the_median_times_the_stages_on_the_way(steps, at_second_build):
    board = Board(steps, events=at_second_build)
    now = figures.moment(at_second_build[-1]["ts"])
    # Took 41, 12, 63, 95 and 38 seconds; build and qa are left.
    assert sorted(round(each) for each in board.took) == [12, 38, 41, 63, 95]
    assert time_left(board, now) == 82.0
    assert time_left(board, now + 100) == 41.0


def test_nothing_is_foretold_from_one_dispatch_or_while_a_person_is_asked(steps, at_gate):
    first = at_gate[:4]
    assert time_left(Board(steps, events=first), figures.moment(first[-1]["ts"])) is None
    assert time_left(Board(steps, events=at_gate), figures.moment(at_gate[-1]["ts"])) is None


def test_steps_that_were_passed_over_are_not_needed(steps, at_gate):
    skipping = [e for e in at_gate if e.get("key") != "design"]
    assert Board(steps, events=skipping).rows["design"].state == "skipped"


def test_activity_is_what_the_row_last_did(steps, at_second_build):
    board = Board(steps, events=at_second_build)
    board.activity("build/2", "run", {"command": "pytest -q"})
    assert board.rows["build"].last == "runs pytest -q"
    board.activity("build/2", "text", {"text": "\n\nI will fix the rounding.\nThen…"})
    assert board.rows["build"].last == "I will fix the rounding."
    board.activity("unknown/9", "run", {})


def test_child_runs_are_rows_below_the_step_that_started_them(wave):
    board = Board(events=wave)
    below = board.rows["run_item"].children
    assert {key: row.state for key, row in below.items()} == {
        "item/US-7": "running",
        "item/US-8": "failed",
    }
    assert below["item/US-7"].now_at() == "testing round 2"
    assert board.run == "T001-k3f9"
    assert board.status == "active"


def test_members_of_a_cluster_are_rows_below_it(at_gate):
    event = {
        **at_gate[2],
        "key": "plan-review/3/plan-auditor",
        "step": "plan_review",
        "role": "plan-auditor",
    }
    row = Board(events=[at_gate[0], event]).rows["plan_review"]
    assert (row.name, row.round, row.state) == ("plan-review", 3, "running")
    assert list(row.children) == ["plan-auditor"]


def test_a_view_that_joins_late_or_reads_another_version_shows_less_and_never_fails(steps, whole):
    for start in range(len(whole)):
        Board(steps, events=whole[start:])
    for event in whole:
        Board(steps, events=[{"type": event["type"], "run": "x"}])
    Board(steps, events=[{}])


def test_a_stale_gate_asks_again(steps, at_second_build):
    stale = {
        **at_second_build[-1],
        "type": "gate.stale",
        "key": "approve-build",
        "because": ["plan.md"],
    }
    row = Board(steps, events=[*at_second_build, stale]).rows["approve_build"]
    assert (row.state, row.last) == ("stale", "changed: plan.md")
