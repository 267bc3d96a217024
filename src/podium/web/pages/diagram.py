"""The diagram of a run: its workflow's steps and declared paths, the paths taken with their
outcomes, its position.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from podium.core.diagram import Edge, Graph, Node, detail_of, kind_of
from podium.core.run import DONE
from podium.core.workflow import Workflow
from podium.views import safe
from podium.views.svg.picture import svg

Event = Mapping[str, Any]
_STYLE = re.compile(r"<style>.*?</style>", re.DOTALL)


def walked(workflow: Workflow, events: Iterable[Event]) -> Graph:
    """The graph of a run.

    Exploring all paths of a large workflow takes long; those this run took are in its journal.
    """
    told = [workflow.start, *(name for name in workflow.steps if name != workflow.start)]
    order = {name: place for place, name in enumerate((*told, DONE))}
    taken: dict[tuple[str, str], dict[str, int]] = {}
    root = ""
    for event in events:
        root = root or str(event.get("run", ""))
        if event.get("type") == "run.advanced" and event.get("run") == root:
            ways = taken.setdefault((str(event.get("from")), str(event.get("to"))), {})
            outcome = safe.line(event.get("outcome"), 40)
            ways[outcome] = ways.get(outcome, 0) + 1
    declared = {(name, target) for name in told for target in workflow.steps[name].exits}
    pairs = sorted(
        {*declared, *taken}, key=lambda pair: (order.get(pair[0], -1), order.get(pair[1], -1))
    )
    edges = [
        Edge(
            source,
            target,
            _said(taken.get((source, target), {})),
            back=order[target] <= order[source],
        )
        for source, target in pairs
        if source in order and target in order and source != DONE
    ]
    nodes = [
        Node(name, kind_of(workflow.steps[name].effect), detail_of(workflow.steps[name]))
        for name in told
    ]
    return Graph(
        workflow.name or type(workflow).__name__,
        workflow.start,
        (*nodes, Node(DONE, "done")),
        tuple(_worth(edges, set(taken))),
    )


def _said(ways: Mapping[str, int]) -> tuple[str, ...]:
    return tuple(
        outcome if times == 1 else f"{outcome} ×{times}" for outcome, times in ways.items()
    )


def _worth(edges: Sequence[Edge], taken: set[tuple[str, str]]) -> list[Edge]:
    """Paths that were taken, and of the others those that lead forward: unused paths back
    clutter the picture.
    """
    return [each for each in edges if (each.source, each.target) in taken or not each.back]


def drawn(
    workflow: Workflow, events: Iterable[Event], current: str, *, styled: bool = False
) -> Markup:
    """`styled`: with its own colours, for a separate page; otherwise the pages' style sheet
    applies.
    """
    picture = svg(walked(workflow, events), current)
    plain = picture if styled else _STYLE.sub("", picture)
    return Markup(plain)  # noqa: S704  # made by views.svg, which escapes every name
