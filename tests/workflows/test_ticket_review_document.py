from __future__ import annotations

from itertools import product

import pytest

from podium.core.errors import InputError
from podium.workflows.ticket import review_document
from podium.workflows.ticket.review_document import (
    Review,
    auto_accepted,
    check,
    compose,
    judged,
    read,
    render,
    update,
)

NOW = "2026-04-20T10:00:00Z"
SEEN = {"build": "PASSED", "tests": "PASSED", "at": NOW}


def test_the_report_of_the_fast_path_is_written_as_agreed():
    assert render(auto_accepted(NOW)) == (
        'status: "ACCEPTED"\nmode: "auto-accept-trivial"\nbuild: "PASSED"\ntests: "PASSED"\n'
        "files_verified: true\n"
        'notes: "Trivial-graph auto-accepted: 1 task, build green, tests green."\n'
        'reviewed_at: "2026-04-20T10:00:00Z"\n'
    )
    assert read(render(auto_accepted(NOW))) == auto_accepted(NOW)


def test_every_fault_is_told_at_once():
    with pytest.raises(InputError) as caught:
        read(
            "status: ACCEPT\nmode: quick\nbuild: green\nfiles_verified: 1\ncriteria: {works: "
            "PARTLY}\nreviewed_at: soon\n"
        )
    assert [
        str(each).split(" (")[0].removeprefix("review_report.yaml:") for each in caught.value.faults
    ] == [
        "1: status is 'ACCEPT'",
        "2: mode is 'quick'",
        "3: build is 'green'",
        "4: files_verified is 1",
        "5: criteria.works is 'PARTLY'",
    ]


def test_an_agent_writes_its_judgement_and_the_program_the_rest():
    text = "# my review\nstatus: REJECTED\nnotes: the export is empty   # see export.py\n"
    assert check(text, "") == ()
    said = read(text)
    after = update(text, judged(said, **SEEN))
    assert after == (
        text + 'mode: "prompt-review"\nbuild: "PASSED"\ntests: "PASSED"\nfiles_verified: true\n'
        'reviewed_at: "2026-04-20T10:00:00Z"\n'
    )
    assert read(after).status == "REJECTED"


def test_a_review_that_nobody_can_read_to_its_end_is_sent_back():
    long = "status: REJECTED\nnotes: |\n" + "  a line\n" * 30_000
    assert check(long) == (
        "review_report.yaml: has 270026 characters (200000 at most; say it shorter)",
    )


@pytest.mark.parametrize(
    "text", ["status: ok", "notes: x", "a: [", "status: ACCEPTED\ncriteria: [a]"]
)
def test_what_an_agent_wrote_wrongly_is_named(text: str):
    assert check(text, "")


@pytest.mark.parametrize(
    ("said", "seen", "verdict", "status", "words"),
    [
        (Review(status="ACCEPTED"), {}, "", "ACCEPTED", ""),
        (Review(status="ACCEPTED", criteria={"a": "MET"}), {}, "ACCEPTED", "ACCEPTED", ""),
        (Review(status="REJECTED", notes="no"), {}, "ACCEPTED", "REJECTED", "no"),
        (Review(status="ACCEPTED", criteria={"a": "NOT MET"}), {}, "", "REJECTED", "not met: a"),
        (Review(status="ACCEPTED"), {"build": "FAILED"}, "", "REJECTED", "build FAILED"),
        (Review(status="ACCEPTED", tests="FAILED"), {}, "", "REJECTED", "tests FAILED"),
        (Review(status="ACCEPTED", files_verified=False), {}, "", "REJECTED", "outside"),
        (Review(status="ACCEPTED"), {}, "REJECTED", "REJECTED", "the verdict rejects"),
        (Review(status="ACCEPTED"), {"build": "NOT_RUN"}, "", "ACCEPTED", ""),
    ],
)
def test_the_worst_of_document_verdict_and_evidence_counts(
    said: Review, seen: dict, verdict: str, status: str, words: str
):
    found = judged(said, **{**SEEN, **seen}, verdict=verdict)
    assert found.status == status
    assert words in found.notes


def test_nothing_but_full_agreement_accepts():
    for status, told, build, tests, files, verdict in product(
        ("ACCEPTED", "REJECTED"),
        ("MET", "NOT MET"),
        ("PASSED", "FAILED"),
        ("PASSED", "FAILED"),
        (True, False),
        ("", "ACCEPTED", "REJECTED"),
    ):
        found = judged(
            Review(status=status, criteria={"a": told}, files_verified=files),
            build=build,
            tests=tests,
            at=NOW,
            verdict=verdict,
        )
        good = (status, told, build, tests, files) == (
            "ACCEPTED",
            "MET",
            "PASSED",
            "PASSED",
            True,
        ) and verdict != "REJECTED"
        assert (found.status == "ACCEPTED") is good


def test_the_verdicts_evidence_stands_in_for_missing_notes():
    assert (
        judged(Review(status="REJECTED"), **SEEN, evidence="export.py:3 is wrong").notes
        == "export.py:3 is wrong"
    )
    assert judged(Review(status="REJECTED", notes="mine"), **SEEN, evidence="other").notes == "mine"


def test_the_shortest_good_answer_passes_its_own_check():
    text = compose({}, "", {"Ticket": "PROJ-1"})
    assert check(text, "") == ()
    assert read(text).status == "ACCEPTED"
    rejected = compose(
        {"status": "REJECTED", "notes": "no", "criteria": {"it works": "NOT MET"}}, "", {}
    )
    assert read(rejected).unmet == ("it works",)
    assert review_document.structure()
