"""What a command proves; one that failed before the work, too, must not look like one that passed."""

from __future__ import annotations

import pytest
from tests.views.conftest import EVIDENCE, Teller

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
        (PASSED, "passed"), (EVIDENCE, "failed"), (BEFORE, "failed as before"), (NEVER, "could not run"),
        ({"command": "make x", "skipped": "needs a network"}, "not run: needs a network"),
    ],
)  # fmt: skip
def test_every_way_a_command_can_end_has_its_word(evidence, word):
    assert proved(evidence) == word
    assert as_before(evidence) is (evidence in (BEFORE, NEVER))


@pytest.mark.parametrize(
    ("evidence", "note"),
    [
        ((PASSED,), None),
        ((NEVER,), " note  `pytest -q | tail` could not run (exit 127), here and before the run: it proves nothing"),
        ((BEFORE,), " note  `pytest -q | tail` fails (exit 1) as it did before the run: only new failures were looked for"),
        ((NEVER, PASSED), None),
    ],
)
def test_a_run_does_not_end_without_a_word_about_tests_that_prove_nothing(steps, at_gate, evidence, note):
    teller = Teller()
    for number, each in enumerate(evidence, start=1):
        teller.begin(f"build/{number}", "build", "build")
        teller.end(f"build/{number}", "ok", "done", 1.0, evidence=[each])
    lines = plain(closing(Board(steps, "T001", [*at_gate, *teller.events])))
    assert [each for each in lines if each.startswith(" note")] == ([note] if note else [])
