"""The end of an iteration: words against evidence, the entry in progress.yaml, the commit, the
documents.
"""

from __future__ import annotations

from typing import Any

import pytest
from ruamel.yaml import YAML
from tests.fakes.evidence import evidence

from podium.core.effects import Report
from podium.core.verdict import Judgement, Verdict
from podium.proof.evidence import State
from podium.workflows.ticket import reviewing
from podium.workflows.ticket.request.naming import DOCS, DOCS_CACHE
from podium.workflows.ticket.run import TicketRun

NOW = {"name": "clock", "now": "2026-03-01T12:30:00+00:00"}
REVIEW = "prompts/PROJ-1/iteration_0/review_report.yaml"


def run(**members: Any) -> TicketRun:
    told: dict[str, Any] = {
        "tasks": {"T1": ["ACCEPTED", 1], "T2": ["ACCEPTED", 2]},
        "iteration_began": "2026-03-01T12:00:00Z",
        "created_at": "2026-03-01T11:00:00Z",
        "build_command": "make",
        "test_command": "make test",
        "review": {"outcome": "ok", "reason": "fine"},
    }
    return TicketRun(step="judge", jira="PROJ-1", **{**told, **members})


def ran(*states: State, **facts: Any) -> list[dict[str, Any]]:
    """What the program saw of build and test, in this order."""
    lines = ("make", "make test")
    output = dict.fromkeys(("failed", "not_run"), "FAILED x")
    return [
        NOW,
        *(
            evidence(state, line, output=output.get(state, ""), **facts)
            for state, line in zip(states, lines, strict=False)
        ),
    ]


def report(found: Judgement) -> dict[str, Any]:
    data: dict[str, Any] = YAML(typ="safe", pure=True).load(found.writes[REVIEW])
    return data


def test_an_acceptance_that_the_program_sees_hold_is_one() -> None:
    found = reviewing.judged(run(), {}, ran("passed", "passed"))
    assert found.route == "accepted"
    assert report(found) == {
        "status": "ACCEPTED",
        "mode": "prompt-review",
        "build": "PASSED",
        "tests": "PASSED",
        "files_verified": True,
        "notes": "fine",
        "reviewed_at": "2026-03-01T12:30:00Z",
    }
    assert found.sets["percent"] == 100
    assert found.facts[-1]["text"].startswith("Progress: 100%")


def test_a_reviewers_own_words_and_comments_stay_in_its_document() -> None:
    text = "# by module\nstatus: ACCEPTED\nnotes: fine   # see export.py\nlooked_at: [export.py]\n"
    found = reviewing.judged(
        run(
            review={"outcome": "ok", "reason": "", "said": {"status": "ACCEPTED", "notes": "fine"}}
        ),
        {REVIEW: text},
        ran("passed", "passed"),
    )
    assert found.writes[REVIEW].startswith(text)
    assert (report(found)["build"], report(found)["looked_at"]) == ("PASSED", ["export.py"])


@pytest.mark.parametrize(
    ("states", "build", "tests"),
    [
        (("failed", "passed"), "FAILED", "PASSED"),
        (("passed", "failed"), "PASSED", "FAILED"),
        (("failed", "failed"), "FAILED", "FAILED"),
        (("passed", "not_run"), "PASSED", "FAILED"),
        (("failed",), "FAILED", "FAILED"),
    ],
)
def test_an_acceptance_against_what_the_program_saw_is_a_rejection(
    states: tuple[State, ...], build: str, tests: str
) -> None:
    found = reviewing.judged(run(), {}, ran(*states))
    assert (found.route, report(found)["build"], report(found)["tests"]) == (
        "rejected",
        build,
        tests,
    )
    assert "FAILED x" in report(found)["notes"]
    assert found.sets["percent"] != 100


def test_only_the_commands_that_there_are_count() -> None:
    found = reviewing.judged(
        run(build_command=""),
        {},
        [NOW, evidence()],
    )
    assert (report(found)["build"], report(found)["tests"]) == ("NOT_RUN", "PASSED")
    assert reviewing.commands(run(build_command="", directory="api")) == ["cd api && make test"]


def test_what_a_person_goes_on_without_is_no_reason_to_reject_and_was_not_run() -> None:
    found = reviewing.judged(run(), {}, ran("not_run", "not_run", waived="Ada"))
    assert found.route == "accepted"
    assert (report(found)["build"], report(found)["tests"]) == ("NOT_RUN", "NOT_RUN")


@pytest.mark.parametrize(
    "review",
    [
        {"outcome": "revise", "reason": "no"},
        {"outcome": "ok", "reason": "", "said": {"status": "REJECTED", "notes": "no"}},
        {"outcome": "revise", "reason": "no", "said": {"status": "ACCEPTED"}},
        {
            "outcome": "ok",
            "reason": "",
            "said": {"status": "ACCEPTED", "criteria": {"counts": "NOT MET"}},
        },
        {"outcome": "ok", "reason": "", "said": {"status": "ACCEPTED", "files_verified": False}},
        {},
    ],
)
def test_one_word_of_rejection_is_enough(review: dict[str, str]) -> None:
    assert reviewing.judged(run(review=review), {}, ran("passed", "passed")).route == "rejected"


def test_an_iteration_that_is_over_has_its_entry() -> None:
    found = reviewing.judged(run(iterations=[{"number": 3}]), {}, ran("passed", "passed"))
    assert found.sets["iterations"] == [
        {"number": 3},
        {
            "number": 0,
            "status": "ACCEPTED",
            "started_at": "2026-03-01T12:00:00Z",
            "completed_at": "2026-03-01T12:30:00Z",
            "tasks_total": 2,
            "tasks_accepted": 2,
        },
    ]
    assert found.sets["metrics"]["latest_iteration_cycle_minutes_estimate"] == 30
    assert found.sets["metrics"]["elapsed_minutes_estimate"] == 90


def test_the_fast_paths_report_says_what_was_run() -> None:
    found = reviewing.auto_accept(run(), {}, [NOW])
    assert (
        report(found)["notes"] == "Trivial-graph auto-accepted: 1 task, build green, tests green."
    )
    quiet = reviewing.auto_accept(run(build_command=""), {}, [NOW])
    assert (report(quiet)["build"], report(quiet)["notes"]) == (
        "NOT_RUN",
        "Trivial-graph auto-accepted: 1 task, tests green.",
    )


def test_the_commit_has_exactly_what_the_run_touched() -> None:
    found = reviewing.commit(run(summary="feat(PROJ-1): count", touched=["a.py", "b.py"]))
    assert found is not None
    assert (found.subject, found.paths, found.body) == (
        "feat(PROJ-1): count",
        ("a.py", "b.py"),
        "Ticket: PROJ-1",
    )
    assert reviewing.commit(run()) is None


@pytest.mark.parametrize(
    ("trusted", "touched", "route"),
    [(True, ["a.py"], "none"), (False, ["a.py"], "refresh"), (True, ["pyproject.toml"], "refresh")],
)
def test_when_the_documentation_is_refreshed(trusted: bool, touched: list[str], route: str) -> None:
    found = reviewing.committed(
        run(docs_trusted=trusted, touched=touched), {}, [{"name": "commit", "commit": "abcdef"}]
    )
    assert (found.route, found.sets["head"]) == (route, "abcdef")


def test_documents_that_were_vouched_for_are_remembered() -> None:
    texts: dict[str, str | None] = {path: f"# {path}\n" for path in DOCS}
    found = reviewing.cached(run(vouched=True), {**texts, DOCS_CACHE: None}, [NOW])
    assert list(found.writes) == [DOCS_CACHE]
    assert 'trust_status: "trusted"' in found.writes[DOCS_CACHE]
    assert found.facts[0]["event"] == "orchestrator.docs.refresh"


def test_documents_that_are_missing_or_that_nobody_looked_at_are_not() -> None:
    texts: dict[str, str | None] = {path: f"# {path}\n" for path in DOCS}
    assert dict(reviewing.cached(run(), texts, [NOW]).writes) == {}
    some = reviewing.cached(run(vouched=True), {**texts, DOCS[0]: " "}, [NOW])
    assert (dict(some.writes), some.word) == ({}, "not trusted")


def test_refreshed_documents_are_a_commit_of_their_own() -> None:
    assert reviewing.commit_documents(run()) is None
    found = reviewing.commit_documents(run(refreshed=[DOCS[0]]))
    assert found is not None
    assert (found.subject, found.paths) == ("docs(PROJ-1): refresh the documentation", (DOCS[0],))


def test_a_refresh_that_fails_undoes_nothing() -> None:
    found = reviewing.refreshed(Report(Verdict("fail", "ERROR", "no time"), run=run()))
    assert (found.outcome, found.reason, dict(found.sets)) == ("ok", "no time", {})
