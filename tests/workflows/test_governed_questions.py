from __future__ import annotations

from typing import Any

import pytest

from podium.workflows.governed.payloads.good import good_answer
from podium.workflows.governed.payloads.questions import (
    answered,
    question_faults,
    read_question,
    unanswerable,
)


def request(**members: Any) -> dict[str, Any]:
    return {
        "options": [
            {
                "id": "A",
                "description": "keep the old format",
                "pros": ["nothing breaks"],
                "cons": ["slow"],
                "affected_files": ["a.py"],
            },
            {"id": "B", "description": "write the new one"},
        ],
        "impact_analysis": "Readers of the file must follow.",
        "recommended_option": "B",
        "recommended_option_rationale": "There is only one reader.",
        **members,
    }


def report(**members: Any) -> dict[str, Any]:
    asked = {
        "status": "NEEDS_INPUT",
        "failure_classification": "escalate",
        "clarification_request": request(),
    }
    return {**good_answer("core-implementer"), **asked, **members}


def test_a_question_shows_options_with_their_price_and_the_recommendation() -> None:
    question = read_question(report())
    assert question is not None
    assert question.choices == (("A", "keep the old format"), ("B", "write the new one"))
    assert question.prompt() == (
        "Readers of the file must follow.\n\n"
        "A: keep the old format\n  + nothing breaks\n  - slow\n  files: a.py\n"
        "B (recommended): write the new one\n\n"
        "Recommended: B. There is only one reader."
    )
    assert answered(question, "A") == "A person chose option A: keep the old format"
    assert (
        answered(question, "B", "by Friday")
        == "A person chose option B: write the new one They add: by Friday"
    )


@pytest.mark.parametrize("classification", ["transient", "fixable", "needs_replan", "escalate"])
def test_a_question_is_put_whatever_class_the_report_names(classification: str) -> None:
    assert read_question(report(failure_classification=classification)) is not None


@pytest.mark.parametrize(
    ("members", "fault"),
    [
        ({"recommended_option": "C"}, "recommended_option: expected one of A, B, got 'C'"),
        ({"options": request()["options"][:1]}, "options: expected at least 2 items, got 1"),
        ({"options": [request()["options"][0]] * 2}, "options: expected different ids, got A, A"),
        (
            {"impact_analysis": "short"},
            "impact_analysis: expected at least 10 characters, got 5 ('short')",
        ),
        ({"urgency": "high"}, "urgency: expected no such member, got 'high'"),
    ],
)
def test_a_request_that_is_no_question_says_why(members: dict[str, Any], fault: str) -> None:
    wrong = request(**members)
    assert any(each.startswith(fault) for each in question_faults(wrong))
    assert read_question(report(clarification_request=wrong)) is None
    assert unanswerable(report(clarification_request=wrong)) == question_faults(wrong)


def test_a_report_that_needs_input_without_a_request_goes_to_a_person() -> None:
    silent = {name: value for name, value in report().items() if name != "clarification_request"}
    assert read_question(silent) is None
    assert unanswerable(silent) == ("the agent needs input and does not say what for",)


def test_only_a_report_that_needs_input_asks() -> None:
    assert read_question(report(status="COMPLETE")) is None
