"""What a command proves; one that failed before the work, too, must not look like one that
passed.
"""

from __future__ import annotations

import pytest
from tests.views.conftest import EVIDENCE, TOTAL, Teller, proven

from podium.core import events
from podium.core.run import Run
from podium.views.board.board import Board
from podium.views.closing import closing
from podium.views.look import plain
from podium.views.proving import as_before, proof_sentence, proved

PASSED = proven("passed", 9, before=(5, 0, 0))
BEFORE = proven("failed_before", 4, [TOTAL], before=(4, 1, 0))
NEVER = proven("not_run", exit=127, why="pytest: not found")
OF_ANOTHER_VERSION = {"name": "test", "command": "pytest", "exit": 1, "passed": False}


@pytest.mark.parametrize(
    ("evidence", "word", "sentence"),
    [
        (PASSED, "passed", "test: 9 passed (4 new)"),
        (EVIDENCE, "failed", f"test: 1 failed: {TOTAL}"),
        (BEFORE, "failed as before", f"test: 1 failed, the same as before: {TOTAL}"),
        (NEVER, "did not run", "TESTS DID NOT RUN: pytest: not found"),
        (
            {**NEVER, "waived": "ada"},
            "did not run; waived by ada",
            "TESTS DID NOT RUN: pytest: not found",
        ),
        (OF_ANOTHER_VERSION, "exit 1", ""),
        ({"name": "checkout", "branch": "fix/x"}, "done", ""),
    ],
)
def test_every_way_a_command_can_end_has_its_words(evidence, word, sentence):
    assert proved(evidence) == word
    assert proof_sentence(evidence) == sentence
    assert as_before(evidence) is (evidence is BEFORE)


@pytest.mark.parametrize(
    ("evidence", "proof"),
    [
        ((PASSED,), [" proof test: 9 passed (4 new)"]),
        ((NEVER,), [" proof TESTS DID NOT RUN: pytest: not found"]),
        ((BEFORE,), [f" proof test: 1 failed, the same as before: {TOTAL}"]),
        ((NEVER, PASSED), [" proof test: 9 passed (4 new)"]),
        (
            (PASSED, proven("failed", name="lint", command="ruff", exit=2)),
            [" proof lint: failed (exit 2)", "       test: 9 passed (4 new)"],
        ),
    ],
)
def test_the_last_words_say_first_what_is_proven_the_worst_before_all(
    steps, at_gate, evidence, proof
):
    teller = Teller()
    for number, each in enumerate(evidence, start=1):
        teller.begin(f"build/{number}", "build", "build")
        teller.end(f"build/{number}", "ok", "done", 1.0, evidence=[each])
    lines = plain(closing(Board(steps, "T001", [*at_gate, *teller.events]), 200))
    assert lines[1 : 1 + len(proof)] == proof


@pytest.mark.parametrize(
    ("commit", "made"),
    [("0b39691f7f4f", [" made  2 files of code in your checkout, not committed"]), ("", [])],
)
def test_a_complete_run_says_where_its_code_is(steps, at_gate, commit, made):
    teller = Teller()
    teller.begin("build/1", "build", "build")
    teller.end(
        "build/1",
        "ok",
        "done",
        1.0,
        outputs={"a.py": "sha256:1", "b.py": "sha256:2"},
        commit=commit,
    )
    teller.tell(events.run_completed(Run(step="done"), "complete"))
    lines = plain(closing(Board(steps, "T001", [*at_gate, *teller.events]), 200))
    assert [each for each in lines if each.startswith(" made")] == made
