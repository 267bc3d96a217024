"""What a command proves; one that failed before the work, too, must not look like one that
passed.
"""

from __future__ import annotations

import pytest
from tests.views.conftest import EVIDENCE, Teller

from podium.core import events
from podium.core.run import Run
from podium.views.board.board import Board
from podium.views.closing import closing
from podium.views.look import plain
from podium.views.proving import as_before, proved

PASSED = {**EVIDENCE, "exit": 0, "passed": True, "new_failures": []}
BEFORE = {**PASSED, "exit": 1, "baseline_exit": 1}
NEVER = {**PASSED, "exit": 127, "baseline_exit": 127}


@pytest.mark.parametrize(
    ("evidence", "word"),
    [
        (PASSED, "passed"),
        (EVIDENCE, "failed"),
        (BEFORE, "failed as before"),
        (NEVER, "could not run"),
        ({"command": "make x", "skipped": "needs a network"}, "not run: needs a network"),
    ],
)
def test_every_way_a_command_can_end_has_its_word(evidence, word):
    assert proved(evidence) == word
    assert as_before(evidence) is (evidence in (BEFORE, NEVER))


@pytest.mark.parametrize(
    ("evidence", "note"),
    [
        ((PASSED,), None),
        (
            (NEVER,),
            (
                " note  `pytest -q | tail` could not run (exit 127), here and before the run: it "
                "proves nothing"
            ),
        ),
        (
            (BEFORE,),
            (
                " note  `pytest -q | tail` fails (exit 1) as it did before the run: only new "
                "failures were looked for"
            ),
        ),
        ((NEVER, PASSED), None),
    ],
)
def test_a_run_does_not_end_without_a_word_about_tests_that_prove_nothing(
    steps, at_gate, evidence, note
):
    teller = Teller()
    for number, each in enumerate(evidence, start=1):
        teller.begin(f"build/{number}", "build", "build")
        teller.end(f"build/{number}", "ok", "done", 1.0, evidence=[each])
    lines = plain(closing(Board(steps, "T001", [*at_gate, *teller.events]), 200))
    assert [each for each in lines if each.startswith(" note")] == ([note] if note else [])


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
