"""The work of a run as a tree."""

from __future__ import annotations

from typing import Any

from tests.views.conftest import Harness
from tests.web.pages.crowds import Crowd, wide_run

from podium.views.board.board import Board
from podium.web.pages.tree import MOST, Node, chosen, tree


def named(nodes: list[Node] | tuple[Node, ...]) -> dict[str, Node]:
    return {each.name: each for each in nodes}


def test_steps_stand_in_order_with_what_they_said(at_second_build: list[dict[str, Any]]) -> None:
    found = tree(Board(Harness.steps.values(), events=at_second_build))
    assert [each.name for each in found] == [
        "specification",
        "design",
        "implementation-planning",
        "approve-build",
        "build",
        "qa",
        "approve-completion",
    ]
    nodes = named(found)
    assert (nodes["build"].state, nodes["build"].key) == ("running", "build/2")
    assert (nodes["qa"].state, nodes["qa"].key) == ("failed", "qa/1")
    assert "AC1 fails" in nodes["qa"].said
    assert nodes["approve-build"].role == "ada"


def test_child_runs_stand_below_the_step_that_started_them(wave: list[dict[str, Any]]) -> None:
    (home,) = tree(Board(events=wave))
    items = named(home.below)
    assert {name.rpartition("/")[2]: each.state for name, each in items.items()} == {
        "US-7": "running",
        "US-8": "failed",
    }
    (inside,) = next(each for name, each in items.items() if name.endswith("US-7")).below
    assert (inside.name, inside.key) == ("testing", "item/US-7/testing/2")


def test_thirty_agents_are_all_shown() -> None:
    told = wide_run(30)
    (swarm, *_) = tree(Board(Crowd.steps.values(), events=told))
    assert (len(swarm.below), swarm.left_out, swarm.whole) == (30, 0, 30)
    assert swarm.open


def test_of_hundreds_those_that_need_a_look_stay() -> None:
    nodes = [Node(str(at), "failed" if at == 7 else "done") for at in range(500)]
    kept, gone = chosen(nodes)
    assert (len(kept), gone) == (MOST, 500 - MOST)
    assert "7" in [each.name for each in kept]
    assert kept[-1].name == "499"


def test_hostile_names_break_nothing(attack: list[dict[str, Any]]) -> None:
    assert tree(Board(Harness.steps.values(), events=attack))
