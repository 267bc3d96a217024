"""How far, and for how much."""

from __future__ import annotations

from typing import Any

from tests.views.conftest import Harness

from podium.views.board.board import Board
from podium.views.board.spent import Spent
from podium.views.report.ledger import Ledger
from podium.web.pages.progress import by_role, progress, said


def test_what_no_agent_said_is_unknown_and_never_nought() -> None:
    spent = Spent()
    spent.add({"tokens_in": 5, "cost_usd": None})
    assert [said(spent, axis) for axis in ("tokens_in", "tokens_out", "cost_usd")] == [
        "5",
        "unknown",
        "unknown",
    ]
    spent.add({"cost_usd": 0.5})
    assert said(spent, "cost_usd") == "at least $0.50"


def test_a_true_nought_is_shown_as_one() -> None:
    spent = Spent()
    spent.add({"cost_usd": 0.0})
    assert said(spent, "cost_usd") == "$0.00"


def test_roles_are_summed_with_the_tries_that_failed(whole: list[dict[str, Any]]) -> None:
    lines = {each.role: each for each in by_role(Ledger(whole).steps)}
    assert list(lines) == ["build", "feature-design", "po-spec", "qa", "tech-lead", "All"]
    assert (lines["build"].dispatches, lines["build"].silent, lines["build"].cost) == (
        3,
        2,
        "at least $0.01",
    )
    assert lines["All"].dispatches == 8


def test_a_run_counts_its_steps(at_gate: list[dict[str, Any]], whole: list[dict[str, Any]]) -> None:
    under_way, over = (
        progress(Board(Harness.steps.values(), events=each)) for each in (at_gate, whole)
    )
    assert under_way is not None
    assert (under_way.words, under_way.percent) == ("3 of 7 steps", 42)
    assert over is not None
    assert over.percent == 100


def test_a_run_without_a_workflow_has_no_number_to_show() -> None:
    assert progress(Board()) is None
