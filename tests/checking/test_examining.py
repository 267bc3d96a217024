"""Each workflow that is wrong on purpose is found out by the check that is there for it, with a
story that shows it.
"""

from __future__ import annotations

import pytest
from tests.fakes import broken_workflows as broken
from tests.fakes.workflows import EveryKind, Sample

from podium.checking.examining import CLAIMS, examine
from podium.checking.spending import worst_case
from podium.core.explore import explore
from podium.core.retry import Policy
from podium.core.workflow import Workflow

WRONG: list[tuple[type[Workflow], str, str, tuple[tuple[str, str], ...]]] = [
    (
        broken.Bypassing,
        "approval bypassed",
        "build can begin without approve approved",
        (("plan", "revise"),),
    ),
    (
        broken.Renewing,
        "approval bypassed",
        "build can begin on files that were written again after approve approved",
        (("plan", "ok"), ("approve", "approved"), ("build", "revise"), ("replan", "ok")),
    ),
    (
        broken.Gateless,
        "missing gate",
        "build must be approved by 'aprove', which is not a gate of this workflow",
        (),
    ),
    (
        broken.Endless,
        "endless loop",
        "build to test can go round for ever: no counter ends it and no person is asked",
        (("plan", "ok"), ("approve", "approved"), ("build", "ok"), ("test", "fail")),
    ),
    (
        broken.DeadOutcome,
        "dead outcome",
        "build declares abstain, which can never happen there",
        (),
    ),
    (broken.Unreachable, "unreachable step", "no run ever comes to review", ()),
    (
        broken.ReadsTooEarly,
        "read before it is made",
        "review must read plan.md, and on this way nobody has written it",
        (),
    ),
    (
        broken.TwoProducers,
        "two producers",
        "notes.md must be written by build and tell: one of them undoes the other's work",
        (),
    ),
    (
        broken.Racing,
        "two producers",
        "several agents of build write notes.md at the same time",
        (("plan", "ok"), ("approve", "approved")),
    ),
    (
        broken.BrokenContract,
        "broken contract",
        "the contract of build raises KeyError: 'build'",
        (("plan", "ok"), ("approve", "approved")),
    ),
]


@pytest.mark.parametrize(
    ("kind", "name", "detail", "path"), WRONG, ids=[each[0].__name__ for each in WRONG]
)
def test_what_is_wrong_is_found_with_the_way_that_shows_it(
    kind: type[Workflow], name: str, detail: str, path: tuple[tuple[str, str], ...]
) -> None:
    found = [each for each in examine(kind()).violations if each.name == name]
    assert [(each.detail, each.path) for each in found] == [(detail, path)]


@pytest.mark.parametrize("kind", [broken.Sound, Sample, EveryKind])
def test_a_sound_workflow_is_called_sound(kind: type[Workflow]) -> None:
    found = examine(kind())
    assert found.violations == ()
    assert list(CLAIMS) == found.claims()[: len(CLAIMS)]


@pytest.mark.parametrize("kind", [each[0] for each in WRONG])
def test_no_claim_is_made_that_a_violation_breaks(kind: type[Workflow]) -> None:
    found = examine(kind())
    names = {each.name for each in found.violations}
    assert all(names.isdisjoint(CLAIMS[claim]) for claim in found.claims() if claim in CLAIMS)
    assert len(found.claims()) < len(CLAIMS)


def test_every_kind_of_violation_belongs_to_a_claim() -> None:
    known = {name for names in CLAIMS.values() for name in names}
    assert {name for _, name, _, _ in WRONG} <= known


def test_a_step_that_writes_code_is_told_with_its_approval() -> None:
    (build,) = examine(broken.Sound()).approvals
    assert (build.step, build.code, build.gates, build.person) == (
        "build",
        True,
        ("approve",),
        True,
    )
    (build,) = examine(broken.Bypassing()).approvals
    assert build.person is False


def test_workflows_of_child_runs_are_examined_too() -> None:
    assert [each.found.workflow.name for each in examine(EveryKind()).family()] == [
        "every-kind",
        "sample",
    ]


def test_files_are_told_with_those_who_write_them() -> None:
    assert examine(broken.TwoProducers()).artifacts == {
        "notes.md": ["build", "tell"],
        "plan.md": ["plan"],
    }


def test_nothing_is_said_to_hold_where_the_walk_came_to_no_end() -> None:
    found = examine(broken.Growing(), lambda workflow: explore(workflow, limit=200))
    assert [each.name for each in found.violations] == ["unbounded"]
    assert found.claims() == []
    assert worst_case(found.found, Policy(), {}) == {"dispatches": None, "stage_runs": None}
