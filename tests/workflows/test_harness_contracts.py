"""What each stage may read, must write and must leave alone: the table of the specification, as data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from podium.core.contract import Contract
from podium.core.effects import Gate, Stage
from podium.core.globs import matches
from podium.wiring import scaffold_text
from podium.workflows.harness.run import HarnessRun
from podium.workflows.harness.stages import parse_stages
from podium.workflows.harness.workflow import Harness, first_members

STAGES = parse_stages(scaffold_text("harness", "stages.toml"), "harness/stages.toml")
WORKFLOW = Harness(STAGES)
TASK = "harness/tasks/T007-words.md"
EVERY = {
    "harness/run-state.md", TASK, "harness/standards/feature-workflow.md", "harness/standards/task-lifecycle.md",
    "harness/standards/run-id-standard.md",
}  # fmt: skip
SPEC, DESIGN, PLAN, QA = (
    "harness/artifacts/specs/T007-feature-spec.md", "harness/artifacts/design/T007-design-note.md",
    "harness/artifacts/plans/T007-implementation-plan.md", "harness/artifacts/qa/T007-qa-review.md",
)  # fmt: skip


def standards(*names: str) -> set[str]:
    return {f"harness/standards/{name}.md" for name in names}


def own(role: str, template: str) -> set[str]:
    return {f"harness/roles/{role}-agent.md", f"harness/templates/{template}-template.md"}


def run(step: str, **more: Any) -> HarnessRun:
    members = first_members(STAGES, task_id="T007", task_file=TASK, report="harness/runs/T007-run-report.md", criteria=["AC1", "AC2"])
    return HarnessRun(step=step, **{**members, **more})


def contract(step: str, **more: Any) -> Contract:
    effect = WORKFLOW.steps[step].effect
    assert isinstance(effect, Stage)
    return effect.contract(run(step, **more))


def compose(step: str, members: dict[str, Any] | None = None, **facts: str) -> str:
    (output,) = contract(step).outputs
    assert output.compose is not None
    template = scaffold_text("harness", f"templates/{output.template.rpartition('/')[2]}")
    return output.compose(members or {}, template, {"Task": "T007", "Title": "Words", **facts})


def faults(step: str, text: str) -> tuple[str, ...]:
    (output,) = contract(step).outputs
    assert output.check is not None
    return output.check(text, scaffold_text("harness", f"templates/{output.template.rpartition('/')[2]}"))


@pytest.mark.parametrize(
    ("step", "more"),
    [
        ("specification", own("po-spec", "feature-spec") | standards("testing-standard", "design-system")),
        ("design", own("feature-design", "design-note") | standards("design-system") | {SPEC}),
        (
            "implementation_planning",
            own("tech-lead", "implementation-plan") | standards("coding-standard", "testing-standard") | {SPEC, DESIGN},
        ),
        ("build", own("build", "run-report") | standards("coding-standard", "testing-standard") | {SPEC, DESIGN, PLAN}),
        (
            "qa",
            own("qa", "qa-review") | standards("testing-standard", "design-system")
            | {SPEC, DESIGN, PLAN, "harness/runs/T007-run-report.md"},
        ),
    ],
)  # fmt: skip
def test_a_stage_may_read_exactly_what_the_specification_says(step: str, more: set[str]) -> None:
    assert {each.path for each in contract(step).inputs} == EVERY | more


@pytest.mark.parametrize(
    ("step", "outputs"),
    [("specification", [SPEC]), ("design", [DESIGN]), ("implementation_planning", [PLAN]), ("build", []), ("qa", [QA])],
)
def test_a_stage_must_write_its_own_artifact_and_no_other(step: str, outputs: list[str]) -> None:
    assert [each.path for each in contract(step).outputs] == outputs


def test_build_reads_the_review_only_while_it_remedies_what_that_review_found() -> None:
    assert QA not in {each.path for each in contract("build").inputs}
    remedying = {each.path: each for each in contract("build", remediating="qa").inputs}
    assert remedying[QA].required
    assert not remedying[QA].material


def test_the_remedy_of_one_review_does_not_show_the_findings_of_another() -> None:
    security = replace(STAGES[-1], name="Security", code="SEC", output="security", path="harness/{task}-security.md")
    build = replace(STAGES[3], reads=(*STAGES[3].reads, "@security?"))
    workflow = Harness((*STAGES[:3], build, STAGES[4], security))
    effect = workflow.steps["build"].effect
    assert isinstance(effect, Stage)
    members = first_members(workflow.stages, task_id="T007", task_file=TASK, report="r.md")
    names = {each.name for each in effect.contract(HarnessRun(step="build", remediating="security", **members)).inputs}
    assert "security" in names
    assert "qa" not in names


def test_the_task_and_earlier_artifacts_make_a_step_stale_and_standards_do_not() -> None:
    material = {each.name for each in contract("qa").inputs if each.material}
    assert material == {"task", "spec", "design", "plan"}


def test_of_the_task_only_what_a_stage_works_from_counts() -> None:
    essence = next(each.essence for each in contract("qa").inputs if each.name == "task")
    assert essence is not None
    text = scaffold_text("harness", "tasks/T001-sample.md")
    assert essence(text) == essence(text.replace("Decision: Pending", "Decision: Approved"))
    assert essence(text) != essence(text.replace("returns 3", "returns 4"))


def test_only_an_input_marked_optional_may_be_absent() -> None:
    assert [each.path for each in contract("specification").inputs if not each.required] == ["harness/standards/design-system.md"]


@pytest.mark.parametrize(("step", "access"), [("specification", "none"), ("design", "none"), ("implementation_planning", "none"), ("build", "write"), ("qa", "read")])
def test_only_build_may_change_code_and_only_qa_may_see_it_besides(step: str, access: str) -> None:
    assert contract(step).code == access
    assert contract(step).proof_of_change == (step == "build")
    assert contract(step).evidence == (("build", "test") if step == "build" else ())


@pytest.mark.parametrize("step", ["specification", "build", "qa"])
@pytest.mark.parametrize(
    "path",
    [
        "harness/run-state.md", "harness/tasks/T001.md", "harness/backlog/B1.md", "harness/standards/x.md", "harness/roles/qa-agent.md",
        "harness/templates/t.md", "harness/runs/T007-run-report.md", ".github/agents/a.agent.md", ".claude/agents/a.md",
        ".podium/runs/x/state.json", "podium.toml", "harness/stages.toml",
    ],
)  # fmt: skip
def test_rules_roles_and_state_are_protected_from_every_stage(step: str, path: str) -> None:
    assert matches(path, contract(step).protected)


def test_another_state_file_is_protected_as_well() -> None:
    assert matches("notes/state.md", contract("build", state_path="notes/state.md").protected)
    assert "notes/state.md" in {each.path for each in contract("build", state_path="notes/state.md").inputs}


def test_code_is_not_protected() -> None:
    assert not matches("src/app.py", contract("build").protected)
    assert not matches("harness.py", contract("build").hidden)


@pytest.mark.parametrize("step", ["specification", "design", "implementation_planning", "qa"])
def test_what_a_good_agent_composes_passes_the_check(step: str) -> None:
    assert faults(step, compose(step)) == ()


def test_a_missing_section_is_named() -> None:
    assert any("Acceptance Criteria" in each for each in faults("specification", compose("specification").replace("## Acceptance Criteria", "## Other")))


def test_the_template_itself_is_refused() -> None:
    assert faults("specification", scaffold_text("harness", "templates/feature-spec-template.md"))


@pytest.mark.parametrize("line", ["Task: T007", "Task ID: T007"])
def test_the_artifact_of_another_task_is_refused(line: str) -> None:
    said = faults("specification", compose("specification").replace(line, line.replace("T007", "T008"), 1))
    assert any("it belongs to another task" in each and "T008" in each for each in said)


def test_a_task_line_may_name_the_title_as_well() -> None:
    assert faults("specification", compose("specification").replace("Task: T007", "Task: `T007` — Words")) == ()


def test_a_task_whose_id_only_begins_the_same_is_another_task() -> None:
    assert faults("specification", compose("specification").replace("Task: T007", "Task: T0071", 1))


def test_a_review_without_its_values_is_malformed() -> None:
    assert faults("qa", compose("qa").replace("## Validation Result\n\nPass", "## Validation Result\n\nFine"))


def test_a_composed_review_names_every_criterion_of_the_task() -> None:
    text = compose("qa")
    assert "### AC1" in text
    assert "### AC2" in text


def test_the_brief_tells_the_headings_of_the_template() -> None:
    (output,) = contract("design").outputs
    assert output.structure is not None
    told = "\n".join(output.structure("# T\n\nTask: \nRun: \n\n## Intent\n\n## Risks\n"))
    assert "Intent, Risks" in told


def test_a_gate_approves_the_artifacts_of_the_stages_before_it() -> None:
    for name, paths in (("approve_build", [SPEC, DESIGN, PLAN]), ("approve_completion", [SPEC, DESIGN, PLAN, QA])):
        gate = WORKFLOW.steps[name].effect
        assert isinstance(gate, Gate)
        assert list(gate.subject(run(name))) == paths


@pytest.mark.parametrize(("step", "dialect"), [("specification", "harness"), ("build", "harness"), ("qa", "harness-qa")])
def test_a_review_has_its_own_words(step: str, dialect: str) -> None:
    assert contract(step).dialect == dialect
