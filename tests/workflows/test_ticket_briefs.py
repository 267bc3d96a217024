from __future__ import annotations

from podium.workflows.ticket.briefs import SCOPE


def test_each_role_has_a_scope():
    assert set(SCOPE) == {
        "interpreter",
        "initializer",
        "planner",
        "splitter",
        "task-executor",
        "developer",
        "reviewer",
    }
