"""The input contract is a closed list: a stage finds what it may read in its folder, and nothing
else.
"""

from __future__ import annotations

from typing import Any

import pytest
from tests.fakes.project import DESIGN, PLAN, QA, REPORT, SPEC, STATE, TASK, WELL, Project

STANDARDS = "harness/standards"
ALWAYS = {
    STATE,
    TASK,
    f"{STANDARDS}/feature-workflow.md",
    f"{STANDARDS}/task-lifecycle.md",
    f"{STANDARDS}/run-id-standard.md",
}
CONTRACTS = {
    "specification": (
        "po-spec",
        {
            "harness/roles/po-spec-agent.md",
            "harness/templates/feature-spec-template.md",
            f"{STANDARDS}/testing-standard.md",
            f"{STANDARDS}/design-system.md",
        },
    ),
    "design": (
        "feature-design",
        {
            "harness/roles/feature-design-agent.md",
            "harness/templates/design-note-template.md",
            f"{STANDARDS}/design-system.md",
            SPEC,
        },
    ),
    "implementation-planning": (
        "tech-lead",
        {
            "harness/roles/tech-lead-agent.md",
            "harness/templates/implementation-plan-template.md",
            f"{STANDARDS}/coding-standard.md",
            f"{STANDARDS}/testing-standard.md",
            SPEC,
            DESIGN,
        },
    ),
    "build/1": (
        "build",
        {
            "harness/roles/build-agent.md",
            "harness/templates/run-report-template.md",
            f"{STANDARDS}/coding-standard.md",
            f"{STANDARDS}/testing-standard.md",
            SPEC,
            DESIGN,
            PLAN,
        },
    ),
    "qa/1": (
        "qa",
        {
            "harness/roles/qa-agent.md",
            "harness/templates/qa-review-template.md",
            f"{STANDARDS}/testing-standard.md",
            f"{STANDARDS}/design-system.md",
            SPEC,
            DESIGN,
            PLAN,
            REPORT,
        },
    ),
}
LOOK = "find . -path ./.git -prune -o -type f -print | sed 's,^./,,' | sort"
FAILS = {
    "behave": "well",
    "write": {"@qa": {"template": "qa", "result": "Issues Found", "readiness": "Back to Build"}},
}


def whole_run(project: Project) -> None:
    """All stages, each listing its folder."""
    roles = ("po-spec", "feature-design", "tech-lead", "build", "qa")
    assert (
        project.through({role: [{"behave": "well", "run": LOOK}] for role in roles}).exit_code == 0
    )


@pytest.mark.parametrize("key", CONTRACTS)
def test_the_folder_holds_exactly_the_inputs_of_the_contract(project: Project, key: str) -> None:
    project.write("harness/artifacts/specs/T000-feature-spec.md", "an older task\n")
    project.write("harness/active-task.md", "not for agents\n")
    whole_run(project)
    _, extra = CONTRACTS[key]
    written = {
        "specification": SPEC,
        "design": DESIGN,
        "implementation-planning": PLAN,
        "qa/1": QA,
    }.get(key)
    found = {
        line for line in project.printed(key) if line.startswith(("harness", ".podium", "podium"))
    }
    # `behave: well` writes its artifact before the command looks.
    expected = ALWAYS | extra | ({written} if written else set())
    if key in {"build/1", "qa/1"}:
        expected |= {"podium.toml"}
    assert found == expected


@pytest.mark.parametrize("key", ["specification", "design", "implementation-planning"])
def test_a_document_stage_sees_no_code_at_all(project: Project, key: str) -> None:
    whole_run(project)
    assert {line.partition("/")[0] for line in project.printed(key)} == {"harness"}


@pytest.mark.parametrize("key", ["build/1", "qa/1"])
def test_build_and_qa_see_the_code(project: Project, key: str) -> None:
    whole_run(project)
    assert {"src/app.py", "src/old.py", "tests.sh"} <= set(project.printed(key))


@pytest.mark.parametrize(
    ("role", "key", "path"),
    [
        ("po-spec", "specification", "src/app.py"),
        ("po-spec", "specification", "harness/active-task.md"),
        ("po-spec", "specification", "harness/roles/qa-agent.md"),
        ("feature-design", "design", PLAN),
        ("feature-design", "design", QA),
        ("feature-design", "design", "src/app.py"),
        ("tech-lead", "implementation-planning", QA),
        ("tech-lead", "implementation-planning", PLAN),
        ("build", "build/1", QA),
        ("build", "build/1", "harness/stages.toml"),
        ("qa", "qa/1", QA),
        ("qa", "qa/1", ".podium/runs/T001-0001/journal.jsonl"),
    ],
)
def test_a_forbidden_file_is_not_there(project: Project, role: str, key: str, path: str) -> None:
    for each in (PLAN, QA, "harness/active-task.md"):
        project.write(each, "from an earlier time\n")
    compose = {"po-spec": "spec", "feature-design": "design", "tech-lead": "plan", "qa": "qa"}.get(
        role
    )
    write: dict[str, Any] = (
        {f"@{compose}": {"template": compose}} if compose else {"src/new.py": "x = 1\n"}
    )
    project.through({role: [{"read": [path], "write": write, "say": "done"}]}, until=key)
    assert f"read {path}: not there" in project.said(key)


def test_design_sees_neither_plan_nor_qa_when_it_runs_again(project: Project) -> None:
    project.run({"feature-design": [WELL, {"behave": "well", "run": LOOK}]})
    project.approve()
    project.resume()
    assert project.path(QA).is_file()
    project.reject(to="Design", note="again")
    project.resume()
    found = project.printed("design/2")
    assert SPEC in found
    assert not {PLAN, QA, REPORT} & set(found)


def test_qa_of_the_second_round_does_not_see_the_review_of_the_first(project: Project) -> None:
    second = {"read": [QA], "write": {"@qa": {"template": "qa"}}, "say": "fine"}
    assert project.through({"qa": [FAILS, second]}).exit_code == 0
    assert f"read {QA}: not there" in project.said("qa/2")


def test_build_sees_the_review_only_when_it_remedies(project: Project) -> None:
    build = {"behave": "well", "read": [QA], "say": "done"}
    assert project.through({"build": [build], "qa": [FAILS, WELL]}).exit_code == 0
    assert f"read {QA}: not there" in project.said("build/1")
    assert f"read {QA}: not there" not in project.said("build/2")
    assert QA in project.prompt("build/2")


def test_build_after_a_persons_send_back_does_not_see_the_review_that_passed(
    project: Project,
) -> None:
    project.run(
        {"build": [WELL, {"behave": "well", "read": [QA], "say": "done"}]},
        policy={"require_approval_before_build": False},
    )
    project.reject(to="Build", note="one more thing")
    project.resume()
    assert f"read {QA}: not there" in project.said("build/2")


def test_an_optional_input_may_be_absent(project: Project) -> None:
    project.edit(
        "harness/stages.toml",
        '"harness/standards/design-system.md",\n]',
        '"harness/standards/design-system.md?",\n]',
    )
    project.path("harness/standards/design-system.md").unlink()
    assert project.through().exit_code == 0
    assert "design-system" not in project.prompt("specification")


def test_a_required_input_that_went_away_blocks_before_anybody_is_asked(project: Project) -> None:
    project.run(until="specification")
    project.path("harness/standards/design-system.md").unlink()
    ended = project.resume()
    assert (ended.exit_code, ended.stop) == (20, "contract")
    assert "harness/standards/design-system.md is missing" in ended.reason
    assert project.started() == ["specification"]
    assert project.state("Stop Reason") == project.report("Stop Reason") == ended.reason
    assert project.state("Current Stage") == "Design"


def test_a_required_input_that_is_back_lets_the_run_go_on(project: Project) -> None:
    project.run(until="specification")
    path = project.path("harness/standards/design-system.md")
    kept = path.read_bytes()
    path.unlink()
    project.resume()
    path.write_bytes(kept)
    assert project.resume().exit_code == 10
    assert "design" in "".join(project.done())


def test_an_artifact_that_was_removed_is_made_again_by_its_stage(project: Project) -> None:
    project.run(until="specification")
    project.path(SPEC).unlink()
    assert project.resume().exit_code == 10
    assert project.event("step.stale", key="specification")["because"] == [f"{SPEC} is gone"]
    assert project.started()[:3] == ["specification", "specification/2", "design"]


def test_the_prompt_names_every_input_and_no_other(project: Project) -> None:
    whole_run(project)
    for key, (_, extra) in CONTRACTS.items():
        listed = project.prompt(key).split("## You may read")[1].split("\n## ")[0]
        assert {
            line.split("`")[1] for line in listed.splitlines() if line.startswith("- `")
        } == ALWAYS | extra


def test_the_journal_records_the_digest_of_every_input(project: Project) -> None:
    whole_run(project)
    inputs = project.event("step.started", key="design")["inputs"]
    assert inputs["spec"] == project.event("artifact.verified", key="specification")["digest"]
