"""The diagram of a run."""

from __future__ import annotations

from typing import Any

from tests.views.conftest import Harness
from tests.web.pages.looking import Page

from podium.web.pages.diagram import drawn, walked


def test_ways_that_were_taken_bear_their_outcomes(whole: list[dict[str, Any]]) -> None:
    edges = {(each.source, each.target): each for each in walked(Harness(), whole).edges}
    assert edges["qa", "build"].label == "revise"
    assert edges["qa", "build"].back
    assert edges["build", "qa"].label == "ok ×2"
    assert edges["specification", "design"].label == "ok"


def test_ways_back_that_nobody_took_are_left_out(at_gate: list[dict[str, Any]]) -> None:
    edges = [(each.source, each.target) for each in walked(Harness(), at_gate).edges]
    assert ("qa", "build") not in edges
    assert ("build", "qa") in edges


def test_the_step_at_hand_is_lit_and_no_style_is_carried(at_gate: list[dict[str, Any]]) -> None:
    page = Page(drawn(Harness(), at_gate, "approve_build"))
    assert page.faults == []
    assert [each["class"] for tag, each in page.tags if "aria-current" in each] == ["gate here"]
    assert not page.all("style")


def test_an_outcome_of_a_strange_journal_stays_text(attack: list[dict[str, Any]]) -> None:
    assert (
        Page(
            drawn(
                Harness(),
                [
                    *attack,
                    {
                        **attack[0],
                        "type": "run.advanced",
                        "from": "qa",
                        "to": "build",
                        "outcome": "<script>",
                    },
                ],
                "build",
            )
        ).faults
        == []
    )
