"""The bar that says how far something is."""

from __future__ import annotations

import io

import pytest

from podium.cli import progress
from podium.cli.progress import Bar


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    return now


def test_it_tells_how_far_and_how_long_still_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, clock: list[float]
) -> None:
    screen = Screen()
    monkeypatch.setattr("sys.stderr", screen)
    bar = Bar("runs", shown=True)
    clock[0] = 2.0
    bar(25, 100)
    assert "runs ████████░░░" in screen.getvalue()
    assert " 25%  6 s left" in screen.getvalue()
    bar(100, 100)
    assert screen.getvalue().endswith(" \r"), "the line is empty again"


def test_it_is_not_drawn_more_often_than_anybody_can_see(
    monkeypatch: pytest.MonkeyPatch, clock: list[float]
) -> None:
    screen = Screen()
    monkeypatch.setattr("sys.stderr", screen)
    bar = Bar("runs", shown=True)
    for number in range(1, 50):
        clock[0] += 0.01
        bar(number, 100)
    assert screen.getvalue().count("left") <= 5


def test_nothing_is_drawn_where_nobody_looks(
    monkeypatch: pytest.MonkeyPatch, clock: list[float]
) -> None:
    pipe, screen = io.StringIO(), Screen()
    monkeypatch.setattr("sys.stderr", pipe)
    Bar("runs", shown=True)(100, 100)
    monkeypatch.setattr("sys.stderr", screen)
    Bar("runs", shown=False)(100, 100)
    assert pipe.getvalue() == screen.getvalue() == ""
    assert clock == [0.0]
