"""A counter-example as a story and as a drawing."""

from __future__ import annotations

from tests.fakes.broken_workflows import Bypassing

from podium.checking.examining import examine
from podium.checking.telling import drawn, told
from podium.core.diagram import graph
from podium.core.proofs import Violation
from podium.views.svg.path import lit


def test_a_story_is_numbered_and_ends_with_what_is_wrong() -> None:
    assert told(Violation("x", "it breaks", (("plan", "ok"), ("build", "revise")))) == [
        "1. plan ends ok",
        "2. build ends revise",
        "3. it breaks",
    ]


def test_a_drawing_shows_only_the_way_with_its_places() -> None:
    text = drawn((("plan", "ok"), ("end", "a: b"), ("plan", "ok")))
    assert text.splitlines() == [
        "stateDiagram-v2",
        '  state "end" as s_end',
        "  [*] --> plan",
        "  plan --> s_end: 1. ok",
        "  s_end --> plan: 2. a#58; b",
        "  state broken <<choice>>",
        "  plan --> broken: 3. ok",
    ]


def test_a_drawing_ends_at_the_step_that_the_way_comes_to() -> None:
    assert drawn((("plan", "ok"),), "build").splitlines()[1:] == [
        "  [*] --> plan",
        "  plan --> build: 1. ok",
        "  classDef broken stroke:#d6293e,stroke-width:4px",
        "  class build broken",
    ]


def test_without_a_way_there_is_nothing_to_draw() -> None:
    assert drawn(()) == ""


def test_the_picture_lights_the_way_and_marks_its_end() -> None:
    path = (("plan", "ok"), ("approve", "approved"), ("build", "ok"))
    picture = lit(graph(Bypassing(), examine(Bypassing()).found), path)
    assert picture.count(' lit"><title>approve') == 1
    assert 'lit broken"><title>build' in picture
    assert picture.count('<path class="line ahead lit"') == 2
    further = lit(graph(Bypassing()), (("plan", "revise"),), "build")
    assert "<title>plan → build" in further.partition('<path class="line ahead lit"')[2][:200]
    assert "lit" not in lit(graph(Bypassing()), ()).split("</style>")[1]
