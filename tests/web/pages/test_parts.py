"""What pages and reports share."""

from __future__ import annotations

from typing import Any

from tests.views.conftest import DIGEST, EVIDENCE, TOTAL, Teller, proven

from podium.views.report.ledger import Ledger
from podium.web.pages import parts


def test_an_artifact_is_listed_once_in_its_last_version() -> None:
    t = Teller()
    for number, mark in ((1, "sha256:a"), (2, "sha256:b")):
        t.begin(f"plan/{number}", "plan", "planner")
        t.end(f"plan/{number}", "ok", "done", 1.0, outputs={"plan.md": mark})
    (found,) = parts.artifacts(Ledger(t.events))
    assert (found.path, found.digest, found.key, found.versions) == (
        "plan.md",
        "sha256:b",
        "plan/2",
        2,
    )


def test_a_command_says_what_it_proves() -> None:
    failed = parts.ran("k", EVIDENCE)
    assert (failed.exit, failed.before, failed.took) == ("1", "0 failed", "3.2s")
    assert (failed.state, failed.word) == ("failed", f"test: 1 failed: {TOTAL}")
    before = parts.ran("k", proven("failed_before", 4, [TOTAL], before=(4, 1, 0)))
    assert (before.state, before.before, before.news) == ("stale", "1 failed", (TOTAL,))
    absent = parts.ran("k", proven("not_run", exit=None, why="mocha: not found"))
    assert (absent.exit, absent.before, absent.state, absent.word) == (
        "–",
        "",
        "failed",
        "TESTS DID NOT RUN: mocha: not found",
    )


def test_decisions_say_how_long_they_were_waited_for(whole: list[dict[str, Any]]) -> None:
    first = parts.decided(Ledger(whole).decisions[0])
    assert (first.by, first.note, first.waited, first.subject) == (
        "ada",
        "go",
        "15m 00s",
        (("plan.md", DIGEST),),
    )


def test_troubles_name_what_was_refused_undone_and_tried_again(whole: list[dict[str, Any]]) -> None:
    found = {(each.key, each.what): each.detail for each in parts.troubles(Ledger(whole).steps)}
    assert found["design", "refused, malformed"] == "artifacts/design/T001.md: no heading ## Risks"
    assert found["build/1", "undone and kept aside"] == "harness/run-state.md"
    assert found["build/1", "try 1: crash"] == "exit code 137"


def test_what_held_the_contracts_is_said_once(whole: list[dict[str, Any]]) -> None:
    assert parts.held(Ledger(whole).steps) == ["read confined, write audited"]
