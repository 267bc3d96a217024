"""Who was at work when."""

from __future__ import annotations

from typing import Any

from tests.views.conftest import Teller

from podium.core import events
from podium.web.pages.spans import spans


def test_every_try_is_a_span_of_its_own(whole: list[dict[str, Any]]) -> None:
    tries = [each for each in spans(whole) if each.key == "build/1"]
    assert [(each.attempt, each.tone, each.word) for each in tries] == [
        (1, "bad", "crash"),
        (2, "good", "done"),
    ]
    assert tries[0].ended is not None
    assert tries[0].ended <= tries[1].began


def test_a_gate_lasts_from_its_opening_to_its_decision(whole: list[dict[str, Any]]) -> None:
    first = next(each for each in spans(whole) if each.sort == "gate")
    assert (first.key, first.word, round((first.ended or 0) - first.began)) == (
        "approve-build",
        "approved",
        900,
    )


def test_a_run_that_rested_has_a_span_for_it(whole: list[dict[str, Any]]) -> None:
    (rest,) = [each for each in spans(whole) if each.sort == "rest"]
    assert rest.word == "approval needed"
    assert rest.ended is not None


def test_what_is_at_work_has_no_end(at_second_build: list[dict[str, Any]]) -> None:
    (busy,) = [each for each in spans(at_second_build) if each.ended is None]
    assert (busy.key, busy.tone, busy.until(busy.began + 5)) == ("build/2", "busy", busy.began + 5)


def test_a_check_too_short_to_see_is_left_out() -> None:
    t = Teller()
    t.tell(events.step_started("quick", "quick", "decision", "", 1, {}))
    t.end("quick", "ok", "", 0.1)
    t.tell(events.step_started("slow", "slow", "command", "", 1, {}))
    t.end("slow", "ok", "", 9.0)
    assert [each.key for each in spans(t.events)] == ["slow"]


def test_hostile_and_unreadable_events_break_nothing(attack: list[dict[str, Any]]) -> None:
    assert spans([*attack, {}, {"type": "step.started"}, {"ts": "never"}])
