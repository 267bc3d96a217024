"""The page of the fleet says the worst that holds first, and shows hostile names as text."""

import dataclasses

import pytest

from podium.fleet.figures.counts import Census, Process, Queued, Turn, figures
from podium.web.pages import fleet
from podium.web.pages.frame import Frame

NOW = 1_800_000_000.0
WORKER = Process("w1", "host", 7, ("gpu",), 2, "1.0", NOW - 600, NOW)
SILENT = dataclasses.replace(WORKER, name="w2", silent=True, seen=NOW - 300)


def census(
    processes: tuple[Process, ...] = (WORKER,),
    queue: tuple[Queued, ...] = (),
    turns: tuple[Turn, ...] = (),
) -> Census:
    return Census(NOW, 3600.0, processes, turns, queue)


@pytest.mark.parametrize(
    ("found", "tone", "word"),
    [
        (census(()), "dim", "no worker"),
        (census((), (Queued("R1", "harness", NOW - 5),)), "bad", "no worker"),
        (
            census(
                queue=(
                    Queued(
                        "R1",
                        "harness",
                        NOW - 5,
                        ("tpu",),
                        "no worker has what it needs: tpu",
                        stranded=True,
                    ),
                )
            ),
            "bad",
            "stuck",
        ),
        (census(queue=(Queued("R1", "harness", NOW - 900),)), "ask", "long waits"),
        (census((WORKER, SILENT)), "ask", "worker lost"),
        (census(turns=(Turn("R1", "w1", "harness", NOW - 9, NOW - 5),)), "busy", "at work"),
        (census(), "good", "ready"),
    ],
)
def test_the_head_says_the_worst_that_holds(found: Census, tone: str, word: str) -> None:
    head = fleet.head(figures(found))
    assert (head.tone, head.word) == (tone, word)


def test_what_is_no_window_of_the_page_is_the_usual_one() -> None:
    assert fleet.window({"window": "6h"}) == "6h"
    assert fleet.window({"window": "1000y"}) == fleet.window({}) == "1h"


def test_names_of_workers_and_labels_are_shown_as_text() -> None:
    hostile = dataclasses.replace(
        WORKER, name="<script>alert(1)</script>", labels=("\x1b[31m\u202e",), host='"><img src=x>'
    )
    lost = Turn("R1", hostile.name, "<b>", NOW - 90, NOW - 80, NOW - 50, "lost", "active", 3)
    page = fleet.page(
        Frame("c", "Ada", "p", fleet=True),
        figures(census((hostile,), (Queued("R<i>", "<b>", NOW - 9),), (lost,))),
        "1h",
    )
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "<b>" not in page
    assert "\u202e" not in page
    assert "taken over: its worker fell silent" in page
    assert 'aria-current="page">Fleet' in page
