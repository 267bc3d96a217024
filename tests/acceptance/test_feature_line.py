"""A feature goes through eight steps; every agent answers in one line, and one that fails is
asked once more.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.fakes.feature import CT, ERROR, FOLDER, RESEARCHERS, WELL, FeatureProject, R, V, says

LINE = [
    "research",
    "synthesis",
    "spec",
    "design",
    "ct",
    "ct_verdict",
    "plan",
    "schedule",
    "wave",
    "v_build",
    "v",
    "v_verdict",
    "r",
    "r_verdict",
    "done",
]
DOCUMENTS = {
    "initial-request.md",
    "memory.md",
    "analysis.md",
    "feature.md",
    "design.md",
    "design_critical_review.md",
    "plan.md",
    "tasks/01-feature.md",
    "verifier.md",
    "review.md",
    "verification/v-build.md",
    *(f"research/{each}.md" for each in RESEARCHERS),
    *(f"ct-review/{each}.md" for each in CT),
    *(f"verification/{each}.md" for each in V),
    *(f"review/{each}.md" for each in R),
}


def test_a_feature_goes_through_every_step_and_leaves_every_document_where_it_belongs(
    feature: FeatureProject,
) -> None:
    ended = feature.feature()
    assert (ended.exit_code, feature.outcome()) == (0, "complete")
    assert feature.steps() == LINE
    assert {
        name.removeprefix(f"{FOLDER}/") for name in feature.snapshot() if name.startswith(FOLDER)
    } == DOCUMENTS
    assert feature.roles() == [
        *["researcher"] * 5,
        "spec",
        "designer",
        *CT,
        "planner",
        "implementer",
        "v-build",
        *V,
        *R,
    ]
    # Who ends first of those side by side is left to chance.
    assert sorted(feature.done()) == sorted(
        [
            "setup",
            *(f"research/{each}" for each in RESEARCHERS),
            "synthesis",
            "spec",
            "design/1",
            *(f"ct/1/{each}" for each in CT),
            "ct-verdict/1",
            "plan/1",
            "schedule/1",
            "wave/1/01-feature",
            "v-build/1",
            *(f"v/1/{each}" for each in V),
            "v-verdict/1",
            *(f"r/1/{each}" for each in R),
            "r-verdict/1",
        ]
    )
    assert feature.most_at_once() <= 4
    assert "Count words" in feature.document("initial-request.md")
    assert feature.document("memory.md").startswith("# Operational Memory\n")
    phases = [each["phase"] for each in feature.events("phase.entered")]
    assert phases == [
        "Setup",
        "Research",
        "Specification",
        "Design",
        "Design review",
        "Planning",
        "Implementation",
        "Verification",
        "Review",
    ]


def test_two_of_four_researchers_are_enough_and_each_that_failed_was_asked_once_more(
    feature: FeatureProject,
) -> None:
    broken = {"research/impact": ERROR, "research/patterns": {"fail": "crash"}}
    ended = feature.feature(keys=broken, until="synthesis")
    assert ended.exit_code == 0
    assert [feature.asked(f"research/{each}") for each in RESEARCHERS] == [1, 2, 1, 2]
    assert not feature.has("research/impact.md")
    assert feature.has("analysis.md")
    assert "impact gave no result (ERROR)" in feature.warnings()


def test_with_one_result_of_four_research_stops_the_run(feature: FeatureProject) -> None:
    ended = feature.feature(keys={f"research/{each}": ERROR for each in RESEARCHERS[:3]})
    assert ended.exit_code == 20
    assert "fewer than 2 results" in ended.reason
    assert feature.roles() == ["researcher"] * 7
    assert feature.event("run.blocked")["key"] == "research"


def test_a_person_who_sends_the_run_on_has_only_those_asked_again_that_failed(
    feature: FeatureProject,
) -> None:
    calls = {f"research/{each}": [ERROR, ERROR, WELL] for each in RESEARCHERS[:3]}
    feature.feature(keys=calls)
    ended = feature.resume(because="the service is back", until="synthesis")
    assert ended.exit_code == 0
    assert [feature.asked(f"research/{each}") for each in RESEARCHERS] == [3, 3, 3, 1]


@pytest.mark.parametrize("role", ["researcher", "spec", "designer", "planner"])
def test_an_agent_that_works_alone_and_fails_twice_halts_the_run(
    feature: FeatureProject, role: str
) -> None:
    key = {"researcher": "synthesis", "spec": "spec", "designer": "design/1", "planner": "plan/1"}[
        role
    ]
    ended = feature.feature(keys={key: ERROR})
    assert ended.exit_code == 20
    assert "it cannot be done" in ended.reason
    assert feature.asked(key) == 2
    assert feature.roles()[-1] == role


SPELLINGS = [
    "DONE: spec — written",
    "**DONE:** written",
    "`DONE`: written",
    "DONE — written",
    "DONE – written",
    "DONE - written",
    "DONE (all of it): written",
    "DONE: written\n\nThe rest is in the document.",
    "I wrote it.\n\nDONE: written\n\n",
]


def short(line: str) -> dict[str, Any]:
    return {"write": {"@out": "# F\n\nWords are counted.\n"}, "say": line}


def test_the_verdict_line_is_read_in_every_spelling_and_first_or_last(
    feature: FeatureProject,
) -> None:
    keys = [
        *(f"research/{each}" for each in RESEARCHERS),
        "synthesis",
        "spec",
        "design/1",
        *(f"ct/1/{each}" for each in CT),
    ]
    assert len(SPELLINGS) <= len(keys)
    ended = feature.feature(
        keys={key: short(line) for key, line in zip(keys, SPELLINGS, strict=False)}, until="ct/1"
    )
    assert ended.exit_code == 0
    assert [feature.asked(key) for key in keys] == [1] * len(keys)
    assert {each["verdict"] for each in feature.events("step.finished") if each["key"] in keys} == {
        "DONE"
    }


def test_a_verdict_in_a_line_is_kept_as_the_object_it_stands_for(feature: FeatureProject) -> None:
    feature.feature(
        keys={"spec": short("DONE: three criteria"), "research/impact": WELL}, until="spec"
    )
    assert json.loads(feature.step("spec", "verdict.json").read_text()) == {
        "status": "DONE",
        "summary": "three criteria",
        "tasks": [],
    }
    assert (
        json.loads(feature.step("research/impact", "verdict.json").read_text())["status"] == "DONE"
    )


MALFORMED = [
    "done",
    "Done: written",
    "All DONE",
    "DONE",
    "DONEISH: written",
    "FINISHED: written",
    "",
    "a\n\nDONE: b\n\nc",
]


@pytest.mark.parametrize("lines", [MALFORMED[:4], MALFORMED[4:]])
def test_anything_else_is_asked_for_once_more_and_then_an_error(
    feature: FeatureProject, lines: list[str]
) -> None:
    calls = {f"research/{each}": short(line) for each, line in zip(RESEARCHERS, lines, strict=True)}
    assert feature.feature(keys=calls).exit_code == 20
    assert [feature.asked(key) for key in calls] == [2] * 4
    assert {each["path"] for each in feature.events("artifact.rejected")} == {"verdict.json"}
    assert {
        each["outcome"] for each in feature.events("step.finished") if each["key"] in calls
    } == {"fail"}


def test_an_answer_that_is_mended_on_the_second_asking_is_good(feature: FeatureProject) -> None:
    assert (
        feature.feature(
            keys={"spec": [short("ready"), short("DONE: ready")]}, until="spec"
        ).exit_code
        == 0
    )
    assert feature.asked("spec") == 2
    assert "the answer holds no verdict" in feature.prompt("spec")


ANSWERS: list[dict[str, Any]] = [
    {"say": "nothing"},
    ERROR,
    {"fail": "crash"},
    {"fail": "garbage"},
    {"fail": "empty"},
    {**WELL, "write": {"src/app.py": "VALUE = 2\n"}},
]


@pytest.mark.parametrize("second", [ANSWERS[0], ANSWERS[1], ANSWERS[5]])
@pytest.mark.parametrize("some", [ANSWERS[:4], ANSWERS[2:]])
def test_one_retry_is_one_in_whatever_ways_an_agent_fails(
    feature: FeatureProject, some: list[dict[str, Any]], second: dict[str, Any]
) -> None:
    calls = {
        f"research/{each}": [first, second, WELL]
        for each, first in zip(RESEARCHERS, some, strict=True)
    }
    assert feature.feature(keys=calls).exit_code == 20
    assert [feature.asked(key) for key in calls] == [2] * 4


def test_an_agent_that_may_not_ask_for_a_revision_fails_when_it_does(
    feature: FeatureProject,
) -> None:
    ended = feature.feature(keys={"spec": says("NEEDS_REVISION", summary="unclear")})
    assert ended.exit_code == 20
    assert "this agent may not answer NEEDS_REVISION, so it counts as ERROR" in ended.reason
    assert feature.asked("spec") == 2


def test_a_verdict_object_with_an_unknown_member_is_refused(feature: FeatureProject) -> None:
    feature.feature(
        keys={"research/impact": {**WELL, "verdict": {"sumary": "DONE"}}}, until="research"
    )
    assert feature.event("step.finished", key="research/impact")["outcome"] == "fail"
    assert "did you mean 'summary'?" in feature.events("artifact.rejected")[0]["detail"]


def test_documents_that_lack_sections_are_taken_with_a_warning(feature: FeatureProject) -> None:
    short = {"write": {"@out": "# Title\n\nAll is well.\n"}, "say": "DONE: short"}
    ended = feature.feature(
        dict.fromkeys(("researcher", "spec", "designer", *CT, "r-quality", "r-knowledge"), short)
    )
    assert (ended.exit_code, feature.outcome()) == (0, "complete")
    assert "feature.md: 'Acceptance Criteria' is missing" in feature.warnings()
    assert "research/impact.md: 'confidence_level' is missing" in feature.warnings()
    assert "ct-review/ct-strategy.md: 'Requirement Coverage' is missing" in feature.warnings()
    assert feature.events("artifact.rejected") == []


def test_with_structure_required_the_same_is_refused_and_every_lack_is_named(
    feature: FeatureProject,
) -> None:
    short = {"write": {"@out": "# Title\n\nAll is well.\n"}, "say": "DONE: short"}
    ended = feature.feature(
        keys={"spec": [short, WELL]}, policy={"structure": "require"}, until="spec"
    )
    assert ended.exit_code == 0
    refused = feature.event("artifact.rejected", key="spec")["detail"]
    assert refused.count("is missing") == 9
    assert "'Acceptance Criteria' is missing" in feature.prompt("spec")


def test_a_skeleton_or_an_empty_document_is_refused_whatever_the_policy(
    feature: FeatureProject,
) -> None:
    texts = ("# Title\n\n## Background\n\n<!-- say it -->\n", "", "   \n", "# Title\n\nTBD\n")
    calls = {
        f"research/{each}": {"write": {"@out": text}, "say": "DONE: written"}
        for each, text in zip(RESEARCHERS, texts, strict=True)
    }
    assert feature.feature(keys=calls).exit_code == 20
    assert [feature.asked(key) for key in calls] == [2] * 4
    assert {each["failure"] for each in feature.events("artifact.rejected")} == {
        "malformed",
        "empty",
    }


def test_a_request_without_a_word_and_a_limit_of_no_agent_are_refused_before_anything_is_written(
    feature: FeatureProject,
) -> None:
    from podium.core.errors import PodiumError  # noqa: PLC0415

    before = feature.snapshot()
    for request, policy in (("  ", {}), ("Count words", {"max_parallel": 0})):
        with pytest.raises(PodiumError) as refused:
            feature.feature(request=request, policy=policy)
        assert refused.value.exit_code == 2
    assert feature.snapshot() == before
    assert not (feature.root / ".podium" / "runs").exists()
