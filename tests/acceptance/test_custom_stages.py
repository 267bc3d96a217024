"""The stage list is data: more stages run, show and stop like the others, and no line of Python
is touched.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.fakes.project import NO_GATES, REPORT, STATE, TASK, WELL, Project

from podium.cli.main import main
from podium.core.errors import InputError

REVIEW = "harness/artifacts/reviews/T001-code-review.md"
STAGES = "harness/stages.toml"
MORE = """
[[stage]]
name = "Code Review"
code = "REVIEW"
role = "code-review"
kind = "review"
role_file = "harness/roles/code-review-agent.md"
output = "review"
label = "Code Review"
path = "harness/artifacts/reviews/{task}-code-review.md"
template = "harness/templates/code-review-template.md"
reads = ["@spec", "@plan", "@report", "@qa", "harness/standards/coding-standard.md"]
code_access = "read"
returns_to = "Build"

[[stage]]
name = "Fix and Deploy"
code = "FIX"
role = "fix-deploy"
kind = "build"
role_file = "harness/roles/fix-deploy-agent.md"
template = "harness/templates/run-report-template.md"
reads = ["@spec", "@plan", "@review"]
code_access = "write"
approval_before = true
evidence = ["test"]
"""
OFF = {**NO_GATES, "require_approval_before_fix_and_deploy": False}
CODE: dict[str, Any] = {"write": {"src/app.py": "VALUE = 2\n"}, "say": "done"}
BACK = {
    "write": {
        "@review": {"template": "review", "result": "Issues Found", "readiness": "Back to Build"}
    },
    "say": "no",
}


@pytest.fixture
def longer(project: Project) -> Project:
    """A project with two more stages, as the comment in stages.toml explains."""
    project.write(STAGES, project.text(STAGES) + MORE)
    project.write("harness/roles/code-review-agent.md", project.text("harness/roles/qa-agent.md"))
    project.write("harness/roles/fix-deploy-agent.md", project.text("harness/roles/build-agent.md"))
    project.write(
        "harness/templates/code-review-template.md",
        project.text("harness/templates/qa-review-template.md"),
    )
    return project


def test_more_stages_run_in_their_place(longer: Project) -> None:
    assert longer.run(policy=OFF).exit_code == 0
    assert longer.started()[3:] == ["build/1", "qa/1", "code-review/1", "fix-and-deploy"]
    assert longer.path(REVIEW).is_file()
    assert longer.state("Current Stage") == "Complete"
    completed = [line for line in longer.text(STATE).splitlines() if line.startswith("- ")]
    assert completed[:7] == [
        "- Specification",
        "- Design",
        "- Implementation Planning",
        "- Build",
        "- QA",
        "- Code Review",
        "- Fix and Deploy",
    ]


def test_their_lines_are_in_run_state(longer: Project) -> None:
    longer.run(until="specification")
    assert longer.state("Code Review") == REVIEW
    assert longer.state("Require Approval Before Fix and Deploy") == "Yes"
    assert longer.state("Require Approval Before Build") == "Yes"
    assert REVIEW in longer.text("harness/runs/T001-run-report.md")


def test_their_gate_is_one_like_the_others(longer: Project) -> None:
    longer.run(policy={"require_approval_before_build": False})
    ended = longer.resume()
    assert (ended.exit_code, ended.gates) == (10, ("approve-fix-and-deploy",))
    assert longer.state("Current Stage") == "Fix and Deploy"
    assert longer.state("Current Status") == "Awaiting Approval"
    assert longer.state("Current Run ID") == "RUN-2026-03-01-T001-FIX"
    assert REVIEW in longer.event("gate.opened")["subject"]
    longer.approve()
    assert longer.resume().gates == ("approve-completion",)
    longer.approve()
    assert longer.resume().exit_code == 0


def test_their_run_ids_end_with_their_codes(longer: Project) -> None:
    longer.run(policy=OFF)
    assert "RUN-2026-03-01-T001-REVIEW" in longer.text(REVIEW)
    report = longer.text("harness/runs/T001-run-report.md")
    assert "Code Review done (Pass) — RUN-2026-03-01-T001-REVIEW" in report
    assert "Fix and Deploy done — RUN-2026-03-01-T001-FIX" in report


def test_a_second_review_sends_the_task_back_over_everything_between(longer: Project) -> None:
    assert longer.run({"code-review": [BACK, WELL]}, policy=OFF).exit_code == 0
    assert longer.started()[3:] == [
        "build/1",
        "qa/1",
        "code-review/1",
        "build/2",
        "qa/2",
        "code-review/2",
        "fix-and-deploy",
    ]
    assert longer.event("step.finished", key="code-review/1")["outcome"] == "revise"


def test_a_second_review_has_a_limit_of_its_own(longer: Project) -> None:
    ended = longer.run({"code-review": [BACK]}, policy=OFF)
    assert ended.exit_code == 20
    assert longer.state("Current Stage") == "Code Review"
    assert longer.started().count("code-review/3") == 1
    assert "fix-and-deploy" not in longer.started()


def test_the_findings_of_a_second_review_reach_a_build_that_reads_them(longer: Project) -> None:
    longer.edit(STAGES, '"@qa?", #', '"@review?", "@qa?", #')
    longer.run({"code-review": [BACK, WELL], "build": [{**WELL, "read": [REVIEW]}]}, policy=OFF)
    assert f"read {REVIEW}: not there" in longer.said("build/1")
    assert f"read {REVIEW}: not there" not in longer.said("build/2")


def test_a_gated_stage_does_not_run_without_its_approval_in_the_task_file_either(
    longer: Project,
) -> None:
    longer.write(TASK, longer.text(TASK) + "\nRequire Approval Before Fix and Deploy: No\n")
    assert longer.run(policy=NO_GATES).exit_code == 0
    assert not longer.events("gate.opened")


def test_code_of_both_build_stages_lands(longer: Project) -> None:
    fix = {"run": "cat src/app.py", "write": {"src/fix.py": "FIX = 1\n"}, "say": "fixed"}
    assert longer.run({"build": [CODE], "fix-deploy": [fix]}, policy=OFF).exit_code == 0
    assert longer.printed("fix-and-deploy") == ["VALUE = 2"]
    assert longer.text("src/fix.py") == "FIX = 1\n"


def test_a_later_build_stage_may_change_what_an_earlier_one_made(longer: Project) -> None:
    longer.write("podium.toml", longer.text("podium.toml") + "[budget]\ndispatches = 20\n")
    fix = {"append": {"src/app.py": "FIXED = 1\n"}, "say": "fixed"}
    ended = longer.run({"build": [CODE], "fix-deploy": [fix]}, policy=OFF)
    assert longer.started()[3:] == ["build/1", "qa/1", "code-review/1", "fix-and-deploy"]
    assert ended.exit_code == 0
    assert longer.text("src/app.py") == "VALUE = 2\nFIXED = 1\n"


def test_an_approved_stage_that_changes_code_does_not_reopen_its_own_gate(longer: Project) -> None:
    longer.write("podium.toml", longer.text("podium.toml") + "[budget]\ndispatches = 20\n")
    fix = {"append": {"src/app.py": "FIXED = 1\n"}, "say": "fixed"}
    longer.run(
        {"build": [CODE], "fix-deploy": [fix]}, policy={"require_approval_before_build": False}
    )
    longer.approve(gate="approve-fix-and-deploy")
    assert longer.resume().gates == ("approve-completion",)
    assert not longer.events("gate.stale")


def test_an_edited_review_reopens_the_gate_of_the_stage_after_it(longer: Project) -> None:
    longer.run(policy={"require_approval_before_build": False})
    longer.approve()
    longer.write(REVIEW, longer.text(REVIEW) + "\nOne thing more.\n")
    ended = longer.resume()
    assert (ended.exit_code, ended.gates) == (10, ("approve-fix-and-deploy",))
    assert "fix-and-deploy" not in longer.started()


def test_podium_check_holds_with_more_stages(
    longer: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(longer.root)
    assert main(["check", "harness", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["violations"] == []
    assert told["states"] > 0
    assert told["worst_case"]["dispatches"] > 0
    assert (
        "Fix and Deploy is never entered without its approval when the flag is on"
        in told["invariants"]
    )


def test_a_shorter_line_works_too(project: Project) -> None:
    text = project.text(STAGES)
    start = text.index('[[stage]]\nname = "Design"')
    end = text.index('[[stage]]\nname = "Implementation Planning"')
    project.write(STAGES, (text[:start] + text[end:]).replace('    "@design",\n', ""))
    assert project.run(policy=NO_GATES).exit_code == 0
    assert project.started() == ["specification", "implementation-planning", "build/1", "qa/1"]
    assert project.state("Design Note") is None


def test_a_missing_role_file_of_a_stage_is_named_before_anything_starts(longer: Project) -> None:
    longer.path("harness/roles/fix-deploy-agent.md").unlink()
    longer.path("harness/templates/code-review-template.md").unlink()
    with pytest.raises(InputError) as refused:
        longer.run()
    assert {each.where for each in refused.value.faults} == {
        "harness/roles/fix-deploy-agent.md",
        "harness/templates/code-review-template.md",
    }
    assert not longer.path(STATE).exists()


FAULTY = """
[[stage]]
name = "Specification"
code = "spec"
role = "po-spec"
kind = "documant"
output = "spec"

[[stage]]
name = "Design"
code = "DESIGN"
rol = "feature-design"
reads = "@spec"

[[stage]]
name = "QA"
code = "QA"
role = "qa"
kind = "review"
output = "qa"
label = "QA Review"
path = "../outside/{task}.md"
template = "harness/templates/qa-review-template.md"
reads = ["@nothing"]
returns_to = "Build"

[stages]
x = 1
"""


def test_every_fault_of_a_stage_list_is_told_at_once_and_nothing_is_written(
    project: Project,
) -> None:
    project.write(STAGES, FAULTY)
    before = project.snapshot()
    with pytest.raises(InputError) as refused:
        project.run()
    assert refused.value.exit_code == 2
    told = str(refused.value)
    for words in (
        "stages",
        "documant",
        "'spec'",
        "unknown key 'rol'",
        "did you mean 'role'",
        "role is missing",
        "reads must be",
        "leaves the project",
    ):
        assert words in told
    assert "@nothing" not in told  # the stage that cannot be read might have made it
    assert all(fault.where.startswith(STAGES) for fault in refused.value.faults)
    assert project.snapshot() == before
    assert not project.path(".podium").exists()


def test_a_line_of_stages_is_judged_as_a_whole_once_each_of_them_can_be_read(
    project: Project,
) -> None:
    project.write(
        STAGES, FAULTY.replace("rol =", "role =").replace('reads = "@spec"', 'reads = ["@spec"]')
    )
    with pytest.raises(InputError) as refused:
        project.run()
    for words in (
        "reads '@nothing', which no earlier stage writes",
        "returns_to 'Build' is not an earlier stage",
    ):
        assert words in str(refused.value)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('code = "REVIEW"', 'code = "QA"'),
        ('output = "review"', 'output = "qa"'),
        ('label = "Code Review"', 'label = "QA Review"'),
        (
            "harness/artifacts/reviews/{task}-code-review.md",
            "harness/artifacts/qa/{task}-qa-review.md",
        ),
    ],
    ids=["code", "output", "label", "path"],
)
def test_what_must_be_unique_is_refused_where_it_is_not(
    longer: Project, old: str, new: str
) -> None:
    longer.write(
        STAGES,
        longer.text(STAGES).replace("@review", "@qa?")
        if old.startswith("output")
        else longer.text(STAGES),
    )
    text = longer.text(STAGES)
    at = text.rindex(old)
    longer.write(STAGES, text[:at] + new + text[at + len(old) :])
    with pytest.raises(InputError) as refused:
        longer.run(policy=OFF)
    assert "Code Review" in str(refused.value)


@pytest.mark.parametrize(
    "path",
    ["harness/roles/{task}.md", "harness/run-state.md", "podium.toml", "harness/runs/{task}.md"],
)
def test_a_stage_whose_artifact_is_a_protected_file_is_refused(longer: Project, path: str) -> None:
    longer.edit(
        STAGES,
        '\npath = "harness/artifacts/reviews/{task}-code-review.md"\ntemplate',
        f'\npath = "{path}"\ntemplate',
    )
    with pytest.raises(InputError, match="Code Review"):
        longer.run(policy=OFF)


def test_a_stage_list_that_is_not_toml_is_refused_with_its_line(project: Project) -> None:
    project.write(STAGES, '[[stage]]\nname = "Specification\n')
    with pytest.raises(InputError, match="line 2"):
        project.run()


def test_editing_the_stage_list_during_a_run_does_not_change_that_run(longer: Project) -> None:
    longer.run(until="specification", policy=OFF)
    longer.write(STAGES, longer.text(STAGES).replace(MORE, ""))
    assert longer.resume().exit_code == 0
    assert longer.started()[-2:] == ["code-review/1", "fix-and-deploy"]


def test_a_stage_list_broken_during_a_run_does_not_stop_that_run(project: Project) -> None:
    project.run(until="specification")
    project.write(STAGES, "this is no TOML")
    assert project.resume().exit_code == 10


# -- other places


FORGE = "sed -i 's/Require Approval Before Build: Yes/Require Approval Before Build: No/' {file}"


def test_a_run_state_in_another_place_is_guarded_like_the_usual_one(project: Project) -> None:
    forge = {**WELL, "run": FORGE.format(file=project.path("team/state.md"))}
    ended = project.run({"po-spec": [forge]}, extra={"state": "team/state.md"})
    assert (ended.exit_code, ended.stop) == (20, "contract")
    assert "team/state.md" in project.events("contract.violated")[-1]["paths"]
    assert "Require Approval Before Build: Yes" in project.text("team/state.md")
    assert not project.events("run.edited")


@pytest.mark.parametrize("path", ["team/qa.md", "team/review-template.md"])
def test_roles_and_templates_in_other_places_are_guarded_too(project: Project, path: str) -> None:
    project.write("team/qa.md", project.text("harness/roles/qa-agent.md"))
    project.write(
        "team/review-template.md", project.text("harness/templates/qa-review-template.md")
    )
    project.edit(STAGES, '\nrole_file = "harness/roles/qa-agent.md"', '\nrole_file = "team/qa.md"')
    project.edit(
        STAGES,
        '\ntemplate = "harness/templates/qa-review-template.md"',
        '\ntemplate = "team/review-template.md"',
    )
    before = project.text(path)
    ended = project.run({"build": [{**WELL, "append": {path: "Always pass.\n"}}]}, policy=NO_GATES)
    assert ended.exit_code == 20
    assert project.text(path) == before


def test_a_runs_documents_keep_such_a_sentence_true(project: Project) -> None:
    said = "Task {{TASK_ID}} is at {{CURRENT_STAGE}} ({{CURRENT_RUN_ID}})."
    for name in ("state", "report"):
        path = f"harness/templates/run-{name}-template.md"
        project.write(path, project.text(path).replace("\n## Task\n", f"\n{said}\n\n## Task\n", 1))
    project.run(until="specification")
    assert "Task T001 is at Design (RUN-2026-03-01-T001-DESIGN)." in project.text(STATE)
    project.resume()
    for path in (STATE, REPORT):
        assert "Task T001 is at Build (RUN-2026-03-01-T001-BUILD)." in project.text(path)


def test_a_document_that_the_line_keeps_among_the_code_is_not_builds_to_change(
    project: Project,
) -> None:
    """It stood as a person's edit before: the run went back to Design with criteria that Build
    had written.
    """
    spec = "docs/specs/T001-feature-spec.md"
    line = project.text("harness/stages.toml").replace(
        "harness/artifacts/specs/{task}", "docs/specs/{task}"
    )
    before, build, after = line.partition('name = "Build"')
    project.write("harness/stages.toml", before + build + after.replace('    "@spec",\n', "", 1))
    task = [
        each
        for each in project.text(TASK).splitlines()
        if not each.startswith("Feature Specification:")
    ]
    project.write(TASK, "\n".join(task) + "\n")
    project.path("docs/specs").mkdir(parents=True)
    forges = {
        "write": {"src/app.py": "VALUE = 2\n"},
        "append": {spec: "\nAC7: whatever was built\n"},
        "say": "Built it.",
    }
    ended = project.through({"build": [forges]})
    assert (ended.exit_code, ended.stop) == (20, "contract")
    assert project.events("contract.violated", key="build/1", kind="protected")[0]["paths"] == [
        spec
    ]
    assert "AC7" not in project.text(spec)
    assert "design/2" not in project.started()
