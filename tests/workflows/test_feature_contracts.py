"""What each agent of a feature sees and may write: exactly what the tables of the workflow say,
and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from podium.core.contract import Contract
from podium.core.run import Run
from podium.workflows.feature import contracts, planning
from podium.workflows.feature.clusters.clusters import RESEARCH_MEMBERS
from podium.workflows.feature.run import FeatureRun

FOLDER = "docs/feature/words"
TASKS = {
    name: {
        "path": f"{FOLDER}/tasks/{name}.md",
        "agent": agent,
        "depends_on": [],
        "essence": "",
        "changed": [],
    }
    for name, agent in (("01-a", "implementer"), ("02-b", "documentation-writer"))
}
ALWAYS = {"initial-request.md", "memory.md"}
BOTH = {"tasks/01-a.md", "tasks/02-b.md"}
CT = ("ct-security", "ct-scalability", "ct-maintainability", "ct-strategy")
RUN: dict[str, Any] = {"slug": "words", "tasks": TASKS}


def run(step: str = "x", **members: Any) -> FeatureRun:
    return FeatureRun(step=step, **{**RUN, **members})


def of(contract: Callable[[str, Run], Contract], name: str) -> Callable[[Run], Contract]:
    return lambda at: contract(name, at)


def reads(contract: Contract) -> set[str]:
    return {each.path.removeprefix(f"{FOLDER}/") for each in contract.inputs}


def writes(contract: Contract) -> set[str]:
    return {each.path.removeprefix(f"{FOLDER}/") for each in contract.outputs}


TABLE: list[tuple[str, Callable[[Run], Contract], set[str], set[str], str]] = [
    *(
        (
            f"researcher {each}",
            of(contracts.research, each),
            set[str](),
            {f"research/{each}.md"},
            "read",
        )
        for each in RESEARCH_MEMBERS
    ),
    (
        "synthesis",
        contracts.synthesis,
        {f"research/{each}.md" for each in RESEARCH_MEMBERS},
        {"analysis.md", "memory.md"},
        "none",
    ),
    ("spec", contracts.spec, {"analysis.md"}, {"feature.md", "memory.md"}, "none"),
    (
        "designer",
        contracts.design,
        {"analysis.md", "feature.md"},
        {"design.md", "memory.md"},
        "none",
    ),
    *(
        (
            each,
            of(contracts.ct, each),
            {"design.md", "feature.md"},
            {f"ct-review/{each}.md"},
            "none",
        )
        for each in CT
    ),
    (
        "implementer",
        of(contracts.task, "01-a"),
        {"tasks/01-a.md", "feature.md", "design.md"},
        {"tasks/01-a.md"},
        "write",
    ),
    (
        "documentation-writer",
        of(contracts.task, "02-b"),
        {"tasks/02-b.md", "feature.md", "design.md"},
        {"tasks/02-b.md"},
        "write",
    ),
    (
        "v-build",
        contracts.v_build,
        {"feature.md", "design.md", "plan.md"} | BOTH,
        {"verification/v-build.md"},
        "read",
    ),
    (
        "v-tests",
        of(contracts.v, "v-tests"),
        {"verification/v-build.md"},
        {"verification/v-tests.md"},
        "read",
    ),
    (
        "v-tasks",
        of(contracts.v, "v-tasks"),
        {"verification/v-build.md", "plan.md"} | BOTH,
        {"verification/v-tasks.md"},
        "read",
    ),
    (
        "v-feature",
        of(contracts.v, "v-feature"),
        {"verification/v-build.md", "feature.md"},
        {"verification/v-feature.md"},
        "read",
    ),
    *(
        (f"r-{each}", of(contracts.r, f"r-{each}"), set[str](), {f"review/r-{each}.md"}, "read")
        for each in ("quality", "security", "testing")
    ),
    (
        "r-knowledge",
        of(contracts.r, "r-knowledge"),
        {"decisions.md"},
        {"review/r-knowledge.md", "review/knowledge-suggestions.md", "decisions.md"},
        "none",
    ),
]


@pytest.mark.parametrize(
    ("name", "contract", "inputs", "outputs", "code"), TABLE, ids=[each[0] for each in TABLE]
)
def test_each_agent_sees_what_the_tables_say_and_nothing_else(
    name: str, contract: Callable[[Run], Contract], inputs: set[str], outputs: set[str], code: str
) -> None:
    found = contract(run())
    assert reads(found) == ALWAYS | inputs
    assert writes(found) == outputs
    assert (found.code, found.protected, found.hidden) == (
        code,
        contracts.PROTECTED,
        contracts.HIDDEN,
    )
    assert found.dialect == (
        "feature-review"
        if name in {"v-tests", "v-tasks", "v-feature", "r-quality", "r-security", "r-testing"}
        else "feature"
    )


def test_the_planner_sees_analysis_specification_and_design_and_writes_plan_and_tasks() -> None:
    found = planning.plan(run(tasks={}, planning=1))
    assert reads(found) == ALWAYS | {"analysis.md", "feature.md", "design.md"}
    assert writes(found) == {"plan.md", "tasks/*.md", "memory.md"}
    assert found.code == "none"


@pytest.mark.parametrize(
    ("members", "more"),
    [
        ({"planning": 1, "constrained": True, "tasks": {}}, {"design_critical_review.md"}),
        ({"planning": 1}, {"plan.md"} | BOTH),
        ({"planning": 2}, {"plan.md", "verifier.md", "review.md"} | BOTH),
        (
            {"planning": 2, "constrained": True},
            {"plan.md", "verifier.md", "review.md", "design_critical_review.md"} | BOTH,
        ),
    ],
    ids=["constrained", "rejected", "replan", "both"],
)
def test_the_planner_sees_more_where_there_is_more(members: dict[str, Any], more: set[str]) -> None:
    assert (
        reads(planning.plan(run(**members)))
        == ALWAYS | {"analysis.md", "feature.md", "design.md"} | more
    )


def test_a_design_that_was_sent_back_comes_with_the_review_and_itself() -> None:
    found = contracts.design(run(ct_loops=1))
    assert reads(found) == ALWAYS | {
        "analysis.md",
        "feature.md",
        "design.md",
        "design_critical_review.md",
    }
    assert found.told == (
        "The review sent the design back: settle every Critical and High finding.",
    )


def test_a_fix_pass_comes_with_the_review() -> None:
    found = contracts.task("01-a", run("r_fix"))
    assert reads(found) == ALWAYS | {"tasks/01-a.md", "feature.md", "design.md", "review.md"}
    assert "Fix what review.md finds" in found.told[1]


def test_reviewers_get_the_difference_of_all_code_and_are_told_tier_and_paths() -> None:
    for role in ("r-quality", "r-security", "r-testing"):
        found = contracts.r(role, run(tier="Full", touched=["src/a.py", "src/b.py"]))
        assert found.changes == f"{FOLDER}/review/changes.patch"
        assert found.told == ("Review tier: Full.", "Changed files: src/a.py, src/b.py")
    found = contracts.r("r-knowledge", run())
    assert found.changes == ""
    assert found.told == ("Review tier: Standard.", "Changed files: none")


def test_security_that_is_asked_again_is_told_why() -> None:
    assert "Look again" in contracts.r("r-security", run("r_security")).told[-1]


MAY_WRITE_MEMORY = {"synthesis", "spec", "designer"}


@pytest.mark.parametrize(
    ("name", "contract"), [each[:2] for each in TABLE], ids=[each[0] for each in TABLE]
)
def test_only_agents_that_work_alone_may_write_the_memory(
    name: str, contract: Callable[[Run], Contract]
) -> None:
    outputs = [each for each in contract(run()).outputs if each.path == f"{FOLDER}/memory.md"]
    assert bool(outputs) == (name in MAY_WRITE_MEMORY)
    assert all(each.optional for each in outputs)


def test_the_planner_works_alone_too() -> None:
    (memory,) = [each for each in planning.plan(run(planning=1)).outputs if each.name == "memory"]
    assert memory.optional


def test_everybody_is_asked_once_more_and_those_who_write_code_only_for_an_answer_that_cannot_be_read() -> (  # noqa: E501
    None
):
    for name, contract, *_ in TABLE:
        own = contract(run()).retries
        assert own == (
            {"error": 0, "total": 1}
            if name in {"implementer", "documentation-writer"}
            else {"error": 1, "total": 1}
        )
    assert planning.plan(run(planning=1)).retries == {"error": 1, "total": 1}


def test_who_writes_code_must_show_a_change_and_may_tick_its_own_boxes() -> None:
    found = contracts.task("01-a", run())
    assert found.proof_of_change == "standing"
    (own,) = found.outputs
    assert own.optional
    assert own.check is not None
    assert own.check("- [x] a\n", "- [ ] a\n") == ()
    assert own.check("- [x] b\n", "- [ ] a\n") != ()


def test_only_documents_of_the_verification_may_be_blank() -> None:
    blank = {
        name for name, contract, *_ in TABLE if any(each.blank for each in contract(run()).outputs)
    }
    assert blank == {"v-build", "v-tests", "v-tasks", "v-feature"}


@pytest.mark.parametrize(("strict", "faults"), [(False, 0), (True, 9)])
def test_sections_are_required_where_the_policy_says_so(strict: bool, faults: int) -> None:
    check = contracts.spec(run(strict=strict)).outputs[0].check
    assert check is not None
    assert len(check("# F\n\nWords.\n", "")) == faults


@pytest.mark.parametrize(
    ("name", "contract"), [each[:2] for each in TABLE], ids=[each[0] for each in TABLE]
)
def test_the_shortest_document_is_good_also_where_sections_are_required(
    name: str, contract: Callable[[Run], Contract]
) -> None:
    for each in contract(run(strict=True)).outputs:
        if each.compose is not None and each.check is not None:
            assert each.check(each.compose({}, "", {}), "") == ()


def test_what_makes_a_finished_step_stale_is_what_it_is_about_and_not_the_memory() -> None:
    def material(contract: Contract) -> set[str]:
        return {each.name for each in contract.inputs if each.material}

    assert material(contracts.spec(run())) == {"analysis"}
    assert material(contracts.ct("ct-security", run())) == {"feature", "design"}
    assert material(contracts.v("v-tests", run())) == {"v-build"}
    assert all("memory" not in material(contract(run())) for _, contract, *_ in TABLE)
