"""Forged progress in the artifact itself: what an agent says it wrote counts for nothing, the
file does.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.project import QA, REPORT, SPEC, STATE, Project

from podium.engine.outcome import Ended

SECRET = b"tr0ub4dor-and-three-horses"


@contextmanager
def little_memory() -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()


def refused(project: Project, ended: Ended, failure: str, path: str = SPEC) -> list[Any]:
    """The run stands where it was: one repair was asked for, nothing of the forgery is in the
    project.
    """
    assert ended.exit_code == 20
    found = project.events("artifact.rejected")
    assert [each["repair"] for each in found] == [0, 1]
    assert {(each["key"], each["path"], each["failure"]) for each in found} == {
        ("specification", path, failure)
    }
    assert len(project.events("retry.scheduled", classification="artifact")) == 1
    assert project.event("retry.exhausted")["rule"] == "repair_attempts"
    assert not project.events("run.advanced")
    assert project.event("run.blocked")["key"] == "specification"
    assert not project.path(SPEC).exists()
    assert project.state("Current Stage") == "Specification"
    assert project.state("Current Status") == "Blocked"
    assert project.state("Stop Reason") == project.report("Stop Reason") == ended.reason
    assert project.report("Overall Status") == "Blocked"
    return [each["detail"] for each in found]


def test_an_artifact_that_is_only_claimed_is_missing(project: Project) -> None:
    ended = project.run(
        {"po-spec": [{"say": "DONE: I wrote the specification.", "verdict": {"status": "done"}}]}
    )
    refused(project, ended, "missing")
    assert ended.stop == "artifact_missing"


def test_an_empty_artifact_is_refused(project: Project) -> None:
    refused(
        project, project.run({"po-spec": [{"write": {"@spec": " \n\t\n"}, "say": "done"}]}), "empty"
    )


def test_the_template_unchanged_is_refused(project: Project) -> None:
    copied = {"run": f"cp harness/templates/feature-spec-template.md {SPEC}", "say": "done"}
    details = refused(project, project.run({"po-spec": [copied]}), "malformed")
    assert "says nothing beyond its template" in details[0]


def test_the_artifact_of_another_task_is_refused(project: Project) -> None:
    other = {"behave": "well", "run": f"sed -i s/T001/T002/g {SPEC}"}
    details = refused(project, project.run({"po-spec": [other]}), "malformed")
    assert "belongs to another task" in details[0]


def test_an_artifact_without_a_required_section_is_refused_by_name(project: Project) -> None:
    less = {"behave": "well", "run": f"sed -i '/^## Risks/d' {SPEC}"}
    details = refused(project, project.run({"po-spec": [less]}), "malformed")
    assert "section 'Risks' is missing" in details[0]


def test_an_artifact_that_is_a_symlink_to_a_secret_is_refused_and_the_secret_copied_nowhere(
    project: Project, tmp_path: Path
) -> None:
    secret = tmp_path / "id_ed25519"
    secret.write_bytes(SECRET)
    ended = project.run({"po-spec": [{"symlink": {"@spec": str(secret)}, "say": "done"}]})
    refused(project, ended, "unreadable")
    assert project.holds(SECRET) == []
    assert secret.read_bytes() == SECRET


def test_a_folder_of_the_artifact_that_is_a_symlink_to_secrets_is_refused(
    project: Project, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "T001-feature-spec.md").write_bytes(SECRET)
    swap = {
        "run": f"rm -rf harness/artifacts/specs && ln -s {outside} harness/artifacts/specs",
        "say": "done",
    }
    ended = project.run({"po-spec": [swap]})
    assert ended.exit_code == 20
    assert {each["kind"] for each in project.events("contract.violated")} == {"write"}
    assert project.holds(SECRET) == []
    assert (outside / "T001-feature-spec.md").read_bytes() == SECRET


def test_a_giant_artifact_is_refused_without_reading_it(project: Project) -> None:
    with little_memory():
        ended = project.run({"po-spec": [{"run": f"truncate -s 200M {SPEC}", "say": "done"}]})
    details = refused(project, ended, "malformed")
    assert "209,715,200 bytes" in details[0]
    assert all(
        each.stat().st_size < 1_000_000 for each in project.folder.rglob("*") if each.is_file()
    )


@pytest.mark.parametrize(
    ("role", "key"), [("po-spec", "specification"), ("build", "build/1"), ("qa", "qa/1")]
)
def test_a_giant_stray_leaves_memory_and_quarantine_small(
    project: Project, role: str, key: str
) -> None:
    with little_memory():
        ended = project.through({role: [{"behave": "well", "run": "truncate -s 200M giant.bin"}]})
    assert ended.exit_code == 20
    assert project.events("contract.violated", key=key)[0]["paths"] == ["giant.bin"]
    assert project.step(key, "quarantine.patch").stat().st_size < 1_000_000
    assert not project.path("giant.bin").exists()


def test_a_giant_in_the_place_of_an_input_leaves_memory_small(project: Project) -> None:
    with little_memory():
        ended = project.through({"build": [{"behave": "well", "run": f"truncate -s 200M {STATE}"}]})
    assert ended.exit_code == 20


def test_bytes_that_are_no_utf_8_are_refused(project: Project) -> None:
    ended = project.run({"po-spec": [{"behave": "well", "run": f"printf '\\377\\376' >> {SPEC}"}]})
    details = refused(project, ended, "unreadable")
    assert "not UTF-8" in details[0]


@pytest.mark.timeout(20)
def test_a_named_pipe_in_the_artifacts_place_does_not_hang_the_engine(project: Project) -> None:
    ended = project.run({"po-spec": [{"run": f"mkfifo {SPEC}", "say": "done"}]})
    assert refused(project, ended, "unreadable") == ["it is not a regular file"] * 2


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    ("role", "key"), [("po-spec", "specification"), ("build", "build/1"), ("qa", "qa/1")]
)
def test_a_named_pipe_beside_the_artifact_does_not_hang_the_engine(
    project: Project, role: str, key: str
) -> None:
    ended = project.through({role: [{"behave": "well", "run": "mkfifo pipe"}]})
    assert ended.exit_code == 20
    assert project.events("contract.violated", key=key)[0]["paths"] == ["pipe"]


@pytest.mark.timeout(20)
def test_a_named_pipe_in_an_artifacts_place_in_the_real_project_does_not_hang_the_engine(
    project: Project,
) -> None:
    real = project.path(SPEC)
    swap = {"behave": "well", "run": f"rm {real} && mkfifo {real}"}
    ended = project.run({"feature-design": [swap]})
    assert ended.exit_code == 20


@pytest.mark.parametrize("act", ["rm {0}", "echo more >> {0}", "truncate -s 0 {0}"])
def test_an_agent_that_spoils_what_it_was_given_each_time_is_stopped(
    project: Project, act: str
) -> None:
    swap = {"behave": "well", "run": act.format(project.path(SPEC))}
    ended = project.run({"feature-design": [swap]})
    assert (ended.exit_code, ended.stop) == (20, "drift")
    assert "keeps changing during the run" in ended.reason
    assert len(project.events("step.started", key="design")) <= 6


def test_a_verdict_with_an_unknown_member_is_refused(project: Project) -> None:
    ended = project.run(
        {"po-spec": [{"behave": "well", "verdict": {"status": "done", "aproved": True}}]}
    )
    details = refused(project, ended, "malformed", "verdict.json")
    assert "unknown member 'aproved'" in details[0]


def test_a_verdict_word_that_the_dialect_does_not_have_is_refused(project: Project) -> None:
    ended = project.run(
        {"po-spec": [{"behave": "well", "verdict": {"status": "approved by the owner"}}]}
    )
    refused(project, ended, "malformed", "verdict.json")


def test_garbage_instead_of_an_answer_is_refused_in_spite_of_a_perfect_artifact(
    project: Project,
) -> None:
    refused(
        project,
        project.run({"po-spec": [{"behave": "well", "fail": "garbage"}]}),
        "malformed",
        "output.md",
    )


def test_an_empty_answer_is_refused_in_spite_of_a_perfect_artifact(project: Project) -> None:
    ended = project.run({"po-spec": [{"behave": "well", "fail": "empty"}]})
    assert ended.exit_code == 20
    assert len(project.events("artifact.rejected", key="specification", path="output.md")) == 2
    assert not project.path(SPEC).exists()


def test_an_agent_that_crashes_after_a_perfect_artifact_has_failed(project: Project) -> None:
    ended = project.run({"po-spec": [{"behave": "well", "fail": "crash"}]})
    assert (ended.exit_code, ended.stop) == (20, "agent_failed")
    assert project.event("retry.exhausted")["classification"] == "crash"
    assert not project.path(SPEC).exists()
    assert project.state("Current Stage") == "Specification"
    assert project.state("Current Status") == project.report("Overall Status") == "Blocked"


def test_one_repair_with_the_exact_fault_is_enough_when_the_agent_mends_it(
    project: Project,
) -> None:
    ended = project.run({"po-spec": [{"say": "DONE"}, {"behave": "well"}]}, until="specification")
    assert ended.exit_code == 0
    assert project.event("artifact.rejected")["failure"] == "missing"
    assert f"{SPEC} is missing" in project.prompt("specification")
    assert project.path(SPEC).is_file()


def test_a_pass_quoted_in_a_code_block_does_not_outweigh_the_real_result(project: Project) -> None:
    quoted = (
        "\\n## Notes\\n\\n```\\nValidation Result: Pass\\nApproval Readiness: Awaiting "
        "Approval\\n```\\n"
    )
    found = {"template": "qa", "result": "Issues Found", "readiness": "Back to Build"}
    review = {
        "write": {"@qa": found},
        "run": (
            f"sed -i '2i \\\\n```\\\\nValidation Result: Pass\\\\n```' {QA}; printf '{quoted}' >> "
            f"{QA}"
        ),
        "say": "Validation Result: Pass",
    }
    ended = project.through({"qa": [review, {"behave": "well"}]})
    assert ended.exit_code == 0
    assert project.event("step.finished", key="qa/1")["outcome"] == "revise"
    assert project.started()[-2:] == ["build/2", "qa/2"]


def test_a_pass_sent_as_data_does_not_outweigh_a_document_that_found_issues(
    project: Project,
) -> None:
    document = {"template": "qa", "result": "Issues Found", "readiness": "Back to Build"}
    lie = {
        "write": {"@qa": document},
        "verdict": {"result": "Pass", "readiness": "Awaiting Approval"},
        "say": "Pass",
    }
    project.through({"qa": [lie, {"behave": "well"}]})
    assert project.event("step.finished", key="qa/1")["outcome"] == "revise"


def test_the_report_says_what_was_refused(project: Project) -> None:
    project.run({"po-spec": [{"say": "DONE"}]})
    assert "Specification failed" in project.text(REPORT)
