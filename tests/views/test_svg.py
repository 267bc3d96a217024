"""The picture of a workflow: whole in itself, readable by machines, no line across a word."""

from __future__ import annotations

import re
from itertools import combinations, pairwise
from xml.etree import ElementTree as ET

import pytest
from tests.fakes.workflows import EveryKind, Sample

from podium.core.diagram import Edge, Graph, Node, graph
from podium.views.svg.family import family
from podium.views.svg.picture import svg

SVG = "{http://www.w3.org/2000/svg}"

BUSY = Graph(
    "busy",
    "a",
    (
        Node("a", "stage", "planner"),
        Node("b", "gate", "Go?"),
        Node("c", "fanout"),
        Node("d", "check", "x"),
        Node("done", "done"),
    ),
    (
        Edge("a", "b", ("ok",)),
        Edge("a", "c", ("skip",)),
        Edge("a", "done", ("nothing to do",)),
        Edge("b", "a", ("rejected",), back=True),
        Edge("b", "c", ("approved",)),
        Edge("b", "done", ("later",)),
        Edge("c", "c", ("retry",), back=True, bound=3),
        Edge("c", "d", ("ok",)),
        Edge("d", "a", ("replan",), back=True, bound=1),
        Edge("d", "c", ("fail",), back=True, bound=5),
        Edge("d", "done", ("ok",)),
    ),
)
DRAWN = [graph(Sample()), graph(EveryKind()), BUSY]


def parsed(drawn: Graph, current: str | None = None) -> ET.Element:
    return ET.fromstring(svg(drawn, current))


@pytest.mark.parametrize("drawn", DRAWN, ids=lambda each: each.name)
def test_it_is_one_self_contained_picture_with_a_title_and_a_description(drawn: Graph) -> None:
    text = svg(drawn)
    root = ET.fromstring(text)
    title, desc = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert desc is not None
    assert root.get("aria-labelledby") == f"{title.get('id')} {desc.get('id')}"
    assert root.get("role") == "img"
    assert "Starts at" in (desc.text or "")
    assert re.findall(r"https?://[^\"]+", text) == ["http://www.w3.org/2000/svg"]
    assert "prefers-color-scheme:dark" in text
    assert "<script" not in text


@pytest.mark.parametrize("drawn", DRAWN, ids=lambda each: each.name)
def test_every_step_and_every_way_is_drawn_once(drawn: Graph) -> None:
    root = parsed(drawn)
    names = [each.text for each in root.iter(f"{SVG}text") if each.get("class") == "name"]
    assert names == [node.name.replace("_", " ") for node in drawn.nodes]
    labels = [
        each.text
        for each in root.iter(f"{SVG}text")
        if (each.get("class") or "").startswith("label")
    ]
    assert sorted(map(str, labels)) == sorted(edge.label.replace("_", " ") for edge in drawn.edges)
    lines = [
        each for each in root.iter(f"{SVG}path") if (each.get("class") or "").startswith("line")
    ]
    assert len(lines) == len(drawn.edges) + 1, "one line leads in"


def test_the_step_a_run_stands_at_is_marked() -> None:
    marked = [
        each
        for each in parsed(graph(Sample()), "build").iter(f"{SVG}g")
        if each.get("aria-current")
    ]
    assert [each.get("class") for each in marked] == ["stage here"]
    assert "The run stands at build." in svg(graph(Sample()), "build")
    assert "aria-current" not in svg(graph(Sample()))


def test_words_of_a_workflow_cannot_break_the_picture() -> None:
    nasty = '<script>alert("x")</script> & co'
    drawn = Graph(
        nasty, "a", (Node("a", "gate", nasty), Node("done", "done")), (Edge("a", "done", (nasty,)),)
    )
    text = svg(drawn)
    assert "<script" not in text
    ET.fromstring(text)


def test_a_long_label_is_cut_and_kept_whole_as_a_tooltip() -> None:
    long = tuple(f"outcome_{n}" for n in range(9))
    drawn = Graph(
        "long", "a", (Node("a", "stage"), Node("done", "done")), (Edge("a", "done", long),)
    )
    label = next(
        each.text
        for each in parsed(drawn).iter(f"{SVG}text")
        if "label" in (each.get("class") or "")
    )
    assert (label or "").endswith("…")
    assert "outcome_8" in svg(drawn)


def test_the_same_graph_gives_the_same_picture() -> None:
    assert svg(BUSY, "c") == svg(BUSY, "c")


def numbers(text: str | None) -> list[float]:
    return [float(each) for each in re.findall(r"-?\d+(?:\.\d+)?", text or "")]


def label_boxes(root: ET.Element) -> list[tuple[float, float, float, float]]:
    """Left, top, right, bottom of every label, six units a letter."""
    boxes = []
    for each in root.iter(f"{SVG}text"):
        if "label" in (each.get("class") or ""):
            x, y, width = (
                float(each.get("x", 0)),
                float(each.get("y", 0)),
                6.0 * len(each.text or ""),
            )
            left = x - width if each.get("text-anchor") == "end" else x
            boxes.append((left, y - 9, left + width, y + 3))
    return boxes


@pytest.mark.parametrize("drawn", DRAWN, ids=lambda each: each.name)
def test_no_label_lies_on_another_or_outside(drawn: Graph) -> None:
    root = parsed(drawn)
    boxes = label_boxes(root)
    width, height = numbers(root.get("viewBox"))[2:]
    for left, top, right, bottom in boxes:
        assert 0 <= left <= right <= width
        assert 0 <= top <= bottom <= height
    for one, other in combinations(boxes, 2):
        apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
        assert apart, (one, other)


@pytest.mark.parametrize("drawn", DRAWN, ids=lambda each: each.name)
def test_no_upright_line_crosses_a_label(drawn: Graph) -> None:
    root = parsed(drawn)
    for path in root.iter(f"{SVG}path"):
        if not (path.get("class") or "").startswith("line"):
            continue
        found = numbers(path.get("d"))
        points = list(zip(found[::2], found[1::2], strict=True))
        for (x1, y1), (x2, y2) in pairwise(points):
            if abs(x1 - x2) > 0.1:
                continue
            low, high = sorted((y1, y2))
            for left, top, right, bottom in label_boxes(root):
                assert not (left < x1 < right and low < bottom and top < high), (
                    path.get("d"),
                    left,
                    top,
                )


def test_child_runs_stand_beside_the_workflow_that_starts_them() -> None:
    text = family(graph(EveryKind()))
    root = ET.fromstring(text)
    inside = [each for each in root.iter(f"{SVG}svg") if each is not root]
    assert [each.get("aria-labelledby", "").split()[0] for each in inside] == [
        "podium-every-kind-title",
        "podium-implement-sample-title",
    ]
    first, second = (float(each.get("x", 0)) for each in inside)
    assert first + float(inside[0].get("width", 0)) <= second
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))


def test_a_workflow_without_child_runs_is_one_picture() -> None:
    assert family(BUSY) == svg(BUSY)


def test_other_beginnings_have_their_own_arrow() -> None:
    drawn = Graph(BUSY.name, BUSY.start, BUSY.nodes, BUSY.edges, starts=("c",))
    lines = [
        each
        for each in parsed(drawn).iter(f"{SVG}path")
        if (each.get("class") or "").startswith("line")
    ]
    assert len(lines) == len(drawn.edges) + 2
