"""Rules in words: each form holds, or is broken on exactly the way that is shown."""

from __future__ import annotations

from typing import Literal

import pytest

from podium import Document, Policy, Rule, Run, Workflow, agent, check, gate, parallel
from podium.core.explore import explore

PLAN = Document("plan.md", sections=["Goal"])


class Release(Workflow):
    """A plan is approved, built, reviewed and accepted; both gates can send back."""

    class Settings(Policy):
        tries: int = 2

    class State(Run):
        plans: int = 0
        fixes: int = 0

    @agent("planner", writes=[PLAN])
    def plan(self, run: State, outcome: Literal["done"]) -> Literal["approve_plan"]:
        return "approve_plan"

    @gate("Build this?", shows=[PLAN])
    def approve_plan(
        self, run: State, outcome: Literal["approve", "reject", "as_it_is"]
    ) -> Literal["build", "plan"]:
        if outcome != "reject":
            return "build"
        if run.plans == self.settings.tries:
            raise self.stop("planned too often")
        run.plans += 1
        return "plan"

    @agent("developer", reads=[PLAN], code="write", proof=["test"])
    def build(self, run: State, outcome: Literal["done"]) -> Literal["look"]:
        return "look"

    @parallel(
        {
            "quality": agent("reviewer", code="read", verdict=["ship", "iterate"]),
            "security": agent("auditor", code="read", verdict=["ship", "block"]),
        }
    )
    def look(self, run: State, outcome: Literal["pass", "fail"]) -> Literal["test", "polish"]:
        return "test" if outcome == "pass" else "polish"

    @agent("developer", code="write", proof=["test"])
    def polish(self, run: State, outcome: Literal["done"]) -> Literal["test"]:
        return "test"

    @check("test")
    def test(self, run: State, outcome: Literal["pass", "fail"]) -> Literal["accept", "build"]:
        if outcome == "pass":
            return "accept"
        if run.fixes == self.settings.tries:
            raise self.stop("fixed too often")
        run.fixes += 1
        return "build"

    @gate("Release it?")
    def accept(self, run: State, outcome: Literal["approve", "stop"]) -> Literal["done"]:
        if outcome == "stop":
            raise self.stop("not released")
        return "done"


HOLDS = (
    "build only after approve_plan",
    "build only after plan",
    "done only after accept approves",
    "done only after test passes",
    "look only after build done",
    "build only after approve_plan approves or approve_plan as_it_is or test fails",
    "never accept after test fails",
    "build at most 3 times",
    "build at most 3 times in all",
    "every plan is followed by approve_plan",
    "every polish is followed by test",
    "no path skips test",
    "at most 2 agents at once",
    "plan and build never by the same role",
    "look and build never by the same role",
)

PLANNED = ("plan", "done"), ("approve_plan", "approved")
BROKEN = {
    # A person may also build the plan as it is.
    "build only after approve_plan approves": (("plan", "done"), ("approve_plan", "as_it_is")),
    # Whoever polishes changes the code that was looked at.
    "done only after look passes": (
        *PLANNED,
        ("build", "done"),
        ("look", "fail"),
        ("polish", "done"),
        ("test", "pass"),
        ("accept", "approved"),
    ),
    "never test after look fails": (
        *PLANNED,
        ("build", "done"),
        ("look", "fail"),
        ("polish", "done"),
    ),
    "plan at most 2 times": (
        ("plan", "done"),
        ("approve_plan", "reject"),
        ("plan", "done"),
        ("approve_plan", "reject"),
    ),
    "every build is followed by polish": (
        *PLANNED,
        ("build", "done"),
        ("look", "pass"),
        ("test", "pass"),
        ("accept", "approved"),
    ),
    "no path skips polish": (
        *PLANNED,
        ("build", "done"),
        ("look", "pass"),
        ("test", "pass"),
        ("accept", "approved"),
    ),
    "at most 1 agent at once": (),
    "build and polish never by the same role": (),
}


def violations(text: str) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    class Ruled(Release):
        rules = (Rule(text),)

    walked = explore(Ruled())
    assert walked.complete
    return [(fault.name, fault.path) for fault in walked.violations]


@pytest.mark.parametrize("text", HOLDS)
def test_a_rule_that_every_way_keeps_is_proven(text: str) -> None:
    assert violations(text) == []


@pytest.mark.parametrize("text", BROKEN)
def test_a_rule_that_some_way_breaks_is_shown_with_the_shortest(text: str) -> None:
    assert violations(text) == [(text, BROKEN[text])]


def test_an_approval_of_a_document_ends_when_the_document_is_written_again() -> None:
    class Late(Release):
        rules = (Rule("accept only after approve_plan approves"),)

        @agent("scribe", reads=[PLAN], writes=[PLAN])
        def test(self, run: Release.State, outcome: Literal["done"]) -> Literal["accept"]:
            return "accept"

    [broken] = [fault for fault in explore(Late()).violations if fault.name == Late.rules[0].text]
    assert broken.path[-1] == ("test", "done")
    assert broken.detail == "accept begins here, against the rule"


@pytest.mark.parametrize(
    ("text", "why"),
    {
        "build after approve_plan": "has none of the known forms: A only after B;",
        "": "has none of the known forms",
        "biuld only after plan": "names the step 'biuld'; did you mean build?",
        "build only after done": "names the step 'done'",
        "build only after approve_plan aproves": "can end with: approve, reject, as_it_is",
        "never build after test explodes": "can end with: pass, fail",
        "done at most 1 times": "names the step 'done'",
        "build only after plan done; done": "can end with: done",
    }.items(),
)
def test_a_rule_that_says_nothing_provable_is_refused(text: str, why: str) -> None:
    with pytest.raises(TypeError, match=r"(?s).*") as refused:
        violations(text)
    assert why in str(refused.value)
