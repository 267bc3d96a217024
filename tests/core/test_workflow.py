"""A workflow is a class, a step is a method, and its signature is the contract."""

from __future__ import annotations

from typing import Literal

import pytest
from tests.fakes.workflows import Sample, SampleRun, stage

from podium.core.effects import Check, Gate, Stage
from podium.core.run import Run
from podium.core.workflow import Step, Workflow, step


def test_the_two_literals_of_a_signature_are_outcomes_and_exits() -> None:
    qa = Sample.steps["qa"]
    assert (qa.outcomes, qa.exits) == (("ok", "revise"), ("done", "build"))
    assert isinstance(qa.effect, Stage)
    assert qa.loops


def test_steps_stand_in_the_order_they_are_written() -> None:
    assert list(Sample.steps) == ["planning", "approve_build", "build", "qa"]


def test_a_step_that_leads_nowhere_known_is_refused_when_the_class_is_made() -> None:
    with pytest.raises(TypeError, match=r"Lost\.work leads to unknown step 'biuld'"):

        class Lost(Workflow):
            start = "work"

            @step(stage("a"))
            def work(self, run: Run, outcome: Literal["ok"]) -> Literal["biuld"]:
                return "biuld"


def test_a_subclass_keeps_the_steps_it_does_not_change() -> None:
    class Stricter(Sample):
        @step(Check("the plan is small"))
        def planning(
            self, run: SampleRun, outcome: Literal["ok", "fail"]
        ) -> Literal["approve_build"]:
            return "approve_build"

    assert list(Stricter.steps) == list(Sample.steps)
    assert isinstance(Stricter.steps["planning"].effect, Check)
    assert isinstance(Sample.steps["planning"].effect, Stage)


def test_a_run_begins_at_the_start_with_its_first_visit_counted() -> None:
    run = Sample().first(remediations=1)
    assert isinstance(run, SampleRun)
    assert (run.step, run.visits, run.visit(), run.remediations) == (
        "planning",
        {"planning": 1},
        1,
        1,
    )
    assert Sample().variants() == (Sample().first(),)


@pytest.mark.parametrize(
    ("name", "base", "key_base"),
    [
        ("build", "", "build"),
        ("approve_build", "", "approve-build"),
        ("plan_review", "plan-review/x", "plan-review/x"),
    ],
)
def test_a_steps_keys_begin_with_its_name_written_with_dashes(
    name: str, base: str, key_base: str
) -> None:
    made = Step(name, Gate("?"), lambda *_: "done", ("approved",), ("done",), base=base)
    assert made.key_base == key_base


def test_phase_base_and_loops_are_kept() -> None:
    @step(stage("a"), phase="Build", base="b", loops=True)
    def build(self: Workflow, run: Run, outcome: Literal["ok"]) -> Literal["done"]:
        return "done"

    assert (build.name, build.phase, build.key_base, build.loops) == ("build", "Build", "b", True)
    assert not build.rare


def test_a_step_is_rare_where_it_says_so() -> None:
    @step(stage("a"), rare=True)
    def mend(self: Workflow, run: Run, outcome: Literal["ok"]) -> Literal["done"]:
        return "done"

    assert mend.rare
