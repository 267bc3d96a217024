"""Which facts are told, and what is said of them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes.evidence import evidence

from podium.reach.notice import LONGEST, About, filled, notice_of

ABOUT = About("T1-a", "harness", "T1 — Export")


def fact(type: str, run: str = "T1-a", **more: Any) -> dict[str, Any]:
    return {"type": type, "run": run, "seq": 7, "ts": "2026-03-01T12:00:00.000Z", **more}


GATE = fact(
    "gate.opened",
    key="approve-build",
    kind="approval",
    prompt="Start Build?",
    choices=["approved"],
    subject={},
)


@pytest.mark.parametrize(
    ("event", "name"),
    [
        (GATE, "gate"),
        (fact("run.blocked", stop="rule", reason="no", state={}), "blocked"),
        (fact("run.blocked", stop="budget", reason="no", state={}), "budget"),
        (fact("run.paused", until="2026-03-01T13:00:00Z", reason="limit", state={}), "sleep"),
        (fact("run.completed", outcome="complete", state={}), "complete"),
        (fact("run.cancelled", reason="enough", state={}), "cancelled"),
        (fact("run.paused", gates=["approve-build"], reason="waits", state={}), ""),
        (fact("step.finished", key="build"), ""),
    ],
)
def test_the_facts_that_people_are_told(event: dict[str, Any], name: str) -> None:
    found = notice_of(event, ABOUT)
    assert (found.event if found else "") == name


def test_a_child_run_asks_but_its_end_is_told_by_the_run_above_it() -> None:
    asked = notice_of({**GATE, "run": "T1-a/item/3"}, ABOUT)
    assert asked is not None
    assert asked.run == "T1-a"
    assert notice_of(fact("run.blocked", "T1-a/item/3", stop="rule", state={}), ABOUT) is None


def test_a_gate_tells_its_key_its_question_and_the_link() -> None:
    found = notice_of(GATE, ABOUT, "https://x/{run}?gate={gate}")
    assert found is not None
    body = found.body()
    assert body["gate"] == {
        "key": "approve-build",
        "kind": "approval",
        "prompt": "Start Build?",
        "choices": ["approved"],
    }
    assert (body["run"], body["workflow"], body["title"], body["seq"]) == (
        "T1-a",
        "harness",
        "T1 — Export",
        7,
    )
    assert body["link"] == "https://x/T1-a?gate=approve-build"
    assert found.words().splitlines()[:2] == ["T1 — Export", "Start Build?"]


def test_the_same_fact_has_the_same_id_and_another_has_another() -> None:
    first, again, other = (
        notice_of(GATE, ABOUT),
        notice_of(GATE, ABOUT),
        notice_of({**GATE, "seq": 8}, ABOUT),
    )
    assert first is not None
    assert again is not None
    assert other is not None
    assert first.id == again.id != other.id


def test_a_document_in_a_prompt_is_cut() -> None:
    found = notice_of({**GATE, "prompt": "x" * 100_000}, ABOUT)
    assert found is not None
    assert len(found.body()["gate"]["prompt"]) == LONGEST
    assert len(found.words()) < 500


@settings(max_examples=50)
@given(st.text(max_size=20), st.text(max_size=20))
def test_a_name_cannot_change_where_a_link_leads(run: str, gate: str) -> None:
    link = filled("https://host/{run}/{gate}", run, gate)
    assert link.startswith("https://host/")
    assert link.count("/") == 4
    assert not {"?", "#", " "} & set(link)


def test_a_notice_begins_with_what_is_proven_and_names_the_code() -> None:
    record = evidence("not_run", "mocha", why="mocha: not found")
    files = [{"path": "src/a.py", "status": "M", "added": 2, "removed": 1, "kind": "code"}]
    told = {"evidence": [record], "changes": {"files": files, "total": 1}}
    found = notice_of({**GATE, **told}, ABOUT)
    assert found is not None
    assert found.body()["proof"] == ["TESTS DID NOT RUN: mocha: not found"]
    assert found.body()["code"] == ["1 file changed, +2 −1", "M src/a.py +2 −1"]
    assert found.words().splitlines()[0] == "TESTS DID NOT RUN: mocha: not found"


def test_an_end_that_is_unproven_is_called_so() -> None:
    found = notice_of(fact("run.completed", outcome="complete_unproven", state={}), ABOUT)
    assert found is not None
    assert found.head() == "Podium: T1-a is complete, unproven"
