"""Every event has one readable, harmless line."""

from __future__ import annotations

import re
from pathlib import Path

from podium.views import lines
from podium.views.lines import log_line


def test_the_line_of_a_started_step(at_gate):
    assert log_line(at_gate[2]) == "12:03:05 specification started (po-spec)"


def test_the_line_of_a_failed_review(at_second_build):
    found = [log_line(e) for e in at_second_build if e.get("key") == "qa/1" and e["type"] == "step.finished"]
    assert found == ["12:23:14 qa/1 revise (Issues Found) after 38s: AC1 fails: totals are rounded"]


def test_an_unknown_type_is_shown_generically():
    event = {"type": "ticket.split", "ts": "2026-01-31T12:00:00Z", "seq": 1, "tasks": ["a", "b"], "run": "x"}
    assert log_line(event) == "12:00:00 ticket.split tasks=a, b"


def test_every_type_the_program_writes_has_words_of_its_own():
    source = Path(lines.__file__).parents[1].joinpath("core", "events.py").read_text()
    assert set(re.findall(r'"((?:[a-z]+)\.(?:[a-z]+))"', source)) <= set(lines._WORDS)


def test_hostile_text_is_one_printable_line(attack):
    for event in attack:
        line = log_line(event)
        assert line.isprintable()
        assert len(line) <= 200
    log_line({})
