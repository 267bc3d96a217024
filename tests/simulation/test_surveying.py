"""The rules of the specification, asked of every explored state."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.fakes.broken_workflows import Bypassing, Renewing, Sound
from tests.fakes.workflows import EveryKind

from podium.checking.examining import children
from podium.cli import catalog
from podium.core.explore import explore
from podium.core.workflow import Workflow
from podium.simulation.specified import rules_for
from podium.simulation.surveying import survey
from podium.simulation.watching import Rule, rule
from podium.workflows.harness.workflow import Harness
from podium.workflows.roadmap.item import RoadmapItem

BUILD = rule("gate", "build", ["approve approved"], ["plan", "replan"])


@pytest.mark.parametrize(
    ("kind", "ways"),
    [
        (Sound, []),
        (Bypassing, [(("plan", "revise"),)]),
        (
            Renewing,
            [(("plan", "ok"), ("approve", "approved"), ("build", "revise"), ("replan", "ok"))],
        ),
    ],
)
def test_the_shortest_way_around_a_rule_is_told(kind: type[Workflow], ways: list[Any]) -> None:
    found = survey(explore(kind()), [BUILD])
    assert [each.path for each in found] == ways
    assert all(
        (each.name, each.detail, each.at)
        == ("bypassed gate", "build without approve approved", "build")
        for each in found
    )


def test_a_rule_may_be_due_later_or_for_some_runs_only() -> None:
    later = rule("stage", "report", ["research ok"], [("approve", "rejected")], at_once=False)
    assert survey(explore(EveryKind()), [later])[0].path == (
        ("check_input", "known"),
        ("approve", "rejected"),
        ("research", "revise"),
        ("approve", "approved"),
        ("implement", "ok"),
    )
    assert (
        survey(
            explore(EveryKind()), [rule("stage", "report", ["research ok"], (), lambda _: False)]
        )
        == []
    )


def test_a_run_that_begins_at_the_target_has_skipped_what_is_before() -> None:
    assert survey(explore(Sound()), [rule("stage", "plan", ["research ok"])])[0].path == ()


@pytest.mark.parametrize("name", ["harness", "roadmap", "feature"])
def test_no_state_of_a_shipped_workflow_breaks_a_rule_of_its_specification(
    name: str, tmp_path: Path
) -> None:
    whole = catalog.workflow(name, tmp_path)
    for workflow in [whole, *children(whole)]:
        assert len(rules_for(workflow)) > 3
        assert survey(explore(workflow), rules_for(workflow)) == []


def test_where_the_policy_believes_agents_nobody_asks_for_the_programs_own_look() -> None:
    for trust in ("observe", "trust"):
        item = RoadmapItem(evidence=trust)
        assert ("done without verify pass" in said(rules_for(item))) == (trust == "observe")
        assert survey(explore(item), rules_for(item)) == []


def said(rules: list[Rule]) -> set[str]:
    return {each.said for each in rules}


def test_a_line_of_a_projects_own_is_held_to_what_it_has(tmp_path: Path) -> None:
    known = catalog.workflow("harness", tmp_path)
    assert isinstance(known, Harness)
    fewer = Harness([each for each in known.stages if each.name != "Design"])
    assert rules_for(fewer) == [], "the line of the specification is another one"
    assert "design without specification ok" in said(rules_for(known))
    assert rules_for(Sound()) == []
