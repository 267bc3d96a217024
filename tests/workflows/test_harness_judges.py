"""What a finished stage means: the files decide, and words beside them can only make it worse."""

from __future__ import annotations

import pytest

from podium.core.effects import Report
from podium.core.verdict import Verdict
from podium.workflows.harness import qa
from podium.workflows.harness.judges import JUDGES, judge_document, judge_review

DONE = Verdict("ok", "done", "written")


def lifecycle(value: str) -> str:
    return f"# Spec\n\n## Lifecycle Check\n\nTask ID: T001  \nProceeding Validly: {value}\n"


def reviewed(document: dict[str, object], sent: dict[str, object] | None = None) -> Report:
    text = qa.compose(document, {"Task": "T001"}, ())
    return Report(Verdict("ok", "Pass", data=sent or {}), outputs={"qa": text})


def test_every_kind_of_stage_has_its_judge() -> None:
    assert set(JUDGES) == {"document", "build", "review"}


def test_a_verified_document_is_success_with_the_agents_word() -> None:
    found = judge_document(Report(DONE, outputs={"spec": lifecycle("Yes")}))
    assert (found.outcome, found.word) == ("ok", "done")


@pytest.mark.parametrize("value", ["No", "no", "NO", "**No**", "No — the stage is not QA", "No."])
def test_a_document_that_says_it_does_not_proceed_validly_stops_the_run(value: str) -> None:
    found = judge_document(Report(DONE, outputs={"spec": lifecycle(value)}))
    assert (found.outcome, found.reason) == (
        "fail",
        "lifecycle rules do not permit progression: spec says Proceeding Validly: No",
    )


def test_a_review_that_says_it_does_not_proceed_validly_stops_the_run_whatever_its_result() -> None:
    text = (
        qa.compose({"result": "Pass"}, {"Task": "T001"}, ())
        + "\n"
        + lifecycle("No").partition("\n\n")[2]
    )
    found = judge_review(Report(Verdict("ok", "Pass"), outputs={"qa": text}))
    assert (found.outcome, found.stop) == ("fail", "lifecycle")
    assert (
        found.reason == "lifecycle rules do not permit progression: qa says Proceeding Validly: No"
    )


def test_a_no_in_another_section_changes_nothing() -> None:
    text = lifecycle("Yes") + "\n## Risks\n\nProceeding Validly: No\n"
    assert judge_document(Report(DONE, outputs={"spec": text})).outcome == "ok"


def test_an_agent_that_says_it_cannot_is_believed_in_spite_of_a_document() -> None:
    said = Verdict("fail", "blocked", "no access")
    found = judge_document(Report(said, outputs={"spec": lifecycle("Yes")}))
    assert (found.outcome, found.word, found.reason) == ("fail", "blocked", "no access")


def test_a_review_that_passes_passes() -> None:
    found = judge_review(reviewed({"result": "Pass", "criteria": {"AC1": "Pass"}}))
    assert (found.outcome, found.word, found.contradictions) == ("ok", "Pass", ())


def test_the_document_decides_whatever_was_said_beside_it() -> None:
    found = judge_review(
        reviewed({"result": "Issues Found", "readiness": "Back to Build"}, {"result": "Pass"})
    )
    assert found.outcome == "revise"


def test_what_was_sent_beside_a_good_document_can_make_it_worse() -> None:
    found = judge_review(
        reviewed({"result": "Pass"}, {"result": "Issues Found", "readiness": "Back to Build"})
    )
    assert found.outcome == "revise"


def test_a_failed_criterion_sent_beside_a_good_document_counts() -> None:
    assert (
        judge_review(reviewed({"result": "Pass"}, {"criteria": {"AC2": "Fail"}})).outcome
        == "revise"
    )


def test_a_contradiction_is_named_and_the_worse_counts() -> None:
    found = judge_review(reviewed({"result": "Pass", "criteria": {"AC1": "Fail"}}))
    assert found.outcome == "revise"
    assert found.contradictions
    assert "AC1" in found.reason


def test_blocked_stops_the_run_with_qas_own_words() -> None:
    found = judge_review(reviewed({"result": "Blocked", "notes": "the database is down"}))
    assert (found.outcome, found.word) == ("fail", "Blocked")
    assert found.reason.startswith("the database is down")


@pytest.mark.parametrize(
    "outputs", [{}, {"qa": ""}, {"qa": "# QA\n\nAll good, Validation Result is obviously Pass.\n"}]
)
def test_a_review_without_a_result_is_malformed_and_never_a_pass(outputs: dict[str, str]) -> None:
    found = judge_review(Report(Verdict("ok", "Pass", data={"result": "Pass"}), outputs=outputs))
    assert (found.outcome, found.word) == ("fail", "malformed")


def test_build_is_judged_by_what_it_said_because_its_proof_is_the_engines_business() -> None:
    assert JUDGES["build"](Report(DONE)).outcome == "ok"
    assert JUDGES["build"](Report(Verdict("fail", "failed", "no"))).outcome == "fail"
