"""Steps as a list: all of them, or those below a cluster, a wave or an item."""

from __future__ import annotations

from tests.views import teams

from podium.views.ledger import Ledger
from podium.views.step_list import below, listed

STEPS = {step.name: step for step in teams.LINE}


def test_below_a_cluster_are_its_members_and_the_check_that_judges_them():
    ledger = Ledger(teams.to_waves().events)
    assert [each.key for each in below(ledger.steps, "ct/1", STEPS)] == ["ct/1/ct-security", "ct/1/ct-strategy", "ct-verdict/1"]
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
