"""What the run keeps of an answer, and what a cluster comes to before its table judges it."""

from __future__ import annotations

from typing import Any

import pytest

from podium.core.effects import Report
from podium.core.verdict import Judgement, Verdict
from podium.workflows.feature import judging
from podium.workflows.feature.documents.documents import SHAPES, compose
from podium.workflows.feature.findings.finding import MAX_FINDINGS, MAX_TEXT
from podium.workflows.feature.memory.memory import from_data
from podium.workflows.feature.run import FeatureRun

GOOD = Verdict("ok", "DONE", "written")
RUN = FeatureRun(step="x", slug="words")


def text(shape: str, **members: Any) -> str:
    return compose(SHAPES[shape])(members, "", {})


def report(verdict: Verdict = GOOD, run: FeatureRun = RUN, **outputs: str) -> Report:
    return Report(verdict, outputs=outputs, run=run)


def failed(reason: str = "no") -> Judgement:
    """As the engine makes it when it gives an agent up."""
    return Judgement("fail", "ERROR", reason, stop="agent_failed")


# -- alone


def test_an_agent_that_works_alone_has_its_document_recorded_and_its_lacks_told() -> None:
    found = judging.judge_alone("spec", "2", "feature", report(out="# F\n\nWords.\n"))
    assert found.outcome == "ok"
    (row,) = from_data(found.sets["memory"]).artifacts
    assert (row.path, row.updated_by) == ("docs/feature/words/feature.md", "spec")
    assert (
        "feature.md: 'Background' is missing: write it as a section `## Background`"
        in found.sets["warnings"]
    )
    assert found.sets["warnings"][-1] == "spec (step 2) added nothing to the memory"
    assert found.facts[0]["text"].splitlines() == found.sets["warnings"]


def test_warnings_that_are_known_are_not_kept_twice() -> None:
    first = judging.judge_alone("spec", "2", "feature", report(out=text("feature")))
    run = FeatureRun(step="x", slug="words", warnings=list(first.sets["warnings"]))
    assert (
        judging.judge_alone("spec", "2", "feature", report(run=run, out=text("feature"))).sets[
            "warnings"
        ]
        == run.warnings
    )


def test_an_error_sets_nothing() -> None:
    found = judging.judge_alone("spec", "2", "feature", report(Verdict("fail", "ERROR", "no")))
    assert (found.outcome, found.word, found.reason, found.sets) == ("fail", "ERROR", "no", {})


# -- members


def test_a_member_is_kept_with_its_word_its_findings_and_whether_it_wrote() -> None:
    found = {"severity": "High", "where": "a", "what": "b", "extra": "c"}
    said = Verdict(
        "revise",
        "NEEDS_REVISION",
        "look",
        {"severity": "High", "tasks": ["01"], "findings": [found]},
    )
    seen = judging.judge_member("r-quality", report(said, out=text("r-quality"))).sets["seen"]
    assert seen == {
        "word": "NEEDS_REVISION",
        "reason": "look",
        "wrote": True,
        "lacks": [],
        "data": {
            "severity": "High",
            "tasks": ["01"],
            "findings": [{"severity": "High", "where": "a", "what": "b"}],
        },
    }
    assert judging.judge_member("r-quality", report(said)).sets["seen"]["wrote"] is False


def test_too_many_findings_keep_the_worst_and_long_texts_are_cut() -> None:
    many = [{"severity": "Low", "what": f"{n}"} for n in range(MAX_FINDINGS)] + [
        {"severity": "Critical", "what": "x" * 9999}
    ]
    kept = judging.judge_member(
        "ct-security", report(Verdict("ok", "DONE", "", {"findings": many}))
    ).sets["seen"]["data"]["findings"]
    assert len(kept) == MAX_FINDINGS
    assert (kept[0]["severity"], len(kept[0]["what"])) == ("Critical", MAX_TEXT)


def test_members_are_gathered_under_the_name_of_their_cluster_and_one_that_was_given_up_is_an_error() -> (  # noqa: E501
    None
):
    good = judging.judge_member("v-tests", report(out="# T\n\nStatus: PASS\n"))
    found = judging.gather("v_seen", {"v-tests": good, "v-tasks": failed("died")})
    assert (found.outcome, found.word) == ("ok", "v-tests: DONE, v-tasks: ERROR")
    assert found.sets["v_seen"]["v-tasks"] == {
        "word": "ERROR",
        "reason": "died",
        "data": {},
        "wrote": False,
        "lacks": [],
    }


@pytest.mark.parametrize(("bad", "outcome"), [(0, "ok"), (2, "ok"), (3, "fail"), (4, "fail")])
def test_the_design_review_needs_two_results(bad: int, outcome: str) -> None:
    members = ("ct-security", "ct-scalability", "ct-maintainability", "ct-strategy")
    good = judging.judge_member("ct-security", report(out=text("ct-security")))
    found = judging.gather_ct(
        "ct_seen", {name: failed() if n < bad else good for n, name in enumerate(members)}
    )
    assert (found.outcome, found.stop) == (outcome, "cluster" if outcome == "fail" else "")
    assert ("ct_seen" in found.sets) == (outcome == "ok")


@pytest.mark.parametrize(
    ("bad", "route"), [(0, "DONE"), (1, "DONE"), (2, "DONE"), (3, "ERROR"), (4, "ERROR")]
)
def test_research_needs_two_of_four_and_names_those_that_failed(bad: int, route: str) -> None:
    names = ("architecture", "impact", "dependencies", "patterns")
    good = judging.judge_member("research/impact", report(out=text("research/impact")))
    found = judging.decide_sources(
        {name: failed() if n < bad else good for n, name in enumerate(names)}
    )
    assert found.route == route
    assert ("architecture gave no result" in str(found.facts)) == (0 < bad < 3)
    assert judging.decide_sources({}).route == "ERROR"


def test_what_members_lack_is_told() -> None:
    short = judging.judge_member("ct-security", report(out="# R\n\nFine.\n"))
    found = judging.gather("ct_seen", {"ct-security": short})
    assert "ct-review/ct-security.md: 'Requirement Coverage' is missing" in found.facts[0]["text"]
    assert judging.lacking(found.sets["ct_seen"]) == found.facts[0]["text"].splitlines()


# -- the gate of the verification, and security


@pytest.mark.parametrize(
    ("document", "outcome"),
    [
        ("Status: PASS\n", "ok"),
        ("Status: FAIL\n", "fail"),
        ("Status: perhaps\n", "fail"),
        ("It was built.\n", "fail"),
        (" \n", "ok"),
    ],
)
def test_a_build_is_good_only_if_its_document_says_so_or_nothing_at_all(
    document: str, outcome: str
) -> None:
    found = judging.judge_build(report(out=document))
    assert found.outcome == outcome
    assert found.sets["build_seen"]["v-build"]["word"] == "DONE"


def test_security_asked_again_takes_the_place_of_its_first_answer() -> None:
    run = FeatureRun(
        step="r_security", r_seen={"r-security": {"word": "old"}, "r-quality": {"word": "DONE"}}
    )
    seen = judging.judge_security(report(run=run, out=text("r-security"))).sets["r_seen"]
    assert (seen["r-security"]["word"], seen["r-quality"]["word"]) == ("DONE", "DONE")


# -- tasks


def test_a_task_is_kept_with_what_it_said_and_changed_within_limits() -> None:
    paths = tuple(f"src/{n}.py" for n in range(judging.MAX_CHANGED + 7))
    told = Report(GOOD, answer="x" * 9999, changed=paths, run=RUN)
    result = judging.judge_task(told).sets["result"]
    assert (len(result["said"]), len(result["changed"]), result["more"]) == (
        judging.MAX_SAID,
        judging.MAX_CHANGED,
        7,
    )


def test_a_wave_is_done_when_all_its_tasks_are_and_every_other_end_is_an_error() -> None:
    good = judging.judge_task(Report(GOOD, changed=("a",), run=RUN))
    assert judging.decide_wave({"01-a": good}).route == "DONE"
    clash = Judgement("fail", "conflict", "cannot be merged", stop="conflict")
    lost = Judgement("ok", "DONE")
    for bad in (failed("died"), clash, lost):
        found = judging.decide_wave({"01-a": good, "02-b": bad})
        assert found.route == "ERROR"
        assert found.sets["results"]["01-a"]["status"] == "DONE"
        assert found.sets["results"]["02-b"]["status"] == "ERROR"
    assert judging.decide_wave({"02-b": clash}).reason == "02-b: cannot be merged"
