from __future__ import annotations

import pytest

from podium.workflows.ticket.iterations import (
    Commit,
    Plan,
    Stop,
    after_review,
    refresh_needed,
    spoken,
)


@pytest.mark.parametrize(
    ("number", "accepted", "move"),
    [
        (0, True, Commit(0)),
        (0, False, Plan(1)),
        (3, False, Plan(4)),
        (4, True, Commit(4)),
        (4, False, Stop("MAXIMUM ITERATIONS REACHED (5/5). STOPPING.")),
        (9, False, Stop("MAXIMUM ITERATIONS REACHED (5/5). STOPPING.")),
    ],
)
def test_the_fifth_rejection_stops(number: int, accepted: bool, move: object):
    assert after_review(number, accepted=accepted) == move


def test_a_policy_may_set_another_limit():
    assert after_review(1, accepted=False, limit=2) == Stop(
        "MAXIMUM ITERATIONS REACHED (2/2). STOPPING."
    )


def test_people_count_from_one():
    assert spoken(0) == "iteration 1 of 5"


@pytest.mark.parametrize(
    ("trusted", "changed", "needed"),
    [
        (True, ("src/a.py",), False),
        (False, (), True),
        (True, ("web/package.json",), True),
        (True, ("app/build.gradle.kts",), True),
    ],
)
def test_documentation_is_refreshed_where_it_was_not_trusted_or_the_layout_changed(
    trusted: bool, changed: tuple, needed: bool
):
    assert refresh_needed(docs_trusted=trusted, changed=changed) is needed
