"""Steps as a list: all of them, or those below a cluster, a wave or an item."""

from __future__ import annotations

from tests.views import teams, tickets

from podium.views import safe
from podium.views.report.ledger import Ledger
from podium.views.step_list import about, below, listed

STEPS = {step.name: step for step in teams.LINE}


def test_below_a_cluster_are_its_members_and_the_check_that_judges_them():
    ledger = Ledger(teams.to_waves().events)
    assert [each.key for each in below(ledger.steps, "ct/1", STEPS)] == [
        "ct/1/ct-security",
        "ct/1/ct-strategy",
        "ct-verdict/1",
    ]
    assert len(below(ledger.steps, "ct", STEPS)) == 6
    assert below(ledger.steps, "nothing", STEPS) == []


def test_below_an_item_are_its_own_steps_in_order():
    ledger = Ledger(teams.second_attempt())
    keys = [each.key for each in below(ledger.steps, "item/US-2", {})]
    assert keys == ["item/US-2/implement/1", "item/US-2/testing/1", "item/US-2/implement/2"]


def test_a_line_says_how_it_ended_whose_it_was_and_what_it_said():
    ledger = Ledger(teams.to_waves().events)
    lines = listed(below(ledger.steps, "ct/1", STEPS)).splitlines()
    assert lines[0].split() == ["✓", "ct/1/ct-security", "2.5s", "DONE"]
    assert lines[2].startswith("✗ ct-verdict/1")
    assert lines[2].endswith("NEEDS_REVISION: design review — ct-security DONE with High")


def test_hostile_steps_are_harmless(attack):
    assert all(line.isprintable() for line in listed(Ledger(attack).steps).splitlines())


def test_steps_of_a_group_have_a_line_above_them_and_its_moves_are_left_out():
    lines = listed(Ledger(tickets.whole().told).steps).splitlines()
    assert [line for line in lines if line.startswith("── ")] == [
        "── iteration 1, group A, parallel: TASK-1, TASK-2, TASK-3",
        "── iteration 1, group B, sequential: TASK-4",
        "── iteration 1: all tasks are accepted",
    ]
    at = lines.index("── iteration 1, group A, parallel: TASK-1, TASK-2, TASK-3")
    assert lines[at + 1].startswith("✓ iteration/0/task/TASK-1/1")
    assert not any("next-group" in line for line in lines)


def test_the_steps_of_a_task_are_its_attempts_its_reviews_and_what_judged_it():
    records = Ledger(tickets.whole().told).steps
    assert [each.key for each in about(records, ["TASK-2"])] == [
        "iteration/0/task/TASK-2/1",
        "validate/1",
        "iteration/0/task/TASK-2/2",
        "validate/2",
    ]
    assert [each.key for each in about(records, ["TASK-4"])] == [
        "iteration/0/task/TASK-4/1",
        "iteration/0/review/TASK-4/1",
    ]
    assert about(records, ["TASK"]) == []


def test_in_a_narrow_place_keys_keep_their_ends_and_a_failure_has_lines_of_its_own():
    records = Ledger(tickets.whole().told).steps
    for width in (40, 60, 80):
        lines = listed(records, width=width).splitlines()
        assert all(safe.cells(line) <= width for line in lines)
    narrow = listed(about(records, ["TASK-2"]), width=40).splitlines()
    assert narrow[0].startswith("✓ …/0/task/TASK-2/1")
    at = next(place for place, line in enumerate(narrow) if "validate/1" in line)
    assert narrow[at].endswith("fail")
    assert narrow[at + 1] == "    test: 1 failed:"
