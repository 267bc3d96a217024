"""The final review: tasks mend what it finds once, then everything is planned anew once, then
the run halts.
"""

from __future__ import annotations

from typing import Any

import pytest
from tests.fakes.feature import ERROR, FOLDER, WELL, FeatureProject, R, builds, finds, planner, says

TWO: tuple[dict[str, list[str]], ...] = ({"01-a": [], "02-b": []},)
MAJOR = finds(
    "Major", "NEEDS_REVISION", where="src/01-a.py", what="errors are swallowed", tasks=["01"]
)
BLOCKER = finds("Blocker", "NEEDS_REVISION", where="src/01-a.py", what="a secret in the code")
FIX = ["r_fix", "r_check", "r", "r_verdict"]
ANEW = ["plan", "schedule", "wave", "v_build", "v", "v_verdict", "r", "r_verdict"]


def from_review(feature: FeatureProject) -> list[str]:
    steps = feature.steps()
    return steps[steps.index("r") :]


def test_a_major_finding_is_mended_by_the_agent_of_its_task_and_all_four_look_again(
    feature: FeatureProject,
) -> None:
    fix = {"write": {"src/01-a.py": "MENDED = True\n"}, "say": "DONE: 01-a"}
    keys = {"wave/1/01-a": builds("01-a"), "review-fix/1/01-a": fix}
    ended = feature.feature({"planner": planner(*TWO), "r-quality": [MAJOR, WELL]}, keys=keys)
    assert (ended.exit_code, feature.outcome()) == (0, "complete")
    assert from_review(feature) == ["r", "r_verdict", *FIX, "done"]
    assert feature.event("step.finished", key="r-verdict/1")["verdict"].endswith(
        "— affects tasks: 01-a"
    )
    assert [key for key in feature.started() if key.startswith("review-fix/")] == [
        "review-fix/1/01-a"
    ]
    assert "review" in feature.event("step.started", key="review-fix/1/01-a")["inputs"]
    assert "Fix what review.md finds in this task" in feature.prompt("review-fix/1/01-a")
    assert [key for key in feature.started() if key.startswith("r/2/")] == [
        f"r/2/{each}" for each in R
    ]
    assert feature.text("src/01-a.py") == "MENDED = True\n"
    assert feature.events("step.stale") == []


def test_still_major_means_one_full_replan_and_then_the_run_halts(feature: FeatureProject) -> None:
    ended = feature.feature({"planner": planner(*TWO), "r-quality": MAJOR})
    assert ended.exit_code == 20
    assert ended.reason.startswith("ERROR: ")
    assert from_review(feature) == ["r", "r_verdict", *FIX, *ANEW]
    assert feature.roles().count("planner") == 2
    assert feature.event("run.blocked")["key"] == "r-verdict/3"
    assert {"review", "verifier"} <= set(feature.event("step.started", key="plan/2")["inputs"])


def test_a_replan_that_helps_completes_the_run(feature: FeatureProject) -> None:
    ended = feature.feature({"planner": planner(*TWO), "r-quality": [MAJOR, MAJOR, WELL]})
    assert (ended.exit_code, feature.outcome()) == (0, "complete")
    assert from_review(feature) == ["r", "r_verdict", *FIX, *ANEW, "done"]


def test_a_verification_that_fails_after_the_replan_is_not_replanned_again(
    feature: FeatureProject,
) -> None:
    ended = feature.feature(
        {
            "planner": planner(*TWO),
            "r-quality": [MAJOR, WELL],
            "v-tests": [WELL, says("NEEDS_REVISION")],
        },
        policy={"max_r_loops": 0},
    )
    assert (ended.exit_code, feature.outcome()) == (0, "completed_with_findings")
    assert from_review(feature) == ["r", "r_verdict", *ANEW, "done"]


def test_a_major_finding_in_a_document_whose_line_says_done_is_not_accepted_as_done(
    feature: FeatureProject,
) -> None:
    text = (
        "# Review\n\n### [Severity: Major] Swallowed\n\n- **What:** errors\n- **Where:** "
        "src/01-a.py\n- **Affects Tasks:** 01\n"
    )
    lie = {"write": {"@out": text}, "say": "DONE: quality — fine"}
    feature.feature({"planner": planner(*TWO), "r-quality": lie}, until="r-verdict/1")
    assert feature.event("step.finished", key="r-verdict/1")["verdict"] == (
        "NEEDS_REVISION: review — r-quality DONE with Major — affects tasks: 01-a"
    )


@pytest.mark.parametrize("found", [{"where": "src/02-b.py:1"}, {"where": "everywhere"}])
def test_findings_without_a_task_go_to_whoever_changed_the_place_or_else_to_all(
    feature: FeatureProject, found: dict[str, Any]
) -> None:
    nameless = finds("Major", "NEEDS_REVISION", **found)
    keys = {"wave/1/01-a": builds("01-a"), "wave/1/02-b": builds("02-b")}
    feature.feature({"planner": planner(*TWO), "r-testing": [nameless, WELL]}, keys=keys)
    fixed = [key.rpartition("/")[2] for key in feature.started() if key.startswith("review-fix/")]
    assert fixed == (["02-b"] if "src" in found["where"] else ["01-a", "02-b"])


def test_fixes_that_break_the_tests_do_not_pass_whatever_the_reviewers_say(
    feature: FeatureProject,
) -> None:
    breaks = {"write": {"src/01-a.py": "broken = True\n"}, "say": "DONE: 01-a"}
    mends = {"write": {"src/01-a.py": "fine = True\n"}, "say": "DONE: 01-a"}
    keys = {"wave/1/01-a": builds("01-a"), "review-fix/1/01-a": breaks, "fix/1/wave/1/01-a": mends}
    ended = feature.feature({"planner": planner(*TWO), "r-quality": [MAJOR, WELL]}, keys=keys)
    assert (ended.exit_code, feature.outcome()) == (0, "complete")
    assert (
        "after the fixes test: failed (exit 1)"
        in feature.event("step.finished", key="r-verdict/2")["reason"]
    )
    assert from_review(feature) == ["r", "r_verdict", *FIX, *ANEW, "done"]


def test_a_blocker_of_security_is_asked_about_once_more_then_planned_anew_then_halts(
    feature: FeatureProject,
) -> None:
    ended = feature.feature({"planner": planner(*TWO), "r-security": BLOCKER})
    assert ended.exit_code == 20
    assert "nothing passes security" in ended.reason
    asked = ["r_security", "r_verdict"]
    assert from_review(feature) == ["r", "r_verdict", *asked, *ANEW, *asked]
    assert feature.roles().count("r-security") == 4
    assert not feature.events("run.completed")


def test_a_blocker_that_security_takes_back_is_told(feature: FeatureProject) -> None:
    ended = feature.feature({"r-security": [BLOCKER, WELL]})
    assert (ended.exit_code, feature.outcome()) == (0, "complete")
    assert "r-security reported a Blocker and, asked again, did not" in feature.warnings()
    assert "Look again" in feature.prompt("r-security/1")


@pytest.mark.parametrize(
    "answer",
    [
        ERROR,
        {"fail": "crash"},
        {"write": {"@out": "\n"}, "say": "DONE: secure"},
        {"say": "DONE: secure"},
    ],
)
def test_nothing_passes_without_the_security_review(
    feature: FeatureProject, answer: dict[str, Any]
) -> None:
    ended = feature.feature({"r-security": answer})
    assert ended.exit_code == 20
    assert [feature.asked(f"r/{n}/r-security") for n in (1, 2)] == [2, 2]
    assert from_review(feature) == ["r", "r_verdict", *ANEW]


def test_a_critical_finding_that_security_reports_beside_done_is_a_blocker(
    feature: FeatureProject,
) -> None:
    feature.feature({"r-security": finds("Critical")}, until="r-verdict/2")
    assert feature.event("step.finished", key="r-verdict/2")["verdict"].startswith(
        "ERROR: review — nothing passes security"
    )


def test_the_knowledge_review_never_blocks(feature: FeatureProject) -> None:
    ended = feature.feature({"r-knowledge": ERROR})
    assert (ended.exit_code, feature.outcome()) == (0, "complete")
    assert feature.asked("r/1/r-knowledge") == 2
    assert "r-knowledge gave no result (ERROR)" in feature.warnings()


def test_one_reviewer_that_fails_is_passed_over_with_a_warning(feature: FeatureProject) -> None:
    feature.feature({"r-quality": ERROR})
    assert (
        feature.event("step.finished", key="r-verdict/1")["verdict"]
        == "DONE: review — 3 of 4 members are done"
    )
    assert "r-quality gave no result (ERROR)" in feature.warnings()
    assert feature.asked("r/1/r-quality") == 2


@pytest.mark.parametrize(
    ("path", "tier"),
    [("src/auth/login.py", "Full"), ("docs/guide.md", "Lightweight"), ("src/words.py", "Standard")],
)
def test_the_tier_is_computed_from_what_changed_and_told_to_the_reviewers(
    feature: FeatureProject, path: str, tier: str
) -> None:
    feature.feature(
        keys={"wave/1/*": {"write": {path: "x = 1\n"}, "say": "DONE: 01-feature"}},
        until="r-verdict/1",
    )
    assert f"Review tier: {tier}." in feature.prompt("r/1/r-quality")
    assert path in feature.prompt("r/1/r-quality")
    assert tier in feature.document("review.md").partition("## Review Tier")[2].partition("##")[0]


def test_reviewers_see_the_difference_of_all_code_and_no_document_of_others(
    feature: FeatureProject,
) -> None:
    look = {
        **WELL,
        "read": [
            f"{FOLDER}/review/changes.patch",
            f"{FOLDER}/design.md",
            f"{FOLDER}/review/r-security.md",
            "src/app.py",
        ],
    }
    keys = {"wave/1/*": builds("01-feature")}
    feature.feature({"r-testing": look}, keys=keys, until="r/1")
    said = feature.said("r/1/r-testing")
    assert "design.md: not there" in said
    assert "r-security.md: not there" in said
    assert "src/app.py: 10 bytes" in said
    assert "changes.patch: not there" not in said


def test_a_person_who_sends_a_halted_review_on_gives_it_its_ways_again(
    feature: FeatureProject,
) -> None:
    first = feature.feature({"planner": planner(*TWO), "r-quality": [MAJOR, MAJOR, MAJOR, WELL]})
    assert first.exit_code == 20
    ended = feature.resume(because="I looked at it: mend it once more")
    assert (ended.exit_code, feature.outcome()) == (0, "complete")
