from __future__ import annotations

from podium.views.reason import own_reason


def test_a_reason_is_told_without_the_key_that_stands_before_it() -> None:
    assert own_reason({"key": "build/1", "reason": "build/1: the tests fail"}) == "the tests fail"
    assert (
        own_reason({"key": "build/1", "reason": "qa/1: the tests fail"}) == "qa/1: the tests fail"
    )


def test_without_a_reason_there_is_none() -> None:
    assert own_reason({"key": "build/1", "reason": None}) == ""
