"""Every role's built-in definition has its six parts, and names what its contracts really
demand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.resources import files
from itertools import pairwise
from typing import Any

import pytest

from podium.core.contract import Contract
from podium.core.effects import Stage
from podium.formats.agent_file import parse
from podium.formats.markdown import scan
from podium.settings import policies
from podium.wiring import scaffold_text
from podium.workflows.catalog import entry
from podium.workflows.feature import contracts as feature
from podium.workflows.feature import planning as feature_planning
from podium.workflows.feature.clusters.clusters import RESEARCH_MEMBERS
from podium.workflows.feature.run import FeatureRun
from podium.workflows.harness.run import HarnessRun
from podium.workflows.harness.workflow import Harness
from podium.workflows.roadmap import contracts as roadmap
from podium.workflows.roadmap.planner.plan import _contract as roadmap_plan
from podium.workflows.roadmap.runs import ItemRun, PlanRun
from podium.workflows.ticket import contracts as ticket
from podium.workflows.ticket.run import TicketRun

PARTS = (
    "Purpose",
    "What you get",
    "What you write",
    "What good looks like",
    "What you must not do",
    "How to report",
)
GOVERNED = (
    "planner",
    "code-mapper",
    "researcher",
    "core-implementer",
    "ui-implementer",
    "platform-engineer",
    "technical-writer",
    "browser-tester",
    "code-reviewer",
    "plan-auditor",
    "assumption-verifier",
    "executability-verifier",
)
LINE = 115


# -- the contracts of every workflow, with sample runs whose names are the placeholders of the
# definitions


def of_harness() -> Iterator[Contract]:
    workflow = entry("harness").sample(
        policies.defaults("harness"), lambda _: None, lambda path: scaffold_text("harness", path)
    )
    assert isinstance(workflow, Harness)
    paths = {
        each.output: each.path.replace("{task}", "<task>")
        for each in workflow.stages
        if each.output
    }
    run = HarnessRun(step="qa", task_id="<task>", artifacts=paths)
    for step in workflow.steps.values():
        if isinstance(step.effect, Stage):
            yield step.effect.contract(run)


def of_roadmap() -> Iterator[Contract]:
    yield roadmap_plan(PlanRun(step="plan", file="roadmap.json", goal="x"))
    for step in ("research", "architect", "implement", "validate", "testing", "review"):
        yield roadmap.contract(
            step, ItemRun(step=step, id="<number>-<words>", title="t", complexity="complex")
        )


def of_feature() -> Iterator[Contract]:
    agents = ("implementer", "documentation-writer")
    known: Mapping[str, Any] = {
        each: {"path": f"docs/feature/x/tasks/{each}.md", "agent": each, "depends_on": []}
        for each in agents
    }
    run = FeatureRun(step="x", slug="x", tasks=dict(known))
    yield from (feature.research(each, run) for each in RESEARCH_MEMBERS)
    yield from (
        make(run)
        for make in (
            feature.synthesis,
            feature.spec,
            feature.design,
            feature.v_build,
            feature_planning.plan,
        )
    )
    yield from (
        feature.ct(f"ct-{each}", run)
        for each in ("security", "scalability", "maintainability", "strategy")
    )
    yield from (feature.task(each, run) for each in agents)
    yield from (feature.v(f"v-{each}", run) for each in ("tests", "tasks", "feature"))
    yield from (
        feature.r(f"r-{each}", run) for each in ("quality", "security", "testing", "knowledge")
    )


def of_ticket() -> Iterator[Contract]:
    for strategy, trivial in (("parallel", False), ("sequential", False), ("sequential", True)):
        order = [{"group": "A", "strategy": strategy, "tasks": ["T1"]}]
        run = TicketRun(
            step="develop",
            jira="P-1",
            trivial=trivial,
            batch=["T1"],
            scopes={"T1": ["a.py"]},
            order=order,
        )
        yield ticket.task("T1", run)
    for make in (
        ticket.interpreter,
        ticket.planner,
        ticket.initializer,
        ticket.splitter,
        ticket.task_review,
        ticket.prompt_review,
    ):
        yield make(run)


CONTRACTS = {
    "harness": of_harness,
    "roadmap": of_roadmap,
    "feature": of_feature,
    "ticket": of_ticket,
}
PLACEHOLDERS = {
    **{f"research/{each}.md": "research/<focus-area>.md" for each in RESEARCH_MEMBERS},
    "tasks/*.md": "tasks/NN-description.md",
    "docs/adr/*.md": "docs/adr/ADR-<number>-<words>.md",
    "tasks/implementer.md": "your task file",
    "tasks/documentation-writer.md": "your task file",
}
"""How a definition speaks of a file whose name is not known beforehand."""


@cache
def every_contract() -> list[tuple[str, Contract]]:
    return [(name, each) for name, make in CONTRACTS.items() for each in make()]


def definition(workflow: str, role: str) -> str:
    return (
        files(f"podium.workflows.{workflow}") / "scaffold" / "roles" / f"{role}-agent.md"
    ).read_text(encoding="utf-8")


def named(contract: Contract) -> list[str]:
    """The outputs in the words of a definition."""
    found = []
    for each in contract.outputs:
        path = re.sub(
            r"^(docs/feature/x|prompts/P-1(/iteration_\d+)?|harness/artifacts/\w+)/", "", each.path
        )
        found.append(PLACEHOLDERS.get(path, path))
    return found


def words(schema: Mapping[str, Any]) -> Iterator[str]:
    """Every word that a required member of the verdict object may hold."""
    for name in schema.get("required", ()):
        member = schema["properties"][name]
        yield from member.get("enum", ())
        yield from words(member)


def dialect_words(workflow: str, contract: Contract) -> list[str]:
    return list(words(entry(workflow).dialects()[contract.dialect].schema))


CASES = [
    pytest.param(name, each, id=f"{name}-{each.role}-{each.dialect}-{at}")
    for at, (name, each) in enumerate(every_contract())
]
ROLES = sorted(
    {(name, each.role) for name, each in every_contract()}
    | {("governed", role) for role in GOVERNED}
)


@pytest.mark.parametrize("name", CONTRACTS)
def test_these_are_all_roles_there_are(name: str) -> None:
    shipped = {
        each.name.removesuffix("-agent.md")
        for each in (files(f"podium.workflows.{name}") / "scaffold" / "roles").iterdir()
    }
    known = {role for workflow, role in ROLES if workflow == name}
    told = set(
        entry(name)
        .sample(policies.defaults(name), lambda _: None, lambda path: scaffold_text(name, path))
        .roles()
    )
    assert shipped == known
    assert told <= known


@pytest.mark.parametrize(("workflow", "role"), ROLES)
def test_a_definition_has_its_six_parts_and_each_says_something(workflow: str, role: str) -> None:
    outline = scan(definition(workflow, role))
    titles = [
        each.title.replace("Limits", "What you must not do")
        for each in outline.headings
        if each.level == 2
    ]
    assert [title for title in titles if title in PARTS] == list(PARTS)
    starts = [each.line for each in outline.headings if each.level == 2] + [len(outline.lines)]
    for begin, end in pairwise(starts):
        said = " ".join(
            line for line in outline.lines[begin + 1 : end] if not line.startswith("#")
        ).split()
        assert len(said) >= 12, f"{outline.lines[begin]} says {len(said)} words"


@pytest.mark.parametrize(("workflow", "role"), ROLES)
def test_a_definition_can_be_read_in_one_go(workflow: str, role: str) -> None:
    lines = definition(workflow, role).splitlines()
    assert 25 <= len(lines) <= 100
    assert [
        line for line in lines if len(line) > LINE and not line.lstrip().startswith(("{", '"', "|"))
    ] == []


@pytest.mark.parametrize(("workflow", "contract"), CASES)
def test_a_definition_names_every_file_that_its_contract_asks_for(
    workflow: str, contract: Contract
) -> None:
    text = " ".join(definition(workflow, contract.role).split())
    assert [each for each in named(contract) if each.casefold() not in text.casefold()] == []


@pytest.mark.parametrize(("workflow", "contract"), CASES)
def test_a_definition_names_every_word_that_its_verdict_may_hold(
    workflow: str, contract: Contract
) -> None:
    text = definition(workflow, contract.role)
    told = dialect_words(workflow, contract)
    assert told
    assert [each for each in told if not re.search(rf"[`\"]{re.escape(each)}[`\":]", text)] == []


@pytest.mark.parametrize("role", GOVERNED)
def test_a_governed_definition_names_every_status_of_its_object(role: str) -> None:
    pytest.importorskip(
        "podium.workflows.governed.payloads.vocabulary", reason="governed is not part of this tree"
    )
    told = " ".join(import_module("podium.workflows.governed.payloads.vocabulary").told(role))
    found = re.search(r'"status": ((?:"\w+"(?: \| )?)+)', told)
    assert found
    assert [
        each
        for each in re.findall(r'"(\w+)"', found[1])
        if f"`{each}`" not in definition("governed", role)
    ] == []


@pytest.mark.parametrize(("workflow", "contract"), CASES)
def test_who_may_not_change_code_is_not_told_that_they_may(
    workflow: str, contract: Contract
) -> None:
    said = "which you may change" in " ".join(definition(workflow, contract.role).split())
    assert not (said and contract.code != "write")


@pytest.mark.parametrize(("workflow", "role"), ROLES)
def test_a_definition_is_as_any_other_agent_file_without_a_doubt(workflow: str, role: str) -> None:
    found = parse(definition(workflow, role).encode(), f".podium/roles/{role}.md")
    assert (found.head, found.warnings) == ({}, ())
